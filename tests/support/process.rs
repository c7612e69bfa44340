//! A child process in its own process group, which is killed with its descendants when its handle is dropped.

use std::error::Error;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use std::{env, io, thread};

use reqwest::Client;
use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::{sleep, timeout};

use crate::procfs::{self, Usage};

/// What programs of this crate return: their `main` prints the cause.
pub type Result<T, E = Box<dyn Error>> = std::result::Result<T, E>;

/// The time limit of a server's start. `LiteLLM` takes 7 to 14 s on an idle machine.
pub const START: Duration = Duration::from_secs(120);
/// The timeout of requests outside of the measurements.
const PATIENCE: Duration = Duration::from_secs(10);
/// How many of the last log lines are reported when a server ends.
const LAST_LINES: usize = 15;

/// A process and its descendants. They are killed when this is dropped.
pub struct Process {
    child: Child,
    group: u32,
    /// The signal that makes the process release what a kill would leave on the machine.
    pub stop_signal: Option<&'static str>,
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

/// Drops the work at a signal, and with it every process that it started.
pub async fn until_stopped(work: impl Future<Output = Result<()>>) -> Result<()> {
    tokio::select! {
        done = work => done,
        stopped = stop_signal() => stopped,
    }
}

/// Waits for SIGINT (Ctrl-C), SIGTERM (a process manager) or SIGHUP (a terminal that closes).
async fn stop_signal() -> Result<()> {
    let [mut interrupt, mut terminate] = [signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?];
    let mut hangup = signal(SignalKind::hangup())?;
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
    Err("stopped".into())
}

/// A folder of this process, which is removed on drop.
pub struct DiskFolder(PathBuf);

impl DiskFolder {
    pub fn create(name: &str) -> Result<Self> {
        // On a disk, because `/tmp` is often in memory, which would favour the databases. Not in the home folder, because
        // `PostgreSQL` runs as another user, who cannot reach the home of root.
        let folder = PathBuf::from(format!("/var/tmp/atelier-{name}-{}", std::process::id()));
        fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Self(folder))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for DiskFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Process {
    pub fn start(command: &mut Command) -> Result<Self> {
        let name = command.as_std().get_program().display().to_string();
        let child = command.stdin(Stdio::null()).process_group(0).kill_on_drop(true).spawn();
        let child = child.map_err(|error| format!("cannot start {name}: {error}"))?;
        let group = child.id().ok_or("the process ended at once")?;
        Ok(Self { child, group, stop_signal: None })
    }

    /// Starts a server and waits until it sends any HTTP response: some servers listen before they are ready.
    pub async fn serve(command: &mut Command, port: u16, log: &Path) -> Result<Self> {
        let (client, url) = (client()?, format!("http://127.0.0.1:{port}/"));
        Self::serve_when(command, log, async || client.get(&url).send().await.is_ok()).await
    }

    /// Starts a server and waits until it is ready.
    pub async fn serve_when(command: &mut Command, log: &Path, is_ready: impl AsyncFn() -> bool) -> Result<Self> {
        let output = File::create(log)?;
        let mut process = Self::start(command.stdout(output.try_clone()?).stderr(output))?;
        let began = Instant::now();
        while !is_ready().await {
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

    pub fn id(&self) -> u32 {
        self.group
    }

    pub fn usage(&self) -> io::Result<Usage> {
        procfs::usage(self.group)
    }

    pub fn memory_mb(&self) -> io::Result<f64> {
        procfs::memory_mb(self.group)
    }

    /// Waits for its exit: until then it may write to a folder that is about to be removed.
    fn wait(&mut self) {
        for _ in 0..100 {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(signal) = self.stop_signal {
            send(signal, &[self.group.to_string()]);
            self.wait();
        }
        let mut all = vec![format!("-{}", self.group)];
        all.extend(procfs::process_ids(self.group).unwrap_or_default().iter().map(u32::to_string));
        send("KILL", &all);
        self.wait();
    }
}

/// The shell sends the signal, because doing so here would need unsafe code.
fn send(signal: &str, targets: &[String]) {
    let kill = format!("kill -s {signal} -- {}", targets.join(" "));
    let _ = std::process::Command::new("sh").args(["-c", &kill]).stderr(Stdio::null()).status();
}

fn last_lines(log: &Path) -> String {
    let log = fs::read(log).unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let lines: Vec<_> = log.lines().collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
}
