//! A child process in its own process group, which is killed when its handle is dropped.

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

/// The time limit of a server's start. `LiteLLM` takes 7 to 14 s on an idle machine.
const START: Duration = Duration::from_secs(120);
/// The timeout of requests outside of the measurements.
const PATIENCE: Duration = Duration::from_secs(10);
/// How many of the last log lines are reported when a server ends.
const LAST_LINES: usize = 15;

/// A process and its children, as one process group. The group is killed when this is dropped.
pub struct Process {
    child: Child,
    group: u32,
}

/// The command of a server. Its environment has only `PATH` and `HOME`, so that no other variable changes its speed.
pub fn server(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    let kept = ["PATH", "HOME"].into_iter().filter_map(|name| Some((name, env::var_os(name)?)));
    command.env_clear().envs(kept);
    command
}

/// A port that is free now.
pub fn free_port() -> io::Result<u16> {
    std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr().map(|address| address.port())
}

/// An HTTP client for requests outside of the measurements.
pub fn client() -> reqwest::Result<Client> {
    // The proxy of the environment must not be used for loopback.
    Client::builder().no_proxy().timeout(PATIENCE).build()
}

impl Process {
    pub fn start(command: &mut Command) -> Result<Self> {
        let name = command.as_std().get_program().display().to_string();
        let child = command.stdin(Stdio::null()).process_group(0).kill_on_drop(true).spawn();
        let child = child.map_err(|error| format!("cannot start {name}: {error}"))?;
        let group = child.id().ok_or("the process ended at once")?;
        Ok(Self { child, group })
    }

    /// Starts a server and waits until it sends any HTTP response: some servers listen before they are ready.
    pub async fn serve(command: &mut Command, port: u16, log: &Path) -> Result<Self> {
        let output = File::create(log)?;
        let mut process = Self::start(command.stdout(output.try_clone()?).stderr(output))?;
        let (client, began) = (client()?, Instant::now());
        while client.get(format!("http://127.0.0.1:{port}/")).send().await.is_err() {
            if let Some(status) = process.child.try_wait()? {
                return Err(format!("the server ended with {status}:\n{}", last_lines(log)).into());
            }
            if began.elapsed() > START {
                return Err(format!("the server does not answer after {START:?}:\n{}", last_lines(log)).into());
            }
            sleep(Duration::from_millis(50)).await;
        }
        Ok(process)
    }

    /// Waits for the process to end. Fails after the limit or on a failure status.
    pub async fn end(mut self, limit: Duration) -> Result<()> {
        let status =
            timeout(limit, self.child.wait()).await.map_err(|_| format!("it still runs after {limit:?}"))??;
        if status.success() { Ok(()) } else { Err(format!("the command ended with {status}").into()) }
    }

    pub fn cpu(&self) -> io::Result<Duration> {
        procfs::cpu(self.group)
    }

    pub fn rss_mb(&self) -> io::Result<f64> {
        procfs::rss_mb(self.group)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The shell kills the group, because doing so here would need unsafe code.
        let kill = format!("kill -s KILL -- -{}", self.group);
        let _ = std::process::Command::new("sh").args(["-c", &kill]).stderr(Stdio::null()).status();
        // Wait for its exit: until then it may write to a folder that is about to be removed.
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
