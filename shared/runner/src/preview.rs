//! Previews: a draft is carried out within a request, and is recorded nowhere.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;

use domain::id::RunId;
use domain::run::{RunError, RunEvent, RunEventKind, RunValue};
use domain::time::Clock;
use domain::{Error, Result};
use engine::compile::ExecutionPlan;
use engine::drive::{ClaimedRun, Departure, Effects, Shift, SuspectGate, drive};
use engine::run::RunFacts;
use futures::future::{AbortHandle, Abortable};
use platform::telemetry::carry;
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::Span;

use crate::memory::{MemoryJournal, MemoryLog};
use crate::outputs::{KeptValue, MAX_OUTPUT_BYTES, ObservedEffects, OutputLog, StepOutputs};

/// Longer than any preview, so that attempts with long timeouts begin too. The limit of the preview ends them.
const SHIFT: Duration = Duration::from_secs(60 * 60);

pub struct Preview {
    /// A new id for each preview. Expressions read it as `run.id`; idempotency keys derive from it.
    pub id: RunId,
    pub plan: Arc<ExecutionPlan>,
    /// The step of the trigger that fires.
    pub trigger: usize,
    pub input: Value,
    pub clock: Clock,
}

/// What happened in a preview.
pub struct PreviewReport {
    pub events: Vec<RunEvent>,
    /// The outputs of the steps that have completed.
    pub outputs: StepOutputs,
    pub end: PreviewEnd,
}

#[derive(Debug, PartialEq)]
pub enum PreviewEnd {
    Completed {
        output: KeptValue,
    },
    Failed(RunError),
    /// Only a person could continue.
    Waiting,
    /// The limit has passed. The effects in progress were dropped.
    Timeout,
}

impl Preview {
    /// Carries out the preview, for at most `limit`. If the caller is dropped, the effects in progress are dropped too.
    pub async fn carry_out<E: Effects + Send + 'static>(self, effects: E, limit: Duration) -> Result<PreviewReport> {
        let Self { id, plan, trigger, input, clock } = self;
        let now = clock.now();
        let queued = RunEvent { at: now, kind: RunEventKind::RunQueued { input: RunValue::Value(input) } };
        let run =
            ClaimedRun { facts: RunFacts::new(id.to_string(), now), plan, trigger, log: vec![queued], crashes: 0 };
        let ends_at = clock.now().plus(SHIFT);
        let shift =
            Shift { ends_at, clock: clock.clone(), stop: CancellationToken::new(), suspects: SuspectGate::default() };
        let (log, outputs) = (MemoryLog::default(), OutputLog::new());
        let effects = ObservedEffects { effects, log: outputs.clone() };
        let mut journal = MemoryJournal::new(log.clone(), clock);
        let (abort, registration) = AbortHandle::new_pair();
        let _abort = AbortOnDrop(abort);
        let (runtime, span) = (Handle::current(), Span::current());
        let drive = carry(async move { drive(run, shift, &mut journal, &effects).await });
        // On a blocking thread, because expressions may use seconds of processor time without an await. The response is sent
        // at the limit; the work stops at its next await.
        let carried_out =
            spawn_blocking(move || span.in_scope(|| runtime.block_on(Abortable::new(Box::pin(drive), registration))));
        let departure = match timeout(limit, carried_out).await {
            Err(_) => None,
            Ok(Ok(departure)) => Some(departure.map_err(Error::internal)??),
            Ok(Err(failure)) => match failure.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(cancelled) => return Err(Error::internal(cancelled)),
            },
        };
        let mut events = log.take();
        let end = match departure {
            Some(Departure::Ended) => take_end(&mut events)?,
            Some(Departure::Parked { .. }) => PreviewEnd::Waiting,
            Some(Departure::HandedOver) | None => PreviewEnd::Timeout,
            Some(Departure::Lost) => return Err(Error::internal("a preview was lost")),
        };
        Ok(PreviewReport { events, outputs: outputs.take(), end })
    }
}

fn take_end(events: &mut Vec<RunEvent>) -> Result<PreviewEnd> {
    match events.pop().map(|event| event.kind) {
        Some(RunEventKind::RunCompleted { output: RunValue::Value(output) }) => {
            let mut left = MAX_OUTPUT_BYTES;
            Ok(PreviewEnd::Completed { output: KeptValue::new(&Arc::new(output), &mut left) })
        }
        Some(RunEventKind::RunFailed { error }) => Ok(PreviewEnd::Failed(error)),
        other => Err(Error::internal(format!("a preview ended with {other:?}"))),
    }
}

struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}
