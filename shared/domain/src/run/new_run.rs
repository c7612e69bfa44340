//! A run that is to be started.

use serde_json::Value;

use super::RunOrigin;
use crate::id::{ReleaseId, RunId, WebhookId, WorkflowId};
use crate::identity::Account;
use crate::webhook::WebhookEvent;

#[derive(Clone, Debug, PartialEq)]
pub struct NewRun {
    pub id: RunId,
    pub account: Account,
    pub workflow: WorkflowId,
    pub release: ReleaseId,
    pub release_number: u64,
    pub origin: RunOrigin,
    /// The id of the trigger node.
    pub trigger: String,
    pub input: Value,
    /// The call of a webhook that starts the run. It is stored with the run.
    pub call: Option<(WebhookId, WebhookEvent)>,
    /// The step of another run that waits for this one.
    pub parent: Option<ParentStep>,
}

/// A step that runs another workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParentStep {
    pub run: RunId,
    /// The path of the step.
    pub step: String,
    /// The number of ancestors of the new run, from 1.
    pub depth: u32,
}
