//! The subjects of the benchmarks, and the folders that they use.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::Result;
use crate::load::{Length, Load, Report, Target};
use tests::process::{DiskFolder, Process, START};
use tests::procfs::Usage;

/// The warm-up time. In its first six seconds, Portkey's just-in-time compiler makes a call take half as long again.
const WARM_UP_S: f64 = 8.0;
const WARM_UP_CONNECTIONS: usize = 16;

/// The name of a subject in the tables.
pub type Name = &'static str;

/// The mock without a gateway.
pub const DIRECT: Name = "direct";
pub const ATELIER: Name = "atelier";

/// A subject that is ready to be measured. Its processes are killed when it is dropped.
pub struct Subject {
    pub name: Name,
    pub target: Target,
    pub processes: Vec<Process>,
}

/// The cache folder, which outlives a run, and the folder of the run, which does not.
pub struct Folders {
    pub cache: PathBuf,
    run: DiskFolder,
}

impl Folders {
    pub fn new(cache: PathBuf) -> Result<Self> {
        Ok(Self { cache, run: DiskFolder::create("bench")? })
    }

    pub fn run(&self) -> &Path {
        self.run.path()
    }

    /// An empty folder for a subject.
    pub fn create(&self, name: Name) -> Result<PathBuf> {
        let folder = self.run().join(name);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        Ok(folder)
    }
}

impl Subject {
    /// A subject with one process.
    pub fn new(name: Name, (target, process): (Target, Process)) -> Self {
        Self { name, target, processes: vec![process] }
    }

    /// Waits until the subject answers calls, and warms it up.
    pub async fn warm_up(&self) -> Result<()> {
        self.wait_until_ready().await?;
        let report = self.call(WARM_UP_CONNECTIONS, Length::Seconds(WARM_UP_S)).await?;
        report.first_error.map_or(Ok(()), |error| Err(format!("it does not answer calls: {error}").into()))
    }

    /// Some servers listen before they can answer: Node-RED starts its flows later, Restate the leaders of its partitions.
    async fn wait_until_ready(&self) -> Result<()> {
        let began = Instant::now();
        loop {
            match self.call(1, Length::Calls(1)).await?.first_error {
                None => return Ok(()),
                Some(error) if began.elapsed() > START => {
                    return Err(format!("it does not answer calls after {START:?}: {error}").into());
                }
                Some(_) => sleep(Duration::from_millis(100)).await,
            }
        }
    }

    async fn call(&self, connections: usize, length: Length) -> Result<Report> {
        Load { target: self.target.clone(), connections, length, pause_ms: 0, stream: false }.run().await
    }

    pub fn usage(&self) -> Result<Usage> {
        let mut usage = Usage::default();
        for process in &self.processes {
            usage += process.usage()?;
        }
        Ok(usage)
    }

    pub fn memory_mb(&self) -> Result<f64> {
        self.processes.iter().map(|process| Ok(process.memory_mb()?)).sum()
    }
}
