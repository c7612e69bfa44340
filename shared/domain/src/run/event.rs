//! The events of a run's log. The log is the whole truth about a run: its state is computed from it again after a crash.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AgentAction, RunError, StepError};
use crate::id::RunId;
use crate::time::Time;

/// One event. Events are numbered from 1 without gaps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunEvent {
    pub at: Time,
    #[serde(flatten)]
    pub kind: RunEventKind,
}

/// What happened. `step` is the path of a step, such as `lines[2]/send`: the node `send` in the third iteration of the
/// loop `lines`. The calls of an agent are steps, too: `ask[0]` is the first call of the node `ask`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RunEventKind {
    RunQueued {
        input: RunValue,
    },
    /// An attempt of an effect begins. It is written before the effect, so an attempt without a result may have taken
    /// place.
    StepStarted {
        step: String,
        attempt: u32,
        /// What an agent does in this step.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        action: Option<AgentAction>,
    },
    /// An attempt failed, and the next one begins at `next_at`.
    StepRetried {
        step: String,
        attempt: u32,
        error: StepError,
        next_at: Time,
    },
    /// The process stopped in an orderly way in the middle of the attempt, which may have taken place. Such an end is no
    /// crash.
    StepInterrupted {
        step: String,
        attempt: u32,
    },
    /// The step waits until a time.
    StepDelayed {
        step: String,
        until: Time,
    },
    /// The step waits for a person, at most until `expires_at`.
    StepAsked {
        step: String,
        expires_at: Time,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        action: Option<AgentAction>,
    },
    /// The step has started another run, and waits for its end, at most until a time.
    StepCalled {
        step: String,
        attempt: u32,
        run_id: RunId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        until: Option<Time>,
    },
    StepCompleted {
        step: String,
        port: String,
        /// The value of an effect. Other values are computed again from those of the effects.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output: Option<RunValue>,
        /// The port is a choice, which a later version of the engine must not make again.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        chosen: bool,
    },
    StepFailed {
        step: String,
        error: StepError,
    },
    StepSkipped {
        step: String,
    },
    /// The step had begun, and its result no longer matters.
    StepCanceled {
        step: String,
    },
    /// The branch whose value a `merge` took, as the index of its connection.
    BranchWon {
        step: String,
        connection: usize,
    },
    RunCompleted {
        output: RunValue,
    },
    RunFailed {
        error: RunError,
    },
    RunCancelled,
}

impl RunEventKind {
    /// The name of the type, as it is stored.
    pub fn name(&self) -> &'static str {
        match self {
            Self::RunQueued { .. } => "run_queued",
            Self::StepStarted { .. } => "step_started",
            Self::StepRetried { .. } => "step_retried",
            Self::StepInterrupted { .. } => "step_interrupted",
            Self::StepDelayed { .. } => "step_delayed",
            Self::StepAsked { .. } => "step_asked",
            Self::StepCalled { .. } => "step_called",
            Self::StepCompleted { .. } => "step_completed",
            Self::StepFailed { .. } => "step_failed",
            Self::StepSkipped { .. } => "step_skipped",
            Self::StepCanceled { .. } => "step_canceled",
            Self::BranchWon { .. } => "branch_won",
            Self::RunCompleted { .. } => "run_completed",
            Self::RunFailed { .. } => "run_failed",
            Self::RunCancelled => "run_cancelled",
        }
    }

    /// The step that the event is about.
    pub fn step(&self) -> Option<&str> {
        match self {
            Self::StepStarted { step, .. }
            | Self::StepRetried { step, .. }
            | Self::StepInterrupted { step, .. }
            | Self::StepDelayed { step, .. }
            | Self::StepAsked { step, .. }
            | Self::StepCalled { step, .. }
            | Self::StepCompleted { step, .. }
            | Self::StepFailed { step, .. }
            | Self::StepSkipped { step }
            | Self::StepCanceled { step }
            | Self::BranchWon { step, .. } => Some(step),
            Self::RunQueued { .. } | Self::RunCompleted { .. } | Self::RunFailed { .. } | Self::RunCancelled => None,
        }
    }

    /// The value that the event carries.
    pub fn value(&self) -> Option<&RunValue> {
        match self {
            Self::RunQueued { input } => Some(input),
            Self::StepCompleted { output, .. } => output.as_ref(),
            Self::RunCompleted { output } => Some(output),
            _ => None,
        }
    }

    pub fn value_mut(&mut self) -> Option<&mut RunValue> {
        match self {
            Self::RunQueued { input } => Some(input),
            Self::StepCompleted { output, .. } => output.as_mut(),
            Self::RunCompleted { output } => Some(output),
            _ => None,
        }
    }

    /// The value that the event carries, unless it is an object in the bucket.
    pub fn inline_value_mut(&mut self) -> Option<&mut Value> {
        match self.value_mut()? {
            RunValue::Value(value) => Some(value),
            RunValue::Object(_) => None,
        }
    }

    /// The step that ended, if it may have performed an effect.
    pub fn ended_effect(&self) -> Option<&str> {
        match self {
            Self::StepCompleted { step, output: Some(_), .. } => Some(step),
            Self::StepFailed { step, .. } | Self::StepCanceled { step } => Some(step),
            _ => None,
        }
    }

    /// Whether this is the last event of a run.
    pub fn ends_run(&self) -> bool {
        matches!(self, Self::RunCompleted { .. } | Self::RunFailed { .. } | Self::RunCancelled)
    }
}

/// The id of the node of a step: `send` for `lines[2]/send`, and `ask` for `ask[0]`.
pub fn node_id_of(step: &str) -> &str {
    let last = step.rsplit('/').next().unwrap_or_default();
    last.split('[').next().unwrap_or_default()
}

/// A value of a run. Large values are objects in the bucket.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunValue {
    Value(Value),
    /// The name of the object, which is the value as JSON.
    Object(String),
}

impl RunValue {
    /// The value, unless it is an object in the bucket.
    pub fn into_inline(self) -> Option<Value> {
        match self {
            Self::Value(value) => Some(value),
            Self::Object(_) => None,
        }
    }
}
