//! The subjects of the benchmarks: the mock itself and the gateways in front of it, and the servers of workflows.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::load::{Load, Target};
use crate::process::Process;
use crate::{Result, atelier, direct, litellm, node_red, portkey};

/// The warm-up time. In its first six seconds, Portkey's just-in-time compiler makes a call take half as long again.
const WARM_UP_S: f64 = 8.0;
const WARM_UP_CONNECTIONS: usize = 16;

#[derive(Clone, Copy, PartialEq, Eq, Hash, ValueEnum)]
pub enum Name {
    Direct,
    Atelier,
    /// Atelier's gateway with `guard: true` in each call.
    Guarded,
    Litellm,
    Portkey,
    /// The webhook of a workflow of Atelier.
    #[value(skip)]
    Webhook,
    #[value(skip)]
    NodeRed,
}

impl Name {
    /// The name in the tables.
    pub fn display_name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Atelier | Self::Webhook => "atelier",
            Self::Guarded => "atelier+guard",
            Self::Litellm => "litellm",
            Self::Portkey => "portkey",
            Self::NodeRed => "node-red",
        }
    }
}

/// A subject that is ready to be measured. Its process is killed when it is dropped.
pub struct Subject {
    pub name: Name,
    pub target: Target,
    pub process: Process,
}

/// The cache folder, which outlives a run, and the folder of the run, which does not.
pub struct Folders {
    cache: PathBuf,
    run: PathBuf,
}

impl Folders {
    pub fn new(cache: PathBuf) -> Result<Self> {
        // On the same disk as the cache: a temporary folder is often in memory, which would favour the database.
        let run = cache.join(format!("run-{}", std::process::id()));
        fs::create_dir_all(&run).map_err(|error| format!("{}: {error}", run.display()))?;
        Ok(Self { cache, run })
    }

    pub fn run(&self) -> &Path {
        &self.run
    }
}

impl Drop for Folders {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.run);
    }
}

impl Subject {
    /// Starts a subject, and warms it up. Gateways are in front of the mock.
    pub async fn start(name: Name, folders: &Folders, mock_port: u16) -> Result<Self> {
        let Folders { cache, run } = folders;
        let folder = run.join(name.display_name());
        fs::create_dir_all(&folder)?;
        let (target, process) = match name {
            Name::Direct => direct::start(run, mock_port).await?,
            Name::Atelier => atelier::start_gateway(&folder, mock_port, false).await?,
            Name::Guarded => atelier::start_gateway(&folder, mock_port, true).await?,
            Name::Litellm => litellm::start(cache, run, mock_port).await?,
            Name::Portkey => portkey::start(cache, run, mock_port).await?,
            Name::Webhook => atelier::start_webhook(run).await?,
            Name::NodeRed => node_red::start(cache, run).await?,
        };
        let subject = Self { name, target, process };
        subject.warm_up().await?;
        Ok(subject)
    }

    async fn warm_up(&self) -> Result<()> {
        let target = self.target.clone();
        let load = Load { target, connections: WARM_UP_CONNECTIONS, seconds: WARM_UP_S, pause_ms: 0, stream: false };
        let report = load.run().await?;
        report.first_error.map_or(Ok(()), |error| Err(format!("it does not answer calls: {error}").into()))
    }
}
