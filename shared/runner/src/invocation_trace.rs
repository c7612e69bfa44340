//! The steps of an invocation, of which a limited size is kept. What the runs of its tools mask is hidden in its record too.

use std::sync::{Arc, Mutex, PoisonError};

use domain::agent::{InvocationContent, InvocationStep};
use domain::chat::Message;
use domain::id::RunId;
use domain::run::{AgentAction, StepError};
use domain::time::Clock;
use engine::drive::Masks;
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
    /// The parts that the runs of tools mask. The agent works with them.
    masks: Masks,
    /// The size that may still be kept.
    left: usize,
}

impl InvocationTrace {
    pub fn new(clock: Clock) -> Self {
        let steps = TracedSteps { steps: Vec::new(), masks: Masks::default(), left: MAX_OUTPUTS_BYTES };
        Self { clock, steps: Arc::new(Mutex::new(steps)) }
    }

    /// What is stored of an invocation that has ended. `error` is why it failed.
    pub fn take_content(
        &self,
        messages: &[Message],
        output: Option<String>,
        error: Option<&mut StepError>,
    ) -> InvocationContent {
        self.with(|TracedSteps { steps, masks, .. }| {
            let mut messages: Vec<Value> = messages.iter().map(to_value).collect();
            messages.iter_mut().for_each(|message| masks.hide_in_value(message));
            let mut steps = std::mem::take(steps);
            for step in &mut steps {
                step.output.iter_mut().for_each(|output| masks.hide_in_value(output));
                step.error.iter_mut().for_each(|error| masks.hide_in_error(error));
            }
            error.into_iter().for_each(|error| masks.hide_in_error(error));
            let output = output.map(|mut text| {
                masks.hide_in_text(&mut text);
                text
            });
            InvocationContent { messages, output, steps }
        })
    }

    /// Notes a part that the run of a tool masks.
    pub(crate) fn learn(&self, part: &Value) {
        self.with(|traced| traced.masks.learn(part));
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
        self.with(|TracedSteps { steps, left, .. }| {
            if let Some(found) = steps.iter_mut().find(|traced| traced.step == step) {
                change(found, left);
            }
        });
    }

    fn with<T>(&self, read: impl FnOnce(&mut TracedSteps) -> T) -> T {
        read(&mut self.steps.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn to_value(message: &Message) -> Value {
    serde_json::to_value(message).unwrap_or_default()
}
