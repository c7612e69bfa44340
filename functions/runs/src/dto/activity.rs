//! The response body of the activity of a workflow: its changes and its runs, as sentences.

use domain::activity::ActivityLevel;
use domain::run::{Run, RunState};
use domain::time::Time;
use domain::workflow::WorkflowChange;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use web::language;

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
    /// A stable identifier of what happened: the change of the workflow, or `run_` and the state of the run
    #[schema(example = "published")]
    code: String,
    #[schema(example = "Release 2 was published.")]
    text: String,
    level: ActivityLevel,
    /// The run that the sentence is about; null if it is about the workflow itself
    #[schema(required)]
    run_id: Option<Uuid>,
}

impl WorkflowActivityOut {
    pub fn of_change(id: Uuid, change: &WorkflowChange) -> Self {
        let (at, text) = (Time::from_uuid(id).to_string(), change.describe(language::of_request()));
        Self { id, at, code: change.code().to_owned(), text, level: change.level(), run_id: None }
    }

    pub fn of_run(run: &Run) -> Self {
        let language = language::of_request();
        let (id, at) = (run.id.uuid(), run.queued_at().to_string());
        let source = run.describe_start(language);
        let subject = language
            .choose(format!("A run that was started {source}"), format!("Una ejecución que se inició {source}"));
        let (level, (english, spanish)) = match (run.state, &run.error) {
            (_, Some(error)) => {
                let text = format!("{}.", error.describe(&subject, language));
                return Self {
                    id,
                    at,
                    code: run_code(RunState::Failed),
                    text,
                    level: ActivityLevel::Error,
                    run_id: Some(id),
                };
            }
            (RunState::Queued, _) => (ActivityLevel::Info, ("is queued", "está en cola")),
            (RunState::Running, _) => (ActivityLevel::Info, ("is in progress", "está en curso")),
            (RunState::Paused, _) => (ActivityLevel::Info, ("waits", "espera")),
            (RunState::Cancelled, _) => (ActivityLevel::Warning, ("was stopped", "se detuvo")),
            (RunState::Completed | RunState::Failed, _) => (ActivityLevel::Info, ("completed", "terminó")),
        };
        let text = format!("{subject} {}.", language.choose(english, spanish));
        Self { id, at, code: run_code(run.state), text, level, run_id: Some(id) }
    }
}

fn run_code(state: RunState) -> String {
    format!("run_{}", state.as_str())
}
