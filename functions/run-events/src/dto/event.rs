//! Query parameters and response bodies of the events of a run.

use domain::run::{AgentAction, RunEventKind, RunValue, StepError, node_id_of};
use domain::time::Time;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::runs::NumberedEvent;
use store::usage::Figures;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;
use web::builder::usage::ModelUsageOut;
use web::paging::{default_per_page, per_page};

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListRunEvents {
    /// The maximum number of events of a page. A stream has no pages.
    #[serde(default = "default_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    pub limit: u32,
    /// The `nextCursor` of the previous page
    #[param(nullable = false)]
    pub cursor: Option<String>,
    /// Streams the events until the run ends.
    #[serde(default)]
    pub follow: bool,
}

/// What happened in a run. The fields depend on `type`.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "RunEvent")]
pub struct RunEventOut {
    /// Events are numbered from 1 without gaps.
    #[schema(minimum = 1)]
    number: u64,
    #[schema(format = DateTime)]
    at: String,
    #[schema(example = "step_completed")]
    r#type: &'static str,
    #[serde(flatten)]
    fields: EventFields,
}

/// The fields that some types of events have.
#[derive(Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "RunEventFields")]
pub struct EventFields {
    /// The path of the step, such as `lines[2]/send`: the node `send` in the third iteration of the loop `lines`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    step: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    node_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    attempt: Option<u32>,
    /// What an agent does in this step.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    action: Option<AgentAction>,
    /// The port at which the step continued.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    port: Option<String>,
    /// The run that the step has started.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    run_id: Option<Uuid>,
    /// When the next attempt begins, or until when the step waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = DateTime)]
    until: Option<String>,
    /// The connection whose value a `merge` took, as an index of the graph's connections into it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    connection: Option<usize>,
    /// The input of the run, the output of an effect, or the output of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
    /// A URL of the value as JSON, if it is larger than 32 KB. It is valid for 15 minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    value_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    error: Option<StepError>,
    /// The calls of models of all attempts of the step. Only the event that ends the step has it, and only if the step has
    /// called models.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    usage: Option<ModelUsageOut>,
}

impl EventFields {
    fn of_step(step: String) -> Self {
        Self { node_id: Some(node_id_of(&step).to_owned()), step: Some(step), ..Self::default() }
    }
}

impl RunEventOut {
    pub fn number(&self) -> u64 {
        self.number
    }

    /// `value_url` is the URL of a value that is not in the event, and `usage` has the figures of the step that ended.
    pub fn new(
        NumberedEvent { number, event }: NumberedEvent,
        value_url: Option<String>,
        usage: Option<Figures>,
    ) -> Self {
        let at = event.at.to_string();
        let (r#type, fields) = (event.kind.name(), fields_of(event.kind));
        Self { number, at, r#type, fields: EventFields { value_url, usage: usage.map(ModelUsageOut::from), ..fields } }
    }
}

/// The fields of an event. Those that its type does not have are missing.
fn fields_of(kind: RunEventKind) -> EventFields {
    let whole = EventFields::default;
    let until = |time: Time| Some(time.to_string());
    match kind {
        RunEventKind::RunQueued { input } => EventFields { value: input.into_inline(), ..whole() },
        RunEventKind::StepStarted { step, attempt, action } => {
            EventFields { attempt: Some(attempt), action, ..EventFields::of_step(step) }
        }
        RunEventKind::StepRetried { step, attempt, error, next_at } => EventFields {
            attempt: Some(attempt),
            error: Some(error),
            until: until(next_at),
            ..EventFields::of_step(step)
        },
        RunEventKind::StepInterrupted { step, attempt } => {
            EventFields { attempt: Some(attempt), ..EventFields::of_step(step) }
        }
        RunEventKind::StepDelayed { step, until: at } => EventFields { until: until(at), ..EventFields::of_step(step) },
        RunEventKind::StepAsked { step, expires_at, action } => {
            EventFields { until: until(expires_at), action, ..EventFields::of_step(step) }
        }
        RunEventKind::StepCalled { step, attempt, run_id, until: at } => EventFields {
            attempt: Some(attempt),
            run_id: Some(run_id.uuid()),
            until: at.and_then(until),
            ..EventFields::of_step(step)
        },
        RunEventKind::StepCompleted { step, port, output, chosen: _ } => {
            let value = output.and_then(RunValue::into_inline);
            EventFields { port: Some(port), value, ..EventFields::of_step(step) }
        }
        RunEventKind::StepFailed { step, error } => EventFields { error: Some(error), ..EventFields::of_step(step) },
        RunEventKind::StepSkipped { step } | RunEventKind::StepCanceled { step } => EventFields::of_step(step),
        RunEventKind::BranchWon { step, connection } => {
            EventFields { connection: Some(connection), ..EventFields::of_step(step) }
        }
        RunEventKind::RunCompleted { output } => EventFields { value: output.into_inline(), ..whole() },
        RunEventKind::RunFailed { error } => {
            let node_id = error.node_id;
            let error = Some(StepError { code: error.code, message: error.message });
            EventFields { error, node_id, ..whole() }
        }
        RunEventKind::RunCancelled => whole(),
    }
}
