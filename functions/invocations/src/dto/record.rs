//! Query parameters and response bodies of recorded invocations.

use std::collections::BTreeMap;

use domain::agent::{InvocationContent, InvocationRecord, InvocationState, InvocationStep};
use domain::id::UserId;
use domain::run::{AgentAction, StepError};
use domain::time::Time;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::invocations::InvocationFilter;
use store::usage::Figures;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;
use web::builder::usage::ModelUsageOut;
use web::paging::{CommaList, default_per_page, per_page};

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ListInvocations {
    /// The maximum number of items to return.
    #[serde(default = "default_per_page", deserialize_with = "per_page")]
    #[param(minimum = 1, maximum = 100, default = 20)]
    pub limit: u32,
    /// The `nextCursor` of the previous page.
    #[param(nullable = false)]
    pub cursor: Option<String>,
    /// Returns only invocations in one of these states. Separate several with commas.
    #[serde(default)]
    #[param(value_type = Vec<InvocationState>, style = Form, explode = false, min_items = 1)]
    pub state: CommaList<InvocationState>,
    /// Returns only invocations that began at this time or later.
    #[param(value_type = Option<String>, format = DateTime, nullable = false, example = "2026-11-01T00:00:00Z")]
    pub from: Option<Time>,
    /// Returns only invocations that began before this time.
    #[param(value_type = Option<String>, format = DateTime, nullable = false, example = "2026-12-01T00:00:00Z")]
    pub to: Option<Time>,
}

impl ListInvocations {
    pub fn filter(&self) -> InvocationFilter {
        InvocationFilter { states: self.state.0.clone(), from: self.from, to: self.to }
    }
}

/// An invocation, as a list shows it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "InvocationEntry")]
pub struct InvocationEntryOut {
    /// The request ids of the calls of models begin with `agent/` and this id.
    id: Uuid,
    state: InvocationState,
    /// The user or the service account that called the agent.
    #[schema(value_type = String, example = "usr_01890a5d-ac96-774b-bcce-b302099a8057")]
    invoked_by: UserId,
    #[schema(format = DateTime)]
    started_at: String,
    #[schema(required, format = DateTime)]
    ended_at: Option<String>,
    #[schema(required)]
    duration_ms: Option<u64>,
    /// Why it failed.
    #[schema(required)]
    error: Option<StepError>,
    /// When the content was erased.
    #[schema(required, format = DateTime)]
    erased_at: Option<String>,
    /// The calls of models. Runs of workflows that the agent has started have their own usage.
    usage: ModelUsageOut,
}

/// An invocation, with its conversation and its steps. While it is in progress, or if it was interrupted or erased, it has
/// neither.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "AgentInvocationRecord")]
pub struct InvocationOut {
    #[serde(flatten)]
    entry: InvocationEntryOut,
    /// The conversation, without the instructions of the agent. If the invocation failed or was cancelled, the messages that the
    /// client sent.
    messages: Vec<Value>,
    /// The text of the answer. Null if there is none: the agent may have called functions, which are in the last message.
    #[schema(required, example = "It arrives on Monday.")]
    output: Option<String>,
    /// What the agent did, in the order in which it began: reading agents, searching sources, calling models and tools.
    steps: Vec<InvocationStepOut>,
}

/// What an agent did: it read an agent, searched its sources, or called a model or a tool.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "InvocationStep")]
pub struct InvocationStepOut {
    /// The number of the step, from 0. The request id of a call of a model ends with it.
    #[schema(example = "1")]
    step: String,
    action: AgentAction,
    #[schema(format = DateTime)]
    started_at: String,
    /// Null if the invocation ended first.
    #[schema(required, format = DateTime)]
    ended_at: Option<String>,
    #[schema(required)]
    duration_ms: Option<u64>,
    /// The run of the workflow that a tool has started.
    #[schema(required)]
    run_id: Option<Uuid>,
    /// The result. Null if the step failed or did not end, and if `omittedBytes` is not null.
    #[schema(required)]
    output: Value,
    /// The size of an output that is too large: more than 64 KB, or 2 MB in all.
    #[schema(required)]
    omitted_bytes: Option<u64>,
    #[schema(required)]
    error: Option<StepError>,
    /// Null for a step that called no model.
    #[schema(required)]
    usage: Option<ModelUsageOut>,
}

fn duration(started_at: Time, ended_at: Option<Time>) -> Option<u64> {
    ended_at.map(|ended_at| started_at.until(ended_at).as_millis() as u64)
}

impl InvocationEntryOut {
    pub fn new(record: InvocationRecord, usage: Figures) -> Self {
        let started_at = record.started_at();
        let InvocationRecord { id, invoked_by, state, ended_at, error, erased_at } = record;
        Self {
            id: id.uuid(),
            state,
            invoked_by,
            started_at: started_at.to_string(),
            ended_at: ended_at.map(|at| at.to_string()),
            duration_ms: duration(started_at, ended_at),
            error,
            erased_at: erased_at.map(|at| at.to_string()),
            usage: usage.into(),
        }
    }
}

impl InvocationOut {
    /// `usage` has the figures of each step with a charge.
    pub fn new(record: InvocationRecord, content: InvocationContent, mut usage: BTreeMap<String, Figures>) -> Self {
        let mut total = Figures::default();
        usage.values().for_each(|figures| total += *figures);
        let InvocationContent { messages, output, steps } = content;
        let steps = steps.into_iter().map(|step| {
            let figures = usage.remove(&step.step);
            InvocationStepOut::new(step, figures)
        });
        Self { entry: InvocationEntryOut::new(record, total), messages, output, steps: steps.collect() }
    }
}

impl InvocationStepOut {
    fn new(step: InvocationStep, usage: Option<Figures>) -> Self {
        let InvocationStep { step, action, started_at, ended_at, run, output, omitted_bytes, error } = step;
        Self {
            step,
            action,
            started_at: started_at.to_string(),
            ended_at: ended_at.map(|at| at.to_string()),
            duration_ms: duration(started_at, ended_at),
            run_id: run.map(|run| run.uuid()),
            output: output.unwrap_or_default(),
            omitted_bytes,
            error,
            usage: usage.map(Into::into),
        }
    }
}
