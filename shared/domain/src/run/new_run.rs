//! A run that is to be started.

use serde_json::Value;

use super::{RunEventKind, RunOrigin, RunStarter, RunThread};
use crate::id::{ReleaseId, RunId, UserId, WebhookId, WorkflowId};
use crate::identity::Account;
use crate::retention::RunRetention;
use crate::time::Time;
use crate::webhook::WebhookEvent;

#[derive(Clone, Debug, PartialEq)]
pub struct NewRun {
    pub id: RunId,
    pub account: Account,
    /// See [`StartableRelease::payer`].
    pub payer: Option<UserId>,
    pub workflow: WorkflowId,
    pub release: ReleaseId,
    pub release_number: u64,
    pub origin: RunOrigin,
    /// Who starts the run with an assistant.
    pub started_by: Option<RunStarter>,
    /// The planned time, if a schedule starts the run.
    pub scheduled_at: Option<Time>,
    /// The id of the trigger node.
    pub trigger: String,
    pub input: Value,
    /// A run that another run starts is kept as long as that one.
    pub retention: RunRetention,
    /// The call of a webhook that starts the run. It is stored with the run.
    pub webhook_call: Option<(WebhookId, WebhookEvent)>,
    /// The step of another run that waits for this one.
    pub parent: Option<ParentStep>,
    /// Set if the run repeats a part of another one.
    pub retry: Option<RunRetry>,
    /// The conversation of the message that starts the run.
    pub thread: Option<RunThread>,
}

/// What a run takes over from the run that it repeats.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRetry {
    pub of: RunId,
    /// The events after `RunQueued`.
    pub events: Vec<RunEventKind>,
}

/// The active release of a workflow that may start runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartableRelease {
    /// The account under which the workflow is stored.
    pub account: Account,
    /// Who pays for the runs, if that is another user: the owner of the workflow.
    pub payer: Option<UserId>,
    pub workflow: WorkflowId,
    pub release: ReleaseId,
    pub number: u64,
}

impl StartableRelease {
    /// The account that pays for its runs.
    pub fn payer(&self) -> Account {
        Account { org: self.account.org, user: self.payer.unwrap_or(self.account.user) }
    }
}

impl NewRun {
    /// The run with the retention of a plan.
    #[must_use]
    pub fn with_retention(self, retention: RunRetention) -> Self {
        Self { retention, ..self }
    }

    /// A run with a new id and the usual retention, without a webhook call and a parent.
    pub fn new(release: StartableRelease, origin: RunOrigin, trigger: String, input: Value) -> Self {
        let StartableRelease { account, payer, workflow, release, number } = release;
        Self {
            id: RunId::new(),
            account,
            payer,
            workflow,
            release,
            release_number: number,
            origin,
            started_by: None,
            scheduled_at: None,
            trigger,
            input,
            retention: RunRetention::default(),
            webhook_call: None,
            parent: None,
            retry: None,
            thread: None,
        }
    }
}

/// A step that runs another workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParentStep {
    pub run: RunId,
    /// The path of the step.
    pub step: String,
    /// The number of ancestors of the new run, from 1.
    pub depth: u32,
    /// The first of these ancestors.
    pub root: RunId,
}
