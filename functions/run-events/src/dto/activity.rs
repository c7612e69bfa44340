//! The response body of the activity of a run: its events as sentences.

use domain::activity::ActivityLevel;
use domain::language::Language;
use domain::run::{Run, RunEventKind, StepError, node_id_of};
use serde::Serialize;
use store::runs::NumberedEvent;
use utoipa::ToSchema;
use web::language;

/// What happened in a run, as a sentence.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "RunActivity")]
pub struct ActivityOut {
    /// The number of the event.
    number: u64,
    #[schema(format = DateTime)]
    at: String,
    /// A stable identifier of the kind of event.
    #[schema(example = "step_completed")]
    code: &'static str,
    #[schema(example = "The step `ask` completed.")]
    text: String,
    /// The node that the sentence is about; null if it is about the whole run.
    #[schema(required)]
    node_id: Option<String>,
    level: ActivityLevel,
}

impl ActivityOut {
    pub fn new(NumberedEvent { number, event }: NumberedEvent, run: &Run) -> Self {
        let (level, text) = describe(&event.kind, run, language::of_request());
        let node_id = match &event.kind {
            RunEventKind::RunFailed { error } => error.node_id.clone(),
            kind => kind.step().map(|step| node_id_of(step).to_owned()),
        };
        Self { number, at: event.at.to_string(), code: event.kind.name(), text, node_id, level }
    }
}

/// The sentence about an event.
fn describe(kind: &RunEventKind, run: &Run, language: Language) -> (ActivityLevel, String) {
    let level = match kind {
        RunEventKind::RunFailed { .. } => ActivityLevel::Error,
        RunEventKind::StepRetried { .. } | RunEventKind::StepFailed { .. } | RunEventKind::RunCancelled => {
            ActivityLevel::Warning
        }
        _ => ActivityLevel::Info,
    };
    let (english, spanish) = match kind {
        RunEventKind::RunQueued { .. } => {
            let source = run.describe_start(language);
            (format!("The run was started {source}."), format!("La ejecución se inició {source}."))
        }
        RunEventKind::StepStarted { step, attempt, action } => {
            let what = action.as_ref().map(|action| format!(" ({})", action.describe(language))).unwrap_or_default();
            let again = |attempts: &str| if *attempt > 1 { format!(" {attempts} {attempt}") } else { String::new() };
            (
                format!("The step `{step}` began{}{what}.", again("attempt")),
                format!("El paso `{step}` empezó{}{what}.", again("el intento")),
            )
        }
        RunEventKind::StepRetried { step, attempt, error: StepError { message, .. }, next_at } => (
            format!("Attempt {attempt} of the step `{step}` failed: {message}. The next one begins at {next_at}."),
            format!("El intento {attempt} del paso `{step}` falló: {message}. El siguiente empieza a las {next_at}."),
        ),
        RunEventKind::StepInterrupted { step, .. } => (
            format!("The platform stopped while the step `{step}` was in progress. The run goes on."),
            format!("La plataforma se detuvo mientras el paso `{step}` estaba en curso. La ejecución continúa."),
        ),
        RunEventKind::StepDelayed { step, until } => {
            (format!("The step `{step}` waits until {until}."), format!("El paso `{step}` espera hasta {until}."))
        }
        RunEventKind::StepAsked { step, expires_at, .. } => (
            format!("The step `{step}` waits for a person, until {expires_at}."),
            format!("El paso `{step}` espera a una persona, hasta {expires_at}."),
        ),
        RunEventKind::StepCalled { step, run_id, .. } => (
            format!("The step `{step}` started the run {run_id}, and waits for its end."),
            format!("El paso `{step}` inició la ejecución {run_id}, y espera a que termine."),
        ),
        RunEventKind::StepCompleted { step, port, .. } if port == "out" => {
            (format!("The step `{step}` completed."), format!("El paso `{step}` terminó."))
        }
        RunEventKind::StepCompleted { step, port, .. } => (
            format!("The step `{step}` completed at its port `{port}`."),
            format!("El paso `{step}` terminó por su puerto `{port}`."),
        ),
        RunEventKind::StepFailed { step, error: StepError { message, .. } } => {
            (format!("The step `{step}` failed: {message}."), format!("El paso `{step}` falló: {message}."))
        }
        RunEventKind::StepSkipped { step } => {
            (format!("The step `{step}` was skipped."), format!("El paso `{step}` se omitió."))
        }
        RunEventKind::StepCanceled { step } => (
            format!("The step `{step}` was canceled, because its result was no longer needed."),
            format!("El paso `{step}` se canceló, porque su resultado ya no era necesario."),
        ),
        RunEventKind::BranchWon { step, .. } => (
            format!("The step `{step}` took the value of the first branch that completed."),
            format!("El paso `{step}` tomó el valor de la primera rama que terminó."),
        ),
        RunEventKind::RunCompleted { .. } => ("The run completed.".to_owned(), "La ejecución terminó.".to_owned()),
        RunEventKind::RunFailed { error } => {
            let describe = |run: &str| format!("{}.", error.describe(run, language));
            (describe("The run"), describe("La ejecución"))
        }
        RunEventKind::RunCancelled => ("The run was stopped.".to_owned(), "La ejecución se detuvo.".to_owned()),
    };
    (level, language.choose(english, spanish))
}
