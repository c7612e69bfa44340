//! A program that runs beside us, and its end, whatever happens to us.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use std::{env, io, thread};

use reqwest::Client;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use crate::{Result, procfs};

/// How long a server may take until it answers: `LiteLLM` takes 7 to 14 s of a quiet machine.
const START: Duration = Duration::from_secs(120);
/// How long a single answer may take, when nothing is measured.
const PATIENCE: Duration = Duration::from_secs(10);
/// How many of its last lines say why a server ended.
const LAST_LINES: usize = 15;

/// A process with all that it starts: together they are a process group, which is killed when this is dropped.
pub struct Process {
    child: Child,
    group: u32,
}

/// A server's command, which finds nothing in its environment that could change how fast it is.
pub fn server(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    let kept = ["PATH", "HOME"].into_iter().filter_map(|name| Some((name, env::var_os(name)?)));
    command.env_clear().envs(kept);
    command
}

/// A port that nobody listens on.
pub fn free_port() -> io::Result<u16> {
    std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr().map(|address| address.port())
}

/// A client for what is asked beside the measurements.
pub fn client() -> reqwest::Result<Client> {
    // A proxy of the environment is not for loopback.
    Client::builder().no_proxy().timeout(PATIENCE).build()
}

impl Process {
    pub fn start(command: &mut Command) -> Result<Self> {
        let name = command.as_std().get_program().display().to_string();
        let child = command.stdin(Stdio::null()).process_group(0).kill_on_drop(true).spawn();
        let child = child.map_err(|error| format!("{name} does not start: {error}"))?;
        let group = child.id().ok_or("it ended at once")?;
        Ok(Self { child, group })
    }

    /// Starts a server, and waits until it answers, whatever that is: some listen before they are ready.
    pub async fn serve(command: &mut Command, port: u16, log: &Path) -> Result<Self> {
        let output = File::create(log)?;
        let mut process = Self::start(command.stdout(output.try_clone()?).stderr(output))?;
        let (client, began) = (client()?, Instant::now());
        while client.get(format!("http://127.0.0.1:{port}/")).send().await.is_err() {
            if let Some(status) = process.child.try_wait()? {
                return Err(format!("it ended with {status}:\n{}", last_lines(log)).into());
            }
            if began.elapsed() > START {
                return Err(format!("it does not answer after {START:?}:\n{}", last_lines(log)).into());
            }
            sleep(Duration::from_millis(50)).await;
        }
        Ok(process)
    }

    /// Waits for its end, which is to come in time and to be good.
    pub async fn end(mut self, limit: Duration) -> Result<()> {
        let status =
            timeout(limit, self.child.wait()).await.map_err(|_| format!("it is not done after {limit:?}"))??;
        if status.success() { Ok(()) } else { Err(format!("it ended with {status}").into()) }
    }

    pub fn cpu(&self) -> io::Result<Duration> {
        procfs::cpu(self.group)
    }

    pub fn cpu_of_threads(&self, name: &str) -> io::Result<Duration> {
        procfs::cpu_of_threads(self.group, name)
    }

    pub fn rss_mb(&self) -> io::Result<f64> {
        procfs::rss_mb(self.group)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The shell kills a group, which would take unsafe code here.
        let kill = format!("kill -s KILL -- -{}", self.group);
        let _ = std::process::Command::new("sh").args(["-c", &kill]).stderr(Stdio::null()).status();
        // Until it is gone, it may write to a folder that is about to be removed.
        for _ in 0..100 {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

fn last_lines(log: &Path) -> String {
    let log = fs::read(log).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let lines: Vec<_> = log.lines().collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
}
