//! Request and response bodies of runs.

use domain::run::{Run, RunError, RunOrigin, RunState};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::runs::{ShownValue, StartKey};
use utoipa::ToSchema;
use uuid::Uuid;

use super::review::WaitOut;
use super::usage::RunUsageOut;

domain::text_schemas! {
    RunKey(1, StartKey::MAX_CHARS);
}

/// The input of a run.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schema(title = "StartRun")]
pub struct StartRunIn {
    /// The input, at most 1 MiB as JSON. If the node `input` has a schema, the input must match it. Without an input, the
    /// node's example is used, or null.
    #[schema(example = json!({"question": "Where is my order?"}))]
    pub input: Option<Value>,
    /// A request with the same key within 24 hours returns the run that the first one started. With another input it is
    /// refused with 409 `idempotency_conflict`.
    #[schema(value_type = Option<RunKey>)]
    pub idempotency_key: Option<String>,
}

/// What a retry repeats.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schema(title = "RetryRun")]
pub struct RetryRunIn {
    /// The id of the first node to repeat. All nodes that follow it are repeated, too; in a loop, for each element. By
    /// default, the run continues where it failed or was stopped.
    #[schema(example = "send")]
    pub from_node: Option<String>,
    /// A request with the same key within 24 hours returns the run that the first one started.
    #[schema(value_type = Option<RunKey>)]
    pub idempotency_key: Option<String>,
}

/// A run, as a list shows it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "RunEntry")]
pub struct RunEntryOut {
    id: Uuid,
    workflow_id: Uuid,
    /// The release that runs. A later publication does not change it.
    release_id: Uuid,
    release_number: u64,
    state: RunState,
    /// What started the run.
    origin: RunOrigin,
    /// Why the run failed.
    #[schema(required)]
    error: Option<RunErrorOut>,
    #[schema(format = DateTime)]
    queued_at: String,
    /// When a worker first claimed the run.
    #[schema(required, format = DateTime)]
    started_at: Option<String>,
    #[schema(required, format = DateTime)]
    finished_at: Option<String>,
    /// The time between `startedAt` and `finishedAt`.
    #[schema(required)]
    duration_ms: Option<u64>,
    /// The run that this one repeats in part.
    #[schema(required)]
    retry_of: Option<Uuid>,
    /// When the values of the run were erased.
    #[schema(required, format = DateTime)]
    erased_at: Option<String>,
}

/// A run: one execution of a release of a workflow.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Run")]
pub struct RunOut {
    #[serde(flatten)]
    run: RunEntryOut,
    /// The input. It is null if `inputUrl` is set.
    #[schema(required)]
    input: Value,
    /// A URL of the input as JSON, if it is larger than 256 KB. It is valid for 15 minutes.
    #[schema(required)]
    input_url: Option<String>,
    /// The output of a completed run. It is null if `outputUrl` is set.
    #[schema(required)]
    output: Value,
    /// A URL of the output as JSON, if it is larger than 256 KB. It is valid for 15 minutes.
    #[schema(required)]
    output_url: Option<String>,
    /// The review that the run waits for. If several are open, it is the one that expires first.
    #[schema(required)]
    waiting: Option<WaitOut>,
    usage: RunUsageOut,
}

/// Why a run failed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "RunError")]
pub struct RunErrorOut {
    /// A stable identifier for programs.
    #[schema(example = "timeout")]
    code: String,
    message: String,
    /// The node that failed; null if the run failed as a whole.
    #[schema(required)]
    node_id: Option<String>,
}

/// The values that the run's item does not have.
pub struct RunContent {
    pub input: ShownValue,
    pub output: Option<ShownValue>,
    pub waiting: Option<WaitOut>,
    pub usage: RunUsageOut,
}

impl RunOut {
    pub fn new(run: Run, content: RunContent) -> Self {
        let (input, input_url) = split(Some(content.input));
        let (output, output_url) = split(content.output);
        let RunContent { waiting, usage, .. } = content;
        Self { run: run.into(), input, input_url, output, output_url, waiting, usage }
    }
}

impl From<Run> for RunEntryOut {
    fn from(run: Run) -> Self {
        Self {
            id: run.id.uuid(),
            workflow_id: run.workflow.uuid(),
            release_id: run.release.uuid(),
            release_number: run.release_number,
            state: run.state,
            origin: run.origin,
            queued_at: run.queued_at().to_string(),
            started_at: run.started_at.map(|at| at.to_string()),
            finished_at: run.ended_at.map(|at| at.to_string()),
            duration_ms: run.duration().map(|duration| duration.as_millis() as u64),
            retry_of: run.retry_of.map(|run| run.uuid()),
            erased_at: run.erased_at.map(|at| at.to_string()),
            error: run.error.map(RunErrorOut::from),
        }
    }
}

/// The value and the URL of a response.
fn split(value: Option<ShownValue>) -> (Value, Option<String>) {
    match value {
        Some(ShownValue::Value(value)) => (value, None),
        Some(ShownValue::Url(url)) => (Value::Null, Some(url)),
        None => (Value::Null, None),
    }
}

impl From<RunError> for RunErrorOut {
    fn from(error: RunError) -> Self {
        let RunError { code, message, node_id } = error;
        Self { code, message, node_id }
    }
}
