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
mod process_table;
mod program;
mod proxy;
mod scratch;
mod session;

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use ::labs::{Environments, Permit, SHARED_FOLDER};
use domain::id::WorkbenchId;
use domain::time::{Clock, Time};
use domain::workbench::Workbench;
use domain::{Error, Result};
use futures::future::try_join_all;
use store::Workbenches;
use store::workbenches::WorkbenchHint;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use files::LabFolder;
use process::LabProcess;
use process_table::{ProcessSample, ProcessTable};
use program::Program;

pub use files::Folders;
pub use front::LabRouter;
pub(crate) use pages::{escape, field, message_page, page};

/// Whether the program of a command is installed here, so that workbenches can start it.
pub fn is_installed(command: &[String]) -> bool {
    Program::find(command).is_some()
}

/// How often the memory of running labs is compared with their limits.
const MEASURED_EVERY: Duration = Duration::from_millis(500);
/// The maximum number of requests and web sockets of one lab at a time. Those of one lab must not use up the connections and
/// the open files of the platform.
const MAX_CONNECTIONS: usize = 64;

/// The labs of this machine.
#[derive(Clone)]
pub struct Labs(Arc<Inner>);

struct Inner {
    folders: Folders,
    /// The URL of the platform.
    base_url: String,
    clock: Clock,
    environments: Environments,
    running: Mutex<BTreeMap<WorkbenchId, Arc<Lab>>>,
    /// The failures since the last stop. Each report contains them.
    failures: Mutex<HashMap<WorkbenchId, Failures>>,
    processes: Mutex<ProcessTable>,
    /// The platform stops, so no lab may start any more.
    is_closing: AtomicBool,
}

/// A lab that runs.
pub struct Lab {
    pub served_by: ServedBy,
    hint: WorkbenchHint,
    started_at: Time,
    /// Each request and each WebSocket has a permit.
    pub connections: Arc<Semaphore>,
    /// The watch has seen that the program has ended.
    is_exit_noticed: AtomicBool,
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
struct Failures {
    messages: BTreeMap<&'static str, String>,
    exits: u32,
}

impl Lab {
    fn new(served_by: ServedBy, hint: WorkbenchHint, now: Time) -> Self {
        Self {
            served_by,
            hint,
            started_at: now,
            connections: Arc::new(Semaphore::new(MAX_CONNECTIONS)),
            is_exit_noticed: AtomicBool::new(false),
            active_at: Mutex::new(now),
            ended: CancellationToken::new(),
        }
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
    /// `folders` are the folders of all workbenches and those that organizations share.
    pub fn new(folders: Folders, base_url: String, clock: Clock, environments: Environments) -> Self {
        Self(Arc::new(Inner {
            processes: Mutex::new(ProcessTable::new(folders.root())),
            folders,
            base_url,
            clock,
            environments,
            running: Mutex::default(),
            failures: Mutex::default(),
            is_closing: AtomicBool::new(false),
        }))
    }

    pub fn find(&self, id: WorkbenchId) -> Option<Arc<Lab>> {
        lock(&self.0.running).get(&id).cloned()
    }

    fn folder(&self, id: WorkbenchId) -> LabFolder {
        self.0.folders.folder(id)
    }

    fn base_url(&self) -> &str {
        &self.0.base_url
    }

    fn now(&self) -> Time {
        self.0.clock.now()
    }

    /// Starts the program of the workbench's image, if it is installed.
    async fn start(&self, workbench: &Workbench, permit: &Permit) -> Result<Arc<Lab>> {
        let Workbench { org, id, .. } = *workbench;
        let folder = self.0.folders.create(id).await?;
        let served_by = match Program::find(&workbench.image.command) {
            Some(program) => {
                // A platform that was killed has left its processes.
                self.kill_processes(|lab| lab == id, || permit.check()).await?;
                let mut variables = self.0.environments.load(workbench, permit).await?;
                permit.check()?;
                variables.insert(SHARED_FOLDER.to_owned(), self.0.folders.share(org, &folder).await?);
                let process = LabProcess::start(&program, &folder, workbench, &variables, self.now()).await?;
                ServedBy::Process(Box::new(process))
            }
            None => ServedBy::Scratch,
        };
        let lab = Arc::new(Lab::new(served_by, WorkbenchHint { org, id }, self.now()));
        let mut running = lock(&self.0.running);
        // `end_all` sets the flag before it takes this lock. The process ends with its `Lab`.
        if self.0.is_closing.load(Ordering::SeqCst) {
            return Err(Error::busy("the platform stops"));
        }
        running.insert(id, lab.clone());
        Ok(lab)
    }

    /// Ends a lab and all of its processes. Its files stay.
    async fn end(&self, id: WorkbenchId, permit: &Permit) -> Result<()> {
        permit.check()?;
        let lab = lock(&self.0.running).remove(&id);
        if let Some(lab) = &lab {
            lab.ended.cancel();
        }
        self.kill_processes(|lab| lab == id, || permit.check()).await
    }

    /// The ids of the processes of a lab.
    pub async fn pids(&self, id: WorkbenchId) -> Result<Vec<i32>> {
        let found = self.scan().await?.into_iter().filter(|process| process.lab == id);
        Ok(found.map(|process| process.pid.as_raw_nonzero().get()).collect())
    }

    /// Ends all labs, when the platform stops: also those of an earlier platform with the same data folder.
    pub async fn end_all(&self) {
        self.0.is_closing.store(true, Ordering::SeqCst);
        for lab in std::mem::take(&mut *lock(&self.0.running)).into_values() {
            lab.ended.cancel();
        }
        if let Err(error) = self.kill_processes(|_| true, || Ok(())).await {
            tracing::warn!(?error, "some processes of labs did not exit");
        }
    }

    /// Asks the processes of labs to exit, and kills those that do not. `may_continue` is checked before each round.
    async fn kill_processes(
        &self,
        is_selected: impl Fn(WorkbenchId) -> bool,
        may_continue: impl Fn() -> Result<()>,
    ) -> Result<()> {
        const SIGTERM_ROUNDS: u32 = 50;
        const ROUNDS: u32 = 100;
        for round in 0..ROUNDS {
            let found = self.scan().await?;
            let selected: Vec<_> = found.iter().filter(|process| is_selected(process.lab)).collect();
            may_continue()?;
            match (selected.is_empty(), round) {
                (true, _) => return Ok(()),
                (false, 0) => process_table::terminate(&selected),
                (false, SIGTERM_ROUNDS..) => process_table::kill(&selected),
                _ => {}
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Err(Error::busy("the processes of a lab do not exit"))
    }

    async fn scan(&self) -> Result<Vec<ProcessSample>> {
        let labs = self.clone();
        spawn_blocking(move || lock(&labs.0.processes).scan()).await.map_err(Error::internal)
    }

    /// Measures all running labs, and kills the largest process of each one that exceeds its memory. Returns those labs.
    async fn measure(&self) -> Result<Vec<Arc<Lab>>> {
        let running: Vec<_> = lock(&self.0.running).iter().map(|(id, lab)| (*id, lab.clone())).collect();
        if running.iter().all(|(_, lab)| matches!(lab.served_by, ServedBy::Scratch)) {
            return Ok(Vec::new());
        }
        let found = self.scan().await?;
        let labs = self.clone();
        let measure = move |(id, lab): (WorkbenchId, Arc<Lab>)| {
            let ServedBy::Process(process) = &lab.served_by else { return None };
            labs.folder(id).truncate_log();
            let own: Vec<_> = found.iter().filter(|process| process.lab == id).collect();
            let message = process.measure(&own, labs.now())?;
            tracing::warn!(workbench_id = %id, "{message}");
            lock(&labs.0.failures).entry(id).or_default().messages.insert("OOM_KILLED", message);
            Some(lab)
        };
        spawn_blocking(move || running.into_iter().filter_map(measure).collect()).await.map_err(Error::internal)
    }

    /// The labs whose program has ended since the last call.
    fn exited(&self) -> Vec<Arc<Lab>> {
        let has_exited = |lab: &Arc<Lab>| match &lab.served_by {
            ServedBy::Process(process) => {
                process.exit().is_some() && !lab.is_exit_noticed.swap(true, Ordering::Relaxed)
            }
            ServedBy::Scratch => false,
        };
        lock(&self.0.running).values().filter(|lab| has_exited(lab)).cloned().collect()
    }

    /// Watches the programs of the labs and their limits until `stop`. After a change, the next step is due at once: a ready
    /// workbench is otherwise observed only once a minute.
    pub async fn watch(self, workbenches: Workbenches, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                () = tokio::time::sleep(MEASURED_EVERY) => {}
            }
            let make_due = async |lab: Arc<Lab>| workbenches.make_due(lab.hint).await;
            let report = async {
                let changed = [self.measure().await?, self.exited()].concat();
                try_join_all(changed.into_iter().map(make_due)).await
            };
            if let Err(error) = report.await {
                tracing::warn!(?error, "the labs could not be watched");
            }
        }
    }
}

/// A panic while the lock is held leaves valid data.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
