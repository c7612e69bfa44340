//! The response body of an exchange.

use domain::run::{AgentAction, StepError};
use engine::compile::ExecutionPlan;
use engine::drive::Span;
use runner::ValueRoom;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// One exchange of a run with a model, another system or a person: an attempt of a step.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Exchange")]
pub struct ExchangeOut {
    /// The path of the step and the number of the attempt. It identifies the exchange within its record.
    #[schema(example = "lines[2]/send#1")]
    id: String,
    #[schema(example = "send")]
    node_id: String,
    #[schema(example = "http")]
    node_type: &'static str,
    /// What an agent does in this exchange.
    #[schema(required)]
    action: Option<AgentAction>,
    /// What the step received. Null for the calls of an agent, and if `omitted` names it.
    #[schema(required)]
    request: Value,
    /// What the step returned. Null if there is no response, and if `omitted` names it.
    #[schema(required)]
    response: Value,
    /// Why the attempt failed.
    #[schema(required)]
    error: Option<StepError>,
    /// The values that are too large for this response: more than 64 KB each, or 2 MB in all.
    omitted: Vec<&'static str>,
    #[schema(format = DateTime)]
    started_at: String,
    /// Null while the exchange is in progress.
    #[schema(required)]
    duration_ms: Option<u64>,
}

impl ExchangeOut {
    pub fn new(span: Span, plan: &ExecutionPlan, room: &mut ValueRoom) -> Self {
        let node_id = span.node_id().to_owned();
        let node_type = plan.type_of(&node_id);
        let ([request, response], omitted) = room.show([("request", span.input), ("response", span.output)]);
        Self {
            id: format!("{}#{}", span.step, span.attempt),
            node_id,
            node_type,
            action: span.action,
            request,
            response,
            error: span.error,
            omitted,
            started_at: span.started_at.to_string(),
            duration_ms: span.ended_at.map(|at| span.started_at.until(at).as_millis() as u64),
        }
    }
}
