//! Invocations: an agent is executed within a request. If its process ends, it is not continued.

use std::sync::Arc;
use std::time::Duration;

use domain::graph::hash;
use domain::id::RunId;
use domain::run::{AgentAction, NewRun, StepError};
use engine::agent::{AgentCall, AgentRun};
use engine::drive::{Effect, EffectError, EffectOutcome, Effects, RetryHint, describe_end};
use engine::nodes::{DueWork, Operation};
use futures::stream::{FuturesUnordered, StreamExt};
use serde_json::{Value, json};
use store::Runs;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};

use crate::invocation_trace::InvocationTrace;
use crate::waiting::wait_for_end;

/// What happens in an invocation.
#[derive(Clone, Debug, PartialEq)]
pub enum InvocationEvent {
    Began {
        /// The number of the call.
        step: String,
        action: AgentAction,
    },
    /// A piece of the text that a model is writing.
    Text {
        step: String,
        text: String,
    },
    Ended {
        step: String,
        result: Result<Arc<Value>, StepError>,
    },
}

pub type InvocationEvents = mpsc::Sender<InvocationEvent>;

/// How often a model is asked if it may answer later. The tools are not called again.
const MAX_ATTEMPTS: u32 = 3;
const SHORTEST_BACKOFF: Duration = Duration::from_secs(1);
const LONGEST_BACKOFF: Duration = Duration::from_secs(20);

struct EndedCall {
    number: usize,
    work: DueWork,
    result: Result<Arc<Value>, StepError>,
}

/// A run that a tool has started. It is stopped if nobody needs its end.
struct StartedRun {
    runs: Runs,
    id: RunId,
    has_ended: bool,
}

impl Drop for StartedRun {
    fn drop(&mut self) {
        if !self.has_ended {
            let (runs, id) = (self.runs.clone(), self.id);
            tokio::spawn(async move {
                if let Err(error) = runs.stop_all(&[id]).await {
                    tracing::warn!(?error, run_id = %id, "the run of a tool was not stopped");
                }
            });
        }
    }
}

/// What the caller sees of a result. The configuration of an agent is not shown.
fn shown_result(work: &DueWork, value: Arc<Value>) -> Arc<Value> {
    match work {
        DueWork::Perform(operation) if matches!(**operation, Operation::LoadAgent(_)) => {
            let mut shown = json!({"name": value["name"], "type": value["type"]});
            if let Some(left_out) = value.get("leftOut") {
                shown["leftOut"] = left_out.clone();
            }
            Arc::new(shown)
        }
        _ => value,
    }
}

pub struct Invocation<'a, E> {
    /// A new id for each invocation. Its idempotency keys and its usage have it.
    pub id: RunId,
    pub effects: &'a E,
    /// Starts the workflows that the agent uses as tools.
    pub runs: &'a Runs,
    pub events: Option<&'a InvocationEvents>,
    pub trace: &'a InvocationTrace,
}

impl<E: Effects> Invocation<'_, E> {
    /// Executes an agent to its end.
    pub async fn carry_out(&self, mut agent: AgentRun) -> AgentRun {
        let mut in_progress = FuturesUnordered::new();
        loop {
            for call in agent.take_due() {
                let step = call.number.to_string();
                self.trace.begin(&step, &call.action);
                self.send(InvocationEvent::Began { step, action: call.action.clone() }).await;
                in_progress.push(self.perform(call));
            }
            if agent.end().is_some() {
                return agent;
            }
            let Some(EndedCall { number, work, result }) = in_progress.next().await else { return agent };
            let (step, shown) = (number.to_string(), result.clone().map(|value| shown_result(&work, value)));
            self.trace.end(&step, &shown);
            self.send(InvocationEvent::Ended { step, result: shown }).await;
            agent.finish(number, result.as_deref());
        }
    }

    async fn perform(&self, call: AgentCall) -> EndedCall {
        let AgentCall { number, work, .. } = call;
        let DueWork::Perform(operation) = &work else {
            let error = StepError::new("not_available", "an agent that is called directly does not wait");
            return EndedCall { number, work, result: Err(error) };
        };
        let limit = operation.defaults().timeout;
        let asks_model = matches!(**operation, Operation::AskModel(_));
        let mut attempt = 1;
        let result = loop {
            let effect = Effect {
                step: number.to_string(),
                operation: operation.clone(),
                attempt,
                is_last_attempt: true,
                timeout: limit,
                idempotency_key: hash(&json!([self.id, number, attempt])),
            };
            match timeout(limit, self.effects.perform(effect)).await {
                Err(_) => {
                    break Err(StepError::new("timeout", format!("the call took longer than {} s", limit.as_secs())));
                }
                Ok(Err(EffectError { retry: RetryHint::After(wait), .. }))
                    if asks_model && attempt < MAX_ATTEMPTS && wait <= LONGEST_BACKOFF =>
                {
                    sleep(wait.max(SHORTEST_BACKOFF)).await;
                    attempt += 1;
                }
                Ok(Err(error)) => break Err(error.error),
                Ok(Ok(EffectOutcome::Completed(outcome))) => break Ok(outcome.value),
                Ok(Ok(EffectOutcome::Call(new))) => break self.call(number, *new).await,
            }
        };
        EndedCall { number, work, result }
    }

    /// Starts the run of a workflow, and waits for its end.
    async fn call(&self, number: usize, new: NewRun) -> Result<Arc<Value>, StepError> {
        /// Longer than the limit of an invocation, which ends the wait first.
        const PATIENCE: Duration = Duration::from_secs(15 * 60);
        let mut run = StartedRun { runs: self.runs.clone(), id: new.id, has_ended: false };
        let unavailable = |error: domain::Error| StepError::new("unavailable", error.to_string());
        self.runs.start(new, None).await.map_err(unavailable)?;
        self.trace.start_run(&number.to_string(), run.id);
        let mut learn = |part: &Value| self.trace.learn(part);
        let end = wait_for_end(self.runs, run.id, Instant::now() + PATIENCE, &mut learn).await;
        match end.map_err(unavailable)? {
            Some(end) => {
                run.has_ended = true;
                describe_end(end)
            }
            None => Err(StepError::new("timeout", "the run of the workflow has not ended")),
        }
    }

    async fn send(&self, event: InvocationEvent) {
        if let Some(events) = self.events {
            // The reader may have left. The invocation ends with its request.
            let _ = events.send(event).await;
        }
    }
}
