//! The response body of the activity of a run: its events as sentences.

use domain::activity::ActivityLevel;
use domain::run::{Run, RunEventKind, node_id_of};
use serde::Serialize;
use store::runs::NumberedEvent;
use utoipa::ToSchema;

/// What happened in a run, as a sentence.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "RunActivity")]
pub struct ActivityOut {
    /// The number of the event.
    number: u64,
    #[schema(format = DateTime)]
    at: String,
    #[schema(example = "The step `ask` completed.")]
    text: String,
    /// The node that the sentence is about; null if it is about the whole run.
    #[schema(required)]
    node_id: Option<String>,
    level: ActivityLevel,
}

impl ActivityOut {
    pub fn new(NumberedEvent { number, event }: NumberedEvent, run: &Run) -> Self {
        let (level, text, node_id) = describe(&event.kind, run);
        Self { number, at: event.at.to_string(), text, node_id, level }
    }
}

/// The sentence about an event, and the node that it is about.
fn describe(kind: &RunEventKind, run: &Run) -> (ActivityLevel, String, Option<String>) {
    use ActivityLevel::{Error, Info, Warning};
    let (level, text, step) = match kind {
        RunEventKind::RunQueued { .. } => {
            let source = run.describe_start();
            (Info, format!("The run was started {source}."), None)
        }
        RunEventKind::StepStarted { step, attempt, action } => {
            let what = action.as_ref().map(|action| format!(" ({})", action.describe())).unwrap_or_default();
            let again = if *attempt > 1 { format!(" attempt {attempt}") } else { String::new() };
            (Info, format!("The step `{step}` began{again}{what}."), Some(step))
        }
        RunEventKind::StepRetried { step, attempt, error, next_at } => {
            let text = format!(
                "Attempt {attempt} of the step `{step}` failed: {}. The next one begins at {next_at}.",
                error.message
            );
            (Warning, text, Some(step))
        }
        RunEventKind::StepInterrupted { step, .. } => (
            Info,
            format!("The platform stopped while the step `{step}` was in progress. The run goes on."),
            Some(step),
        ),
        RunEventKind::StepDelayed { step, until } => {
            (Info, format!("The step `{step}` waits until {until}."), Some(step))
        }
        RunEventKind::StepAsked { step, expires_at, .. } => {
            (Info, format!("The step `{step}` waits for a person, until {expires_at}."), Some(step))
        }
        RunEventKind::StepCalled { step, run_id, .. } => {
            (Info, format!("The step `{step}` started the run {run_id}, and waits for its end."), Some(step))
        }
        RunEventKind::StepCompleted { step, port, .. } if port == "out" => {
            (Info, format!("The step `{step}` completed."), Some(step))
        }
        RunEventKind::StepCompleted { step, port, .. } => {
            (Info, format!("The step `{step}` completed at its port `{port}`."), Some(step))
        }
        RunEventKind::StepFailed { step, error } => {
            (Warning, format!("The step `{step}` failed: {}.", error.message), Some(step))
        }
        RunEventKind::StepSkipped { step } => (Info, format!("The step `{step}` was skipped."), Some(step)),
        RunEventKind::StepCanceled { step } => {
            (Info, format!("The step `{step}` was canceled, because its result was no longer needed."), Some(step))
        }
        RunEventKind::BranchWon { step, .. } => {
            (Info, format!("The step `{step}` took the value of the first branch that completed."), Some(step))
        }
        RunEventKind::RunCompleted { .. } => (Info, "The run completed.".to_owned(), None),
        RunEventKind::RunFailed { error } => {
            return (Error, format!("{}.", error.describe("The run")), error.node_id.clone());
        }
        RunEventKind::RunCancelled => (Warning, "The run was stopped.".to_owned(), None),
    };
    (level, text, step.map(|step| node_id_of(step).to_owned()))
}
