//! Request and response bodies of runs.

use domain::run::Run;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::run_rows::RunRow;
use store::runs::{ShownValue, StartKey};
use store::sharing::SeenWorkflow;
use utoipa::ToSchema;
use web::builder::run::{RunEntryOut, RunHeadOut};
use web::builder::seen::WorkflowNameOut;
use web::builder::usage::RunUsageOut;

use super::review::RunWaitsOut;

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

/// A run, as a list over all workflows shows it.
#[derive(Serialize, ToSchema)]
#[schema(title = "SeenRun")]
pub struct SeenRunOut {
    #[serde(flatten)]
    run: RunEntryOut,
    workflow: WorkflowNameOut,
}

/// A run: one execution of a release of a workflow.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Run")]
pub struct RunOut {
    #[serde(flatten)]
    run: RunHeadOut,
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
    #[schema(required)]
    waiting: RunWaitsOut,
    usage: RunUsageOut,
}

/// The values that the run's item does not have.
pub struct RunContent {
    pub input: ShownValue,
    pub output: Option<ShownValue>,
    pub waiting: RunWaitsOut,
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

impl From<(RunRow, SeenWorkflow)> for SeenRunOut {
    fn from((run, workflow): (RunRow, SeenWorkflow)) -> Self {
        Self { run: run.into(), workflow: workflow.into() }
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
