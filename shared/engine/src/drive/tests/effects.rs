//! Effects whose results and durations a test sets, and which record what is performed.

use std::sync::{Arc, Mutex};

use tokio::time::{Instant, sleep};

use domain::id::{OrgId, ReleaseId, UserId, WorkflowId};
use domain::identity::Account;
use domain::run::{ParentStep, RunOrigin, StartableRelease};

use super::journal::Store;
use super::*;

/// How an attempt goes.
pub enum Reply {
    Result {
        after: Duration,
        result: Result<StepOutcome, EffectError>,
    },
    /// The step starts another run.
    Call,
    /// The process crashes in the middle of the attempt.
    Crash,
    /// The process crashes after a time, unless the attempt ends before at its timeout.
    CrashAfter(Duration),
}

impl Reply {
    pub fn after(self, time: Duration) -> Self {
        match self {
            Self::Result { result, .. } => Self::Result { after: time, result },
            Self::Call => panic!("a run is prepared at once"),
            Self::Crash | Self::CrashAfter(_) => Self::CrashAfter(time),
        }
    }
}

pub fn ok(value: impl Into<Value>) -> Reply {
    Reply::Result { after: Duration::ZERO, result: Ok(StepOutcome::new(crate::nodes::OUT, value.into())) }
}

/// An error after which the next attempt begins at the earliest after a time.
pub fn unavailable(least: Duration) -> Reply {
    failed("unavailable", RetryHint::After(least))
}

/// An error that another attempt would not change.
pub fn denied() -> Reply {
    failed("denied", RetryHint::Never)
}

/// An error of an attempt that may have taken place.
pub fn unanswered() -> Reply {
    failed("cut", RetryHint::Uncertain)
}

fn failed(code: &str, retry: RetryHint) -> Reply {
    let error = StepError::new(code, "It did not work.");
    Reply::Result { after: Duration::ZERO, result: Err(EffectError { error, retry }) }
}

/// One attempt that began.
#[derive(Clone, Debug)]
pub struct Call {
    pub effect: Effect,
    /// The time since the start of the test.
    pub at: Duration,
}

#[derive(Default)]
pub struct Witness {
    pub calls: Vec<Call>,
    /// The steps whose attempt was dropped before its end.
    pub dropped: Vec<String>,
    pub in_progress: usize,
    pub most_in_progress: usize,
}

type Script = Box<dyn Fn(&Effect) -> Reply + Send + Sync>;

pub struct ScriptedEffects {
    script: Script,
    store: Arc<Mutex<Store>>,
    pub witness: Arc<Mutex<Witness>>,
    start: Instant,
}

impl ScriptedEffects {
    pub fn new(store: &Arc<Mutex<Store>>, script: impl Fn(&Effect) -> Reply + Send + Sync + 'static) -> Self {
        Self { script: Box::new(script), store: store.clone(), witness: Arc::default(), start: Instant::now() }
    }

    fn check_intent(&self, effect: &Effect) {
        let store = self.store.lock().unwrap();
        let mut of_step = store.log.iter().map(|event| &event.kind).filter(|kind| step_of(kind) == Some(&effect.step));
        let last = of_step.next_back();
        let is_intent = matches!(last, Some(RunEventKind::StepStarted { attempt, .. }) if *attempt == effect.attempt);
        assert!(is_intent, "the last event of the step is {last:?}");
    }
}

impl Effects for ScriptedEffects {
    async fn perform(&self, effect: Effect) -> Result<EffectOutcome, EffectError> {
        if self.store.lock().unwrap().has_crashed {
            // Another effect crashed the process at the same time.
            return std::future::pending().await;
        }
        self.check_intent(&effect);
        let reply = (self.script)(&effect);
        let mut guard = Guard::new(&self.witness, &effect.step);
        let new = new_run(&effect.step);
        self.witness.lock().unwrap().calls.push(Call { effect, at: self.start.elapsed() });
        match reply {
            Reply::Crash => {
                self.store.lock().unwrap().has_crashed = true;
                std::future::pending().await
            }
            Reply::CrashAfter(time) => {
                sleep(time).await;
                self.store.lock().unwrap().has_crashed = true;
                std::future::pending().await
            }
            Reply::Result { after, result } => {
                sleep(after).await;
                guard.has_ended = true;
                result.map(EffectOutcome::Completed)
            }
            Reply::Call => {
                guard.has_ended = true;
                Ok(EffectOutcome::Call(Box::new(new)))
            }
        }
    }
}

/// A run that a step starts.
fn new_run(step: &str) -> NewRun {
    let account = Account { org: OrgId::new(), user: UserId::new() };
    let (workflow, release) = (WorkflowId::new(), ReleaseId::new());
    let release = StartableRelease { account, payer: None, workflow, release, number: 1 };
    let parent = Some(ParentStep { run: RunId::new(), step: step.to_owned(), depth: 1, root: RunId::new() });
    NewRun { parent, ..NewRun::new(release, RunOrigin::Manual, "start".to_owned(), Value::Null) }
}

/// Notices when an attempt is dropped.
struct Guard {
    witness: Arc<Mutex<Witness>>,
    step: String,
    has_ended: bool,
}

impl Guard {
    fn new(shared: &Arc<Mutex<Witness>>, step: &str) -> Self {
        let mut witness = shared.lock().unwrap();
        witness.in_progress += 1;
        witness.most_in_progress = witness.most_in_progress.max(witness.in_progress);
        Self { witness: shared.clone(), step: step.to_owned(), has_ended: false }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let mut witness = self.witness.lock().unwrap();
        witness.in_progress -= 1;
        if !self.has_ended {
            witness.dropped.push(self.step.clone());
        }
    }
}
