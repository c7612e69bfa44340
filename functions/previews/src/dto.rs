//! Request and response bodies of previews.

use std::collections::BTreeMap;

use domain::error_text::shorten_message;
use domain::run::{AgentAction, RunError, StepError};
use engine::script::ConsoleLine;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// The options of a preview.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = WorkflowPreviewIn, title = "WorkflowPreview")]
pub struct PreviewIn {
    /// The input, at most 1 MiB as JSON. If the node `input` has a schema, the input must match it. Without an input, the
    /// node's example is used, or null.
    #[schema(example = json!({"question": "Where is my order?"}))]
    pub input: Option<Value>,
    /// The id of the trigger that fires. By default, it is the node `input`, or the first trigger of the graph if it has
    /// no such node.
    #[schema(example = "start")]
    pub trigger: Option<String>,
    /// The outputs of nodes that are not performed, by the id of the node. In a loop, the output is that of each
    /// iteration.
    #[serde(default)]
    #[schema(example = json!({"ask": {"output": "It arrives on Monday."}}))]
    pub pinned: BTreeMap<String, PinnedIn>,
    /// The id of the last node. Only this node and those that lead to it run. In a loop, the preview ends when the node
    /// has completed for the first time.
    #[schema(example = "ask")]
    pub until: Option<String>,
    /// Whether nothing is called and nobody is asked: a node that would do so gives its pinned output, or an example.
    #[serde(default)]
    #[schema(example = false)]
    pub dry: bool,
}

/// The output of a node that is not performed.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(title = "PinnedOutput")]
pub struct PinnedIn {
    /// The port at which the preview continues. It is required if the node has several ports besides `error`.
    #[schema(example = "out")]
    pub port: Option<String>,
    /// The value at the port, at most 1 MiB as JSON.
    #[schema(example = "It arrives on Monday.")]
    pub output: Value,
}

/// The result of a preview.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WorkflowPreviewOut, title = "WorkflowPreviewResult")]
pub struct PreviewOut {
    pub state: PreviewState,
    /// The output of the node `send_result`. It is null if no such node has completed, or if `outputBytes` is set.
    #[schema(required, example = json!({"answer": "It arrives on Monday."}))]
    pub output: Value,
    /// The size of an output that is larger than 64 KiB as JSON. The response does not have it.
    #[schema(required)]
    pub output_bytes: Option<usize>,
    /// Why the preview did not complete.
    #[schema(required)]
    pub error: Option<PreviewErrorOut>,
    /// The steps in the order in which they began.
    pub nodes: Vec<PreviewNodeOut>,
    /// The number of steps that are not listed, because the response would be too large.
    #[schema(example = 0)]
    pub omitted_nodes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PreviewState {
    /// All nodes have ended, or the node `until` has completed. If it was skipped, it is listed as `skipped`
    Completed,
    Failed,
    /// The preview ended at a review. Pin its output to continue
    Waiting,
    /// The preview took longer than 25 seconds
    Timeout,
}

/// Why a preview did not complete.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "PreviewError")]
pub struct PreviewErrorOut {
    /// A stable identifier for programs. `review_open`: a review has no pinned output; `timeout`; otherwise the error of
    /// the node.
    #[schema(example = "review_open")]
    pub code: String,
    pub message: String,
    /// The node that failed, or at which the preview ended; null if the preview failed as a whole.
    #[schema(required)]
    pub node_id: Option<String>,
}

/// One execution of a node.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "PreviewNode")]
pub struct PreviewNodeOut {
    /// The path of the step: `lines[2]/send` is the node `send` in the third iteration of the loop `lines`, and `ask[0]` the
    /// first call of the agent of the node `ask`.
    #[schema(example = "ask")]
    pub step: String,
    #[schema(example = "ask")]
    pub node_id: String,
    pub state: PreviewNodeState,
    /// What the agent of the node does in this step; null if the step is not a call of an agent.
    #[schema(required)]
    pub action: Option<AgentAction>,
    /// The port at which the preview continued; null if it did not.
    #[schema(required, example = "out")]
    pub port: Option<String>,
    /// The value at the port. It is null if the node has not completed, or if `outputBytes` is set.
    #[schema(required)]
    pub output: Value,
    /// The size of an output that is too large for the response: of more than 64 KiB as JSON, or after 2 MiB of other
    /// outputs.
    #[schema(required)]
    pub output_bytes: Option<usize>,
    /// What the code of the node wrote to its console.
    pub console: Vec<ConsoleLine>,
    /// The error of a failed node. With `onError`, the preview continues after it.
    #[schema(required)]
    pub error: Option<PreviewNodeErrorOut>,
    /// The number of attempts that began; 0 for nodes that call nothing.
    pub attempts: u32,
    /// The time from the beginning of the first attempt to the end of the last one; null for nodes that call nothing.
    #[schema(required)]
    pub duration_ms: Option<u64>,
    /// Whether the node has a pinned output.
    pub pinned: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PreviewNodeState {
    Completed,
    Failed,
    /// No connection into the node was taken
    Skipped,
    /// The node waits for a person
    Waiting,
    /// The node had begun, and its result no longer mattered
    Canceled,
    /// The node was in progress when the preview reached its time limit
    Timeout,
}

/// The error of a node.
#[derive(Debug, Serialize, ToSchema)]
#[schema(title = "PreviewNodeError")]
pub struct PreviewNodeErrorOut {
    #[schema(example = "destination_unreachable")]
    pub code: String,
    pub message: String,
}

impl From<RunError> for PreviewErrorOut {
    fn from(RunError { code, message, node_id }: RunError) -> Self {
        Self { code, message: shorten_message(&message).into_owned(), node_id }
    }
}

impl From<StepError> for PreviewNodeErrorOut {
    fn from(StepError { code, message }: StepError) -> Self {
        Self { code, message: shorten_message(&message).into_owned() }
    }
}
