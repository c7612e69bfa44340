//! The steps of an invocation, of which a limited size is kept.

use std::sync::{Arc, Mutex, PoisonError};

use domain::agent::InvocationStep;
use domain::id::RunId;
use domain::run::{AgentAction, StepError};
use domain::time::Clock;
use serde_json::Value;

use crate::outputs::{KeptValue, MAX_OUTPUTS_BYTES};

/// The steps so far. They can be read while the invocation goes on, and after it was dropped.
#[derive(Clone)]
pub struct InvocationTrace {
    clock: Clock,
    steps: Arc<Mutex<TracedSteps>>,
}

struct TracedSteps {
    steps: Vec<InvocationStep>,
    /// The size that may still be kept.
    left: usize,
}

impl InvocationTrace {
    pub fn new(clock: Clock) -> Self {
        let steps = TracedSteps { steps: Vec::new(), left: MAX_OUTPUTS_BYTES };
        Self { clock, steps: Arc::new(Mutex::new(steps)) }
    }

    pub fn take(&self) -> Vec<InvocationStep> {
        self.with(|traced| std::mem::take(&mut traced.steps))
    }

    pub(crate) fn begin(&self, step: &str, action: &AgentAction) {
        let step = InvocationStep {
            step: step.to_owned(),
            action: action.clone(),
            started_at: self.clock.now(),
            ended_at: None,
            run: None,
            output: None,
            omitted_bytes: None,
            error: None,
        };
        self.with(|traced| traced.steps.push(step));
    }

    pub(crate) fn start_run(&self, step: &str, run: RunId) {
        self.change(step, |step, _| step.run = Some(run));
    }

    pub(crate) fn end(&self, step: &str, result: &Result<Arc<Value>, StepError>) {
        let now = self.clock.now();
        self.change(step, |step, left| {
            step.ended_at = Some(now);
            match result {
                Ok(value) => match KeptValue::new(value, left).into_response() {
                    (value, None) => step.output = Some(value),
                    (_, omitted) => step.omitted_bytes = omitted.map(|bytes| bytes as u64),
                },
                Err(error) => step.error = Some(error.clone()),
            }
        });
    }

    fn change(&self, step: &str, change: impl FnOnce(&mut InvocationStep, &mut usize)) {
        self.with(|TracedSteps { steps, left }| {
            if let Some(found) = steps.iter_mut().find(|traced| traced.step == step) {
                change(found, left);
            }
        });
    }

    fn with<T>(&self, read: impl FnOnce(&mut TracedSteps) -> T) -> T {
        read(&mut self.steps.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
