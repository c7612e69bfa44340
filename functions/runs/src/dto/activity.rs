//! The response body of the activity of a workflow: its changes and its runs, as sentences.

use domain::activity::ActivityLevel;
use domain::run::{Run, RunState};
use domain::time::Time;
use domain::workflow::WorkflowChange;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// What happened to a workflow, or one of its runs.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "WorkflowActivity")]
pub struct WorkflowActivityOut {
    /// The id of the change or of the run
    id: Uuid,
    /// When the workflow was changed, or the run was queued
    #[schema(format = DateTime)]
    at: String,
    #[schema(example = "Release 2 was published.")]
    text: String,
    level: ActivityLevel,
    /// The run that the sentence is about; null if it is about the workflow itself
    #[schema(required)]
    run_id: Option<Uuid>,
}

impl WorkflowActivityOut {
    pub fn of_change(id: Uuid, change: &WorkflowChange) -> Self {
        let at = Time::from_uuid(id).to_string();
        Self { id, at, text: change.describe(), level: change.level(), run_id: None }
    }

    pub fn of_run(run: &Run) -> Self {
        let (id, at) = (run.id.uuid(), run.queued_at().to_string());
        let source = run.describe_start();
        let (level, text) = match (run.state, &run.error) {
            (_, Some(error)) => (ActivityLevel::Error, error.describe(&format!("A run that was started {source}"))),
            (RunState::Queued, _) => (ActivityLevel::Info, format!("A run that was started {source} is queued")),
            (RunState::Running, _) => (ActivityLevel::Info, format!("A run that was started {source} is in progress")),
            (RunState::Paused, _) => (ActivityLevel::Info, format!("A run that was started {source} waits")),
            (RunState::Cancelled, _) => {
                (ActivityLevel::Warning, format!("A run that was started {source} was stopped"))
            }
            (RunState::Completed | RunState::Failed, _) => {
                (ActivityLevel::Info, format!("A run that was started {source} completed"))
            }
        };
        Self { id, at, text: format!("{text}."), level, run_id: Some(id) }
    }
}
