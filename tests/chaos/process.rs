//! The process of the platform: it is started, killed with SIGKILL, and started again on the same port and data.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{env, io};

use domain::time::Time;
use tests::process::free_port;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

use crate::Result;
use crate::cli::PlatformOptions;
use crate::platform::READY;
use crate::services::Happened;

/// A start fails if the services do not answer. This many failures in a row are not by chance.
const MAX_FAILED_STARTS: usize = 20;
/// A start that takes longer has hung.
const PATIENCE: Duration = Duration::from_secs(300);

/// The number of calls and messages, by what happened to them.
pub type FaultCounts = Arc<Mutex<BTreeMap<Happened, usize>>>;

pub struct PlatformProcess {
    pub options: PlatformOptions,
    pub counts: FaultCounts,
    /// When it was killed.
    pub kills: Vec<Time>,
    pub failed_starts: usize,
    /// The time from each kill until the platform was ready again.
    pub downtime: Duration,
    log: PathBuf,
    child: Option<Child>,
}

/// A folder of this machine for the data and the log. It is removed unless a violation was found.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn create() -> io::Result<Self> {
        let folder = env::temp_dir().join(format!("atelier-chaos-{}", uuid::Uuid::now_v7().simple()));
        fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }

    pub fn remove(&self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl PlatformProcess {
    pub fn new(folder: &Path, seed: u64) -> Result<Self> {
        // The same port after each restart, as a deployment has one URL.
        let options = PlatformOptions { port: free_port()?, data_dir: folder.join("data"), seed, failing: 0 };
        let (counts, log) = (FaultCounts::default(), folder.join("platform.log"));
        Ok(Self { options, counts, kills: Vec::new(), failed_starts: 0, downtime: Duration::ZERO, log, child: None })
    }

    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.options.port)
    }

    /// Starts a process, and waits until it is ready.
    pub async fn start(&mut self) -> Result<()> {
        for _ in 0..MAX_FAILED_STARTS {
            let mut lines = self.spawn()?;
            let ready = timeout(PATIENCE, lines.next_line()).await.map_err(|_| "a start has hung")?;
            // Before it is ready, the process reports calls of its start.
            if self.count_until_ready(&mut lines, ready?).await? {
                let counts = self.counts.clone();
                tokio::spawn(async move {
                    while let Ok(Some(line)) = lines.next_line().await {
                        count(&counts, &line);
                    }
                });
                return Ok(());
            }
            self.failed_starts += 1;
        }
        Err(format!("the platform does not start; its log is {}", self.log.display()).into())
    }

    fn spawn(&mut self) -> Result<Lines<BufReader<ChildStdout>>> {
        let PlatformOptions { port, data_dir, seed, failing } = &self.options;
        let log = File::options().create(true).append(true).open(&self.log)?;
        let mut command = Command::new(env::current_exe()?);
        command.args(["platform", "--port", &port.to_string(), "--failing", &failing.to_string()]);
        // Each process makes other choices.
        let place = (self.kills.len() + self.failed_starts) as u64;
        command.args(["--seed", &seed.wrapping_add(place).to_string(), "--data-dir"]).arg(data_dir);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log).env_remove("LOG_LEVEL").kill_on_drop(true);
        let mut child = command.spawn()?;
        let output = child.stdout.take().ok_or("the process has no standard output")?;
        self.child = Some(child);
        Ok(BufReader::new(output).lines())
    }

    /// Returns whether the process becomes ready; otherwise it has ended.
    async fn count_until_ready(
        &self,
        lines: &mut Lines<BufReader<ChildStdout>>,
        first: Option<String>,
    ) -> Result<bool> {
        let mut line = first;
        loop {
            match line.as_deref() {
                None => return Ok(false),
                Some(READY) => return Ok(true),
                Some(other) => count(&self.counts, other),
            }
            line = timeout(PATIENCE, lines.next_line()).await.map_err(|_| "a start has hung")??;
        }
    }

    /// Kills the process with SIGKILL, and waits until it has ended.
    pub async fn kill(&mut self) -> Result<()> {
        if let Some(mut child) = self.child.take() {
            child.kill().await?;
            self.kills.push(Time::now());
        }
        Ok(())
    }

    pub async fn restart(&mut self) -> Result<()> {
        let began = Instant::now();
        self.kill().await?;
        self.start().await?;
        self.downtime += began.elapsed();
        Ok(())
    }
}

fn count(counts: &FaultCounts, line: &str) {
    if let Some(happened) = Happened::ALL.into_iter().find(|happened| happened.to_string() == line) {
        *counts.lock().unwrap_or_else(PoisonError::into_inner).entry(happened).or_default() += 1;
    }
}
