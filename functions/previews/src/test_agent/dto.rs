//! Request and response bodies of tests.

use domain::schema::NOT_BLANK;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use web::builder::agent::AgentDetailOut;

use crate::dto::PreviewErrorOut;

domain::text_schemas! {
    TestText(1, 4_000, NOT_BLANK, "a text that is not blank");
}

/// The test agent of a workflow.
#[derive(Serialize, ToSchema)]
#[schema(title = "TestAgent")]
pub struct TestAgentOut {
    pub agent: AgentDetailOut,
}

/// A test: a script of messages, or a goal that the test agent pursues. Send either `script` or `goal`.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = WorkflowTestIn, title = "WorkflowTest")]
pub struct TestIn {
    #[serde(default)]
    pub target: TargetIn,
    /// The messages of the participant, in their order.
    #[schema(min_items = 1, max_items = 20)]
    pub script: Option<Vec<ScriptStepIn>>,
    /// What the test agent tries to reach. Its model writes the messages, and judges at the end whether the goal is reached.
    #[schema(value_type = Option<TestText>)]
    pub goal: Option<String>,
    /// The maximum number of messages of the test agent, 5 by default; only with `goal`.
    #[schema(minimum = 1, maximum = 10)]
    pub turns: Option<u32>,
    /// The id of the `message` node that fires. By default, it is the first one of the graph.
    #[schema(example = "ask")]
    pub trigger: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TargetIn {
    #[default]
    Draft,
    /// The active release
    Release,
}

/// A message of the participant, and what the replies to it must be.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(title = "WorkflowTestStep")]
pub struct ScriptStepIn {
    #[schema(value_type = TestText)]
    pub say: String,
    pub expect: Option<ExpectIn>,
}

/// What the replies to a message must be. If both fields are set, both must hold.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(title = "WorkflowTestExpectation")]
pub struct ExpectIn {
    /// A text that the replies contain.
    #[schema(value_type = Option<TestText>)]
    pub contains: Option<String>,
    /// A condition in CEL over `reply` (all replies, one a line), `replies` (a list of texts) and `turn` (a number from 1).
    #[schema(example = "size(replies) == 1 && reply.startsWith('Your order')")]
    pub matches: Option<String>,
}

/// The report of a test.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WorkflowTestOut, title = "WorkflowTestReport")]
pub struct TestOut {
    /// Whether no turn failed, all expectations hold, and the goal, if there is one, is reached.
    pub passed: bool,
    pub turns: Vec<TurnOut>,
    /// The verdict about the goal; null in a test with a script.
    #[schema(required)]
    pub goal: Option<GoalOut>,
}

/// A message of the participant, and what the workflow did with it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "WorkflowTestTurn")]
pub struct TurnOut {
    /// The message of the participant. It is empty if the test agent could not write it; `error` has the reason.
    pub message: String,
    /// What the workflow would have sent to the participant.
    pub replies: Vec<String>,
    pub state: TurnState,
    /// Why the turn failed.
    #[schema(required)]
    pub error: Option<PreviewErrorOut>,
    /// Whether the expectation holds; null if the step has none.
    #[schema(required)]
    pub passed: Option<bool>,
    /// Why the expectation does not hold.
    #[schema(required)]
    pub reason: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum TurnState {
    Completed,
    /// The run failed, or the test had no time left
    Failed,
    /// The run would wait for a person or a delay. The next message starts another run
    Waiting,
}

/// Whether the goal is reached.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "WorkflowTestGoal")]
pub struct GoalOut {
    pub reached: bool,
    #[schema(example = "The company confirmed the refund.")]
    pub reason: String,
}
