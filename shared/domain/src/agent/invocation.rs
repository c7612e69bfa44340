//! Invocations: the direct calls of agents, as they are recorded.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::super::id::{InvocationId, RunId, UserId};
use super::super::run::{AgentAction, StepError};
use super::super::time::Time;
use crate::{Error, Result};

/// The longest invocation. API Gateway ends a stream after 300 seconds.
pub const LONGEST_INVOCATION: Duration = Duration::from_secs(285);
/// After this time, an invocation without an end has lost its process.
const LOST_AFTER: Duration = Duration::from_secs(330);

/// A direct call of an agent, without its conversation and its steps.
#[derive(Clone, Debug, PartialEq)]
pub struct InvocationRecord {
    pub id: InvocationId,
    pub invoked_by: UserId,
    pub state: InvocationState,
    pub ended_at: Option<Time>,
    /// Why it failed.
    pub error: Option<StepError>,
    pub erased_at: Option<Time>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum InvocationState {
    Running,
    /// The agent answered, or calls functions that its caller executes
    Completed,
    Failed,
    /// The client closed the connection before the answer
    Cancelled,
    /// The process ended before the answer
    Interrupted,
}

impl InvocationState {
    /// The state that is stored. An interrupted invocation could not store its end.
    pub fn stored(self) -> Self {
        match self {
            Self::Interrupted => Self::Running,
            state => state,
        }
    }
}

impl InvocationRecord {
    pub fn new(id: InvocationId, invoked_by: UserId) -> Self {
        Self { id, invoked_by, state: InvocationState::Running, ended_at: None, error: None, erased_at: None }
    }

    pub fn started_at(&self) -> Time {
        Time::from_uuid(self.id.uuid())
    }

    #[must_use]
    pub fn ended(self, end: InvocationEnd, at: Time) -> Self {
        let (state, error) = match end {
            InvocationEnd::Answered => (InvocationState::Completed, None),
            InvocationEnd::Failed(error) => (InvocationState::Failed, Some(error)),
            InvocationEnd::Cancelled => (InvocationState::Cancelled, None),
        };
        Self { state, error, ended_at: Some(at), ..self }
    }

    /// The record as it is seen at this time.
    #[must_use]
    pub fn seen_at(self, now: Time) -> Self {
        match self.state {
            InvocationState::Running if self.started_at().plus(LOST_AFTER) <= now => {
                Self { state: InvocationState::Interrupted, ..self }
            }
            _ => self,
        }
    }

    pub fn check_erasable(&self) -> Result<()> {
        match self.state {
            InvocationState::Running => Err(Error::invalid_state("the invocation is in progress; wait for its end")),
            _ => Ok(()),
        }
    }
}

/// How an invocation ends.
#[derive(Clone, Debug, PartialEq)]
pub enum InvocationEnd {
    Answered,
    Failed(StepError),
    Cancelled,
}

/// The conversation and the steps of an invocation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct InvocationContent {
    /// The conversation, without the instructions of the agent.
    pub messages: Vec<Value>,
    pub output: Option<String>,
    pub steps: Vec<InvocationStep>,
}

/// What the agent has done: it read an agent, searched its sources, or called a model or a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InvocationStep {
    /// The number of the call, as in the request ids of its charges.
    pub step: String,
    pub action: AgentAction,
    pub started_at: Time,
    pub ended_at: Option<Time>,
    /// The run of the workflow that a tool has started.
    pub run: Option<RunId>,
    pub output: Option<Value>,
    /// The size of an output that is too large to be kept.
    pub omitted_bytes: Option<u64>,
    pub error: Option<StepError>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invocation_that_lost_its_process_is_interrupted() {
        let record = InvocationRecord::new(InvocationId::new(), UserId::new());
        let started_at = record.started_at();
        let state_after = |seconds| record.clone().seen_at(started_at.plus(Duration::from_secs(seconds))).state;
        assert_eq!((state_after(329), state_after(330)), (InvocationState::Running, InvocationState::Interrupted));
        let ended = record.clone().ended(InvocationEnd::Cancelled, started_at);
        assert_eq!(ended.seen_at(started_at.plus(LOST_AFTER)).state, InvocationState::Cancelled);
        assert!(record.check_erasable().is_err());
    }
}
