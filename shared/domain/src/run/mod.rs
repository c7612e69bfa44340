//! Runs: each is one execution of a release of a workflow.

mod agent_action;
mod channel;
mod commit;
mod event;
mod exchange;
mod hold;
pub mod masking;
mod new_run;
mod review;
mod starter;
mod step_error;
mod thread;
mod uncertain;

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::id::{ReleaseId, RunId, UserId, WorkflowId};
use super::identity::Account;
use super::language::Language;
use super::retention::RunRetention;
use super::time::Time;
use crate::{Error, Result};

pub use agent_action::{AgentAction, AgentActionKind};
pub use channel::RunChannel;
pub use commit::Commit;
pub use event::{RunEvent, RunEventKind, RunValue, node_id_of};
pub use exchange::ExchangeDetector;
pub use hold::{Hold, Parking};
pub use new_run::{NewRun, ParentStep, RunRetry, StartableRelease};
pub use review::{NewReview, QuestionKind, ReviewAnswer, ReviewField, ReviewFieldType, ReviewRequest};
pub use starter::{AssistantClient, RunStarter};
pub use step_error::StepError;
pub use thread::RunThread;
pub use uncertain::OnUncertain;

/// A crash of the process that carries out a run is recovered this many times in a row. After one more, the run fails.
pub const MAX_CRASHES: u32 = 5;

#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub id: RunId,
    /// The account under which the workflow is stored.
    pub account: Account,
    /// Who pays, if that is not the user of the account: the owner of the workflow when the run began.
    pub payer: Option<UserId>,
    pub workflow: WorkflowId,
    pub release: ReleaseId,
    pub release_number: u64,
    pub origin: RunOrigin,
    /// Who started the run with an assistant.
    pub started_by: Option<RunStarter>,
    /// The planned time, if a schedule started the run. A run that repeats another one, or that a step starts, has the time
    /// of that run.
    pub scheduled_at: Option<Time>,
    /// The id of the trigger node that fired.
    pub trigger: String,
    pub state: RunState,
    pub started_at: Option<Time>,
    pub ended_at: Option<Time>,
    pub error: Option<RunError>,
    /// When the user erased the values of the run.
    pub erased_at: Option<Time>,
    /// The step that waits for this run, if another run started it.
    pub parent: Option<ParentStep>,
    /// The run that this one repeats in part.
    pub retry_of: Option<RunId>,
    pub retention: RunRetention,
    /// The conversation of the message that started the run.
    pub thread: Option<RunThread>,
    /// The number of exchanges with models, other systems and people that have begun.
    pub exchange_count: u64,
}

impl Run {
    /// What started the run, such as `by a webhook`.
    pub fn describe_start(&self, language: Language) -> &'static str {
        let (english, spanish) = match self.origin {
            _ if self.parent.is_some() => ("by another run", "por otra ejecución"),
            _ if self.retry_of.is_some() => ("to repeat another one", "para repetir otra"),
            RunOrigin::Manual => ("by hand", "a mano"),
            RunOrigin::Webhook => ("by a webhook", "por un webhook"),
            RunOrigin::Scheduled => ("by a schedule", "por una programación"),
            RunOrigin::Channel => ("by a message", "por un mensaje"),
            RunOrigin::Mcp => ("by an assistant", "por un asistente"),
        };
        language.choose(english, spanish)
    }

    /// The account that pays for the run.
    pub fn payer(&self) -> Account {
        Account { org: self.account.org, user: self.payer.unwrap_or(self.account.user) }
    }

    pub fn queued_at(&self) -> Time {
        Time::from_uuid(self.id.uuid())
    }

    /// The time between the first claim and the end of the run.
    pub fn duration(&self) -> Option<Duration> {
        self.started_at.zip(self.ended_at).map(|(started_at, ended_at)| started_at.until(ended_at))
    }

    /// The run that no step of another run has started, among this one and its ancestors.
    pub fn root(&self) -> RunId {
        self.parent.as_ref().map_or(self.id, |parent| parent.root)
    }

    /// Checks whether the run has ended, so that its values can be erased.
    pub fn check_erasable(&self) -> Result<()> {
        match self.state.has_ended() {
            true => Ok(()),
            false => Err(Error::invalid_state("the run is in progress; cancel or stop it first")),
        }
    }

    /// Checks whether the log of the run is still there.
    pub fn check_not_erased(&self) -> Result<()> {
        match self.erased_at {
            None => Ok(()),
            Some(_) => Err(Error::invalid_state("the values and the events of the run were erased")),
        }
    }

    /// Checks whether the state allows cancelling the run: only before it begins.
    pub fn check_cancellable(&self) -> Result<()> {
        match self.state {
            RunState::Queued => Ok(()),
            RunState::Running | RunState::Paused => Err(Error::invalid_state("the run has begun; stop it instead")),
            _ => Err(has_ended()),
        }
    }

    /// Checks whether the state allows stopping the run: only after it has begun.
    pub fn check_stoppable(&self) -> Result<()> {
        match self.state {
            RunState::Running | RunState::Paused => Ok(()),
            RunState::Queued => Err(Error::invalid_state("the run has not begun; cancel it instead")),
            _ => Err(has_ended()),
        }
    }
}

/// A step of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunStep {
    pub run: RunId,
    /// The workflow of the run. An agent that was called directly has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<WorkflowId>,
    /// The path of the step.
    pub path: String,
}

/// What ends the wait of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Review(ReviewAnswer),
    /// The end of the run that the step has started.
    Run(RunEnd),
}

pub fn has_ended() -> Error {
    Error::invalid_state("the run has ended")
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RunState {
    Queued,
    Running,
    /// The run waits for a time, for the decision of a person, or for another run
    Paused,
    Completed,
    Failed,
    Cancelled,
}

impl RunState {
    pub const ALL: [Self; 6] =
        [Self::Queued, Self::Running, Self::Paused, Self::Completed, Self::Failed, Self::Cancelled];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    pub fn has_ended(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// What started a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RunOrigin {
    Manual,
    Webhook,
    Scheduled,
    Channel,
    /// A call of a tool at the MCP server
    Mcp,
}

impl RunOrigin {
    pub const ALL: [Self; 5] = [Self::Manual, Self::Webhook, Self::Scheduled, Self::Channel, Self::Mcp];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Webhook => "webhook",
            Self::Scheduled => "scheduled",
            Self::Channel => "channel",
            Self::Mcp => "mcp",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunError {
    pub code: String,
    pub message: String,
    /// The node that failed; none if the run failed as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_id: Option<String>,
}

impl RunError {
    /// The message with the node that failed. `run` names the run in the same language.
    pub fn describe(&self, run: &str, language: Language) -> String {
        let at_node = |id: &String| language.choose(format!(" at the node `{id}`"), format!(" en el nodo `{id}`"));
        let place = self.node_id.as_ref().map(at_node).unwrap_or_default();
        format!("{run} {}{place}: {}", language.choose("failed", "falló"), self.message)
    }
}

/// How a run ends.
#[derive(Clone, Debug, PartialEq)]
pub enum RunEnd {
    Completed { output: Arc<Value> },
    Failed(RunError),
    Cancelled,
}

impl RunEnd {
    pub fn state(&self) -> RunState {
        match self {
            Self::Completed { .. } => RunState::Completed,
            Self::Failed(_) => RunState::Failed,
            Self::Cancelled => RunState::Cancelled,
        }
    }

    pub fn error(&self) -> Option<RunError> {
        match self {
            Self::Failed(error) => Some(error.clone()),
            Self::Completed { .. } | Self::Cancelled => None,
        }
    }

    /// Puts the originals in the place of the masked parts of the output, and shows them to `found`.
    pub fn unmask(&mut self, found: &mut impl FnMut(&Value)) {
        if let Self::Completed { output } = self
            && masking::has_masked_parts(output)
        {
            masking::unmask(Arc::make_mut(output), found);
        }
    }

    /// The last event of the run.
    pub fn event(&self) -> RunEventKind {
        match self {
            Self::Completed { output } => RunEventKind::RunCompleted { output: RunValue::Value((**output).clone()) },
            Self::Failed(error) => RunEventKind::RunFailed { error: error.clone() },
            Self::Cancelled => RunEventKind::RunCancelled,
        }
    }
}
