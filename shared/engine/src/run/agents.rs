//! Agents: the calls that an agent makes are effects of its step, with paths and results of their own.

use std::sync::Arc;

use serde_json::Value;

use super::scope::check_value;
use super::steps::too_many_steps;
use super::{DueEffect, Execution, MAX_STEPS, ScopePath, StepError, StepEvent, StepOutcome, StepPath};
use crate::agent::{AgentEnd, AgentLimits, AgentRun, FunctionExecutor};
use crate::nodes::OUT;
use crate::nodes::agent::AgentNode;
use domain::chat::Message;

/// The code of the error of an agent that does not make the calls of its log.
pub const LOG_MISMATCH: &str = "log_mismatch";

impl Execution {
    pub(super) fn begin_agent(&mut self, path: StepPath, node: AgentNode<String>) {
        let AgentNode { agent_id, message, memory, max_steps, max_tokens } = node;
        let default = AgentLimits::default();
        let limits = AgentLimits {
            max_steps: max_steps.unwrap_or(default.max_steps),
            max_tokens: max_tokens.unwrap_or(default.max_tokens),
        };
        self.activate(&path);
        let run = AgentRun::new(agent_id.into(), vec![Message::user(message)], limits, FunctionExecutor::Person);
        self.agents.insert(path.clone(), if memory.unwrap_or(true) { run.with_memory() } else { run });
        self.continue_agent(&path);
    }

    /// Reports the result of a call to its agent.
    pub(super) fn finish_call(&mut self, path: &StepPath, number: usize, result: Result<StepOutcome, StepError>) {
        let result = result.and_then(|outcome| check_value(&outcome.value).map(|()| outcome));
        if let Ok(outcome) = &result {
            self.count_output(path, &outcome.value);
        }
        let step = path.without_call();
        let Some(agent) = self.agents.get_mut(&step) else { return };
        agent.finish(number, result.as_ref().map(|outcome| &*outcome.value));
        self.events.push(match result {
            Ok(outcome) => StepEvent::Completed { path: path.clone(), outcome },
            Err(error) => StepEvent::Failed { path: path.clone(), error },
        });
        self.continue_agent(&step);
    }

    /// Ends an agent whose log has the result of a call that it does not make. Without this, the agent would wait forever.
    pub(super) fn fail_mismatched_agent(&mut self, step: &StepPath) {
        self.cancel_calls(step);
        let message = "the log has other calls than the agent makes; an update of the platform changed its execution";
        self.complete(step.clone(), Err(StepError::new(LOG_MISMATCH, message)));
    }

    /// Takes over the calls that an agent wants to make, and ends its step once it has an answer.
    fn continue_agent(&mut self, path: &StepPath) {
        let Some(agent) = self.agents.get_mut(path) else { return };
        let (calls, end) = (agent.take_due(), agent.end().cloned());
        for call in calls {
            let path = path.with_call(call.number);
            self.steps += 1;
            if self.steps > MAX_STEPS {
                return self.fail_scope(&ScopePath::default(), path.step, too_many_steps());
            }
            // A request to a model has the whole conversation.
            self.charge_bytes(call.work.memory());
            if self.take_recorded(&path) {
                // Its result is reported soon.
                continue;
            }
            let (work, action) = (call.work, Some(call.action));
            self.due.push(DueEffect { path, work, action, input: Arc::default() });
        }
        let Some(end) = end else { return };
        self.cancel_calls(path);
        let answer = end.and_then(|end| match end {
            AgentEnd::Answered(text) => Ok(StepOutcome::new(OUT, Value::String(text))),
            AgentEnd::Functions(_) => Err(StepError::new("internal_error", "the agent waits for its caller")),
        });
        self.complete(path.clone(), answer);
    }

    /// Removes an agent, and cancels its calls.
    pub(super) fn cancel_calls(&mut self, path: &StepPath) {
        let Some(agent) = self.agents.remove(path) else { return };
        for number in agent.open_calls() {
            self.events.push(StepEvent::Canceled { path: path.with_call(number) });
        }
    }
}
