//! A fake cluster that provides the environments of workbenches. A worker can be killed between any two of its calls.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use domain::id::WorkbenchId;
use domain::workbench::{Intent, Phase, Report, Usage, Workbench};
use futures::FutureExt;
use futures::future::{BoxFuture, pending};
use labs::{Backend, Permit};
use tokio::sync::Notify;

/// The objects of an environment, in the order of their creation.
const OBJECTS: [&str; 4] = ["storage", "process", "service", "route"];

/// The objects that an environment has when it has reached its target, of these in the order of their creation. A stopped
/// one keeps only the first, its storage.
pub fn objects_at_target(target: Intent, objects: &'static [&'static str]) -> &'static [&'static str] {
    match target {
        Intent::Run => objects,
        Intent::Stop => &objects[..1],
        Intent::Delete => &[],
    }
}

/// The calls that lead to the target: each creates an object (true) or removes one.
pub fn calls_to_target(
    target: Intent,
    objects: &'static [&'static str],
    found: &BTreeSet<&'static str>,
) -> Vec<(&'static str, bool)> {
    let wanted = objects_at_target(target, objects);
    let missing = objects.iter().filter(|object| wanted.contains(object) && !found.contains(*object));
    let surplus = objects.iter().rev().filter(|object| !wanted.contains(object) && found.contains(*object));
    missing.map(|object| (*object, true)).chain(surplus.map(|object| (*object, false))).collect()
}

#[derive(Clone, Default)]
pub struct FakeCluster(Arc<Inner>);

#[derive(Default)]
struct Inner {
    state: Mutex<State>,
    killed: Notify,
}

#[derive(Default)]
struct State {
    objects: BTreeMap<WorkbenchId, BTreeSet<&'static str>>,
    calls: usize,
    /// The call after which the worker is killed.
    kill_after: Option<usize>,
    /// What every environment reports instead of running.
    trouble: Option<Report>,
    /// Whether all calls fail.
    is_down: bool,
    active_at: Option<domain::time::Time>,
}

impl FakeCluster {
    /// Kills the worker after this many more calls. Call [`FakeCluster::killed`] to notice it.
    pub fn kill_after(&self, calls: usize) {
        let mut state = self.0.state.lock().unwrap();
        state.kill_after = Some(state.calls + calls);
    }

    /// Waits until a worker is killed.
    pub async fn killed(&self) {
        self.0.killed.notified().await;
    }

    pub fn set_trouble(&self, trouble: Option<Report>) {
        self.0.state.lock().unwrap().trouble = trouble;
    }

    pub fn set_down(&self, is_down: bool) {
        self.0.state.lock().unwrap().is_down = is_down;
    }

    pub fn set_active_at(&self, at: domain::time::Time) {
        self.0.state.lock().unwrap().active_at = Some(at);
    }

    pub fn calls(&self) -> usize {
        self.0.state.lock().unwrap().calls
    }

    /// The objects of a workbench.
    pub fn objects(&self, id: WorkbenchId) -> Vec<&'static str> {
        let state = self.0.state.lock().unwrap();
        state.objects.get(&id).into_iter().flatten().copied().collect()
    }

    pub fn is_empty(&self) -> bool {
        self.0.state.lock().unwrap().objects.values().all(BTreeSet::is_empty)
    }

    /// One call: its effect, then perhaps the end of the worker.
    async fn call<T>(&self, effect: impl FnOnce(&mut State) -> T) -> domain::Result<T> {
        let (result, is_killed) = {
            let mut state = self.0.state.lock().unwrap();
            state.calls += 1;
            if state.is_down {
                return Err(domain::Error::busy("the cluster does not answer"));
            }
            let is_killed = state.kill_after == Some(state.calls);
            if is_killed {
                state.kill_after = None;
            }
            (effect(&mut state), is_killed)
        };
        if is_killed {
            self.0.killed.notify_one();
            pending::<()>().await;
        }
        Ok(result)
    }

    async fn make_step(&self, workbench: &Workbench) -> domain::Result<Report> {
        let id = workbench.id;
        let found = self.call(|state| state.objects.entry(id).or_default().clone()).await?;
        for (object, is_wanted) in calls_to_target(workbench.target(), &OBJECTS, &found) {
            let change = |state: &mut State| {
                let objects = state.objects.entry(id).or_default();
                if is_wanted { objects.insert(object) } else { objects.remove(object) }
            };
            self.call(change).await?;
        }
        let (trouble, active_at) = self.call(|state| (state.trouble.clone(), state.active_at)).await?;
        Ok(match (workbench.target(), trouble) {
            (Intent::Run, Some(trouble)) => trouble,
            (Intent::Run, None) => Report {
                dashboard: Some(format!("https://labs.test/{id}/")),
                usage: Some(Usage { cpu: Some(250), memory: Some(1 << 29), ..Usage::default() }),
                active_at,
                ..Report::new(Phase::Running)
            },
            (Intent::Stop, _) => Report::new(Phase::Stopped),
            (Intent::Delete, _) => Report::new(Phase::Gone),
        })
    }
}

impl Backend for FakeCluster {
    fn step<'a>(&'a self, workbench: &'a Workbench, _: &'a Permit) -> BoxFuture<'a, domain::Result<Report>> {
        self.make_step(workbench).boxed()
    }
}
