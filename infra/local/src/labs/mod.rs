//! Workbenches on this machine. Each one has a folder, and while it runs, a process that serves it, if the command of its
//! image is installed; otherwise the platform serves a page with a scratch area. A proxy gives each lab an origin of its own
//! (`front`), so that the pages of one lab can reach neither the platform nor other labs with the cookies of their reader.
//!
//! The processes run as the user of the platform. Their limits protect the machine from mistakes, not from attacks.

mod activity;
mod backend;
mod files;
mod front;
mod pages;
mod process;
mod processes;
mod program;
mod proxy;
mod scratch;
mod session;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use domain::id::WorkbenchId;
use domain::time::{Clock, Time};
use domain::workbench::Workbench;
use domain::{Error, Result};
use tokio_util::sync::CancellationToken;

use files::{Folders, LabFolder};
use process::LabProcess;
use processes::ProcessTable;
use program::Program;

pub use front::Front;

/// How often the memory of running labs is compared with their limits.
const MEASURED_EVERY: Duration = Duration::from_millis(500);

/// The labs of this machine.
#[derive(Clone)]
pub struct Labs(Arc<Inner>);

struct Inner {
    folders: Folders,
    /// The URL of the platform.
    base_url: String,
    clock: Clock,
    running: Mutex<BTreeMap<WorkbenchId, Arc<Lab>>>,
    /// What went wrong since the last start, for the next report.
    troubles: Mutex<HashMap<WorkbenchId, Troubles>>,
    processes: Mutex<ProcessTable>,
}

/// A lab that runs.
pub struct Lab {
    pub served_by: ServedBy,
    /// When a user or a program was last active in it.
    active_at: Mutex<Time>,
    /// Cancelled at the end of the lab. Its connections end with it.
    pub ended: CancellationToken,
}

pub enum ServedBy {
    Process(Box<LabProcess>),
    /// The page of the platform.
    Scratch,
}

/// The messages by their reasons, and the number of processes that have ended by themselves in sequence.
#[derive(Clone, Default)]
struct Troubles {
    messages: BTreeMap<&'static str, String>,
    exits: u32,
}

impl Lab {
    fn new(served_by: ServedBy, now: Time) -> Self {
        Self { served_by, active_at: Mutex::new(now), ended: CancellationToken::new() }
    }

    pub fn note_activity(&self, at: Time) {
        let mut active_at = lock(&self.active_at);
        *active_at = active_at.max(at);
    }

    fn active_at(&self) -> Time {
        *lock(&self.active_at)
    }
}

impl Labs {
    /// `folder` holds the folders of all workbenches.
    pub fn new(folder: PathBuf, base_url: String, clock: Clock) -> Self {
        Self(Arc::new(Inner {
            folders: Folders::new(folder),
            base_url,
            clock,
            running: Mutex::default(),
            troubles: Mutex::default(),
            processes: Mutex::default(),
        }))
    }

    pub fn find(&self, id: WorkbenchId) -> Option<Arc<Lab>> {
        lock(&self.0.running).get(&id).cloned()
    }

    fn folder(&self, id: WorkbenchId) -> LabFolder {
        self.0.folders.of(id)
    }

    fn base_url(&self) -> &str {
        &self.0.base_url
    }

    fn now(&self) -> Time {
        self.0.clock.now()
    }

    /// Starts the program of the workbench's image, if it is installed.
    async fn start(&self, workbench: &Workbench) -> Result<Arc<Lab>> {
        let id = workbench.id;
        let folder = self.0.folders.create(id).await?;
        let served_by = match Program::find(&workbench.image.command) {
            Some(program) => {
                // A platform that was killed has left its processes.
                self.kill_processes(id).await?;
                let resources = &workbench.spec.resources;
                let process = LabProcess::start(&program, id, &folder, resources, self.now()).await?;
                ServedBy::Process(Box::new(process))
            }
            None => ServedBy::Scratch,
        };
        let lab = Arc::new(Lab::new(served_by, self.now()));
        lock(&self.0.running).insert(id, lab.clone());
        Ok(lab)
    }

    /// Ends a lab and all of its processes. Its files stay.
    async fn end(&self, id: WorkbenchId) -> Result<()> {
        let lab = lock(&self.0.running).remove(&id);
        if let Some(lab) = &lab {
            lab.ended.cancel();
        }
        self.kill_processes(id).await
    }

    /// The ids of the processes of a lab.
    pub async fn pids(&self, id: WorkbenchId) -> Result<Vec<i32>> {
        let found = self.scan().await?.into_iter().filter(|found| found.lab == id);
        Ok(found.map(|found| found.pid.as_raw_nonzero().get()).collect())
    }

    /// Ends all labs, when the platform stops.
    pub async fn end_all(&self) {
        let ids: Vec<_> = lock(&self.0.running).keys().copied().collect();
        let ended = futures::future::join_all(ids.into_iter().map(|id| self.end(id))).await;
        for error in ended.into_iter().filter_map(Result::err) {
            tracing::warn!(?error, "a lab did not end");
        }
    }

    /// Asks the processes of a lab to end, and kills those that do not.
    async fn kill_processes(&self, id: WorkbenchId) -> Result<()> {
        const POLITE_ROUNDS: u32 = 50;
        const ROUNDS: u32 = 100;
        for round in 0..ROUNDS {
            let found = self.scan().await?;
            let pids: Vec<_> = found.iter().filter(|found| found.lab == id).map(|found| found.pid).collect();
            match (pids.is_empty(), round) {
                (true, _) => return Ok(()),
                (false, 0) => processes::end(&pids),
                (false, POLITE_ROUNDS..) => processes::kill(&pids),
                _ => {}
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Err(Error::busy("the processes of a lab do not end"))
    }

    async fn scan(&self) -> Result<Vec<processes::Found>> {
        let labs = self.clone();
        tokio::task::spawn_blocking(move || lock(&labs.0.processes).scan()).await.map_err(Error::internal)
    }

    /// Measures all running labs, and kills the largest process of each one that exceeds its memory.
    async fn measure(&self) -> Result<()> {
        let running: Vec<_> = lock(&self.0.running).iter().map(|(id, lab)| (*id, lab.clone())).collect();
        if running.iter().all(|(_, lab)| matches!(lab.served_by, ServedBy::Scratch)) {
            return Ok(());
        }
        let found = self.scan().await?;
        for (id, lab) in running {
            let ServedBy::Process(process) = &lab.served_by else { continue };
            let own: Vec<_> = found.iter().filter(|found| found.lab == id).collect();
            if let Some(message) = process.measure(&own, self.now()) {
                tracing::warn!(workbench_id = %id, "{message}");
                lock(&self.0.troubles).entry(id).or_default().messages.insert("OOM_KILLED", message);
            }
        }
        Ok(())
    }

    /// Watches the limits of the labs until `stop`.
    pub async fn watch(self, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                () = tokio::time::sleep(MEASURED_EVERY) => {}
            }
            if let Err(error) = self.measure().await {
                tracing::warn!(?error, "the labs could not be measured");
            }
        }
    }
}

/// A panic while the lock is held leaves valid data.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
