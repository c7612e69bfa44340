//! Carries out a run: performs its effects, stores what happens, and leaves the run when it must wait.
//!
//! A process that has claimed a run calls [`drive`]. The state of the run is computed from its log. Each round of the
//! driver stores all new events at once, among them the intent of each effect that begins, and only then performs the
//! effects. So a crash loses no result that was stored, and an attempt without a result is known to be uncertain.
//!
//! The driver has no I/O of its own. [`Journal`] stores, [`Effects`] performs.

mod activation;
mod answers;
mod attempts;
mod driver;
mod events;
mod limits;
mod masks;
mod pauses;
mod pure;
mod restore;
mod retry;
mod reviews;
mod rounds;
mod state;
mod stop;
mod trace;
mod waits;

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::compile::ExecutionPlan;
use crate::nodes::Operation;
use crate::run::{RunFacts, StepError, StepEvent, StepOutcome};
use domain::Result;
use domain::run::{Answer, Hold, NewRun, Parking, ReviewAnswer, RunEnd, RunEvent};
use domain::time::{Clock, Time};

pub use answers::describe_end;
pub use domain::run::Commit;
pub use driver::drive;
pub(crate) use limits::Limits;
pub use masks::{Masks, mask_run_input};
pub use pure::{PureOutcome, PureRun, carry_out_pure};
pub(crate) use restore::restore;
pub use retry::kept_events;
pub use stop::STOP_PATIENCE;
pub use trace::{Span, SpanState, parent_of, trace};

/// Stores what happens in one run. Each write succeeds only while this process holds the run.
pub trait Journal: Send {
    /// Whether nothing of the run is stored yet.
    fn is_new(&self) -> bool {
        false
    }

    /// Stores events, opens reviews and starts runs. Then it cancels reviews and stops runs. A crash may leave the first events
    /// without the others; a review and a run are stored together with their event.
    fn commit(&mut self, commit: &Commit) -> impl Future<Output = Result<Hold>> + Send;

    /// Ends the run together with its last event, after the events before. Reviews that are open can no longer be answered.
    fn end(&mut self, events: &[RunEvent], end: &RunEnd) -> impl Future<Output = Result<Hold>> + Send;

    /// Leaves the run until a time, or until an answer arrives.
    fn park(&mut self, wake_at: Option<Time>) -> impl Future<Output = Result<Parking>> + Send;

    /// Leaves the run to the next process.
    fn hand_over(&mut self) -> impl Future<Output = Result<Hold>> + Send;

    /// The answers so far to the steps that wait: to their reviews, and of the runs that they have started. The key is the
    /// path of the step.
    fn answers(&mut self, waiting: &BTreeSet<String>) -> impl Future<Output = Result<BTreeMap<String, Answer>>> + Send;

    /// Closes a review that nobody answered in time. If somebody did, returns the answer. A review that is closed already
    /// stays closed.
    fn expire(&mut self, step: &str) -> impl Future<Output = Result<Option<ReviewAnswer>>> + Send;
}

/// Performs the effects of steps.
pub trait Effects: Sync {
    /// Performs one attempt.
    fn perform(&self, effect: Effect) -> impl Future<Output = Result<EffectOutcome, EffectError>> + Send;

    /// Whether this process performs such operations. The driver leaves the run to another process before one that it does
    /// not.
    fn can_perform(&self, _operation: &Operation) -> bool {
        true
    }

    /// Sees what happens to all steps, also to those without effects. Only previews need it.
    fn observe(&self, _plan: &ExecutionPlan, _events: &[StepEvent]) {}
}

/// What an attempt returns.
#[derive(Clone, Debug, PartialEq)]
pub enum EffectOutcome {
    Completed(StepOutcome),
    /// The step waits for this run, which the driver starts.
    Call(Box<NewRun>),
}

impl From<StepOutcome> for EffectOutcome {
    fn from(outcome: StepOutcome) -> Self {
        Self::Completed(outcome)
    }
}

/// How an attempt ends that starts no run.
pub type EffectResult = Result<StepOutcome, EffectError>;

/// One attempt of an effect.
#[derive(Clone, Debug)]
pub struct Effect {
    /// The path of the step.
    pub step: String,
    pub operation: Arc<Operation>,
    /// From 1.
    pub attempt: u32,
    /// Whether the retry policy of the node allows no further attempt.
    pub is_last_attempt: bool,
    /// The driver drops the attempt after this time.
    pub timeout: Duration,
    /// The same if an uncertain attempt is repeated, and another for the next attempt.
    pub idempotency_key: String,
}

/// The error code of an attempt that took too long.
const TIMEOUT: &str = "timeout";

/// Why an attempt failed.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectError {
    pub error: StepError,
    /// Whether another attempt may succeed.
    pub retry: RetryHint,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryHint {
    Never,
    /// After the wait that the node's policy sets, and not before this time has passed.
    After(Duration),
    /// The attempt may have taken place, so the node's policy for uncertain attempts decides.
    Uncertain,
}

/// A run that this process holds.
pub struct ClaimedRun {
    pub facts: RunFacts,
    pub plan: Arc<ExecutionPlan>,
    /// The step of the trigger that fired.
    pub trigger: usize,
    pub log: Vec<RunEvent>,
    /// How many processes in a row crashed with this run.
    pub crashes: u32,
}

/// The time that a process has for a run.
pub struct Shift {
    pub clock: Clock,
    /// An effect begins only if its timeout ends before.
    pub ends_at: Time,
    /// Is canceled when the process stops. The shift then ends early: see [`STOP_PATIENCE`].
    pub stop: CancellationToken,
    pub suspects: SuspectGate,
}

/// Lets the runs of a process perform one suspected attempt at a time, over all of them. Without it, a run that crashes
/// the process again and again would make the other runs of the process fail too.
#[derive(Clone, Debug)]
pub struct SuspectGate(Arc<Semaphore>);

impl SuspectGate {
    /// The permit for one attempt, unless another one has it.
    pub fn try_enter(&self) -> Option<OwnedSemaphorePermit> {
        self.0.clone().try_acquire_owned().ok()
    }
}

impl Default for SuspectGate {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(1)))
    }
}

/// How a process left a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    Ended,
    Parked { wake_at: Option<Time> },
    HandedOver,
    Lost,
}

#[cfg(test)]
mod tests;
