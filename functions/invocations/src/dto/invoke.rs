//! Request and response bodies of invocations.

use domain::chat::Message;
use domain::schema::NOT_BLANK;
use domain::{Error, Result};
use engine::agent::FunctionCall;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use uuid::Uuid;
use web::builder::usage::ModelUsageOut;

domain::text_schemas! {
    InvokeText(1, 100_000, NOT_BLANK, "a text that is not blank");
}

/// The message to an agent, or a conversation that goes on.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = AgentInvokeIn, title = "AgentInvocation")]
pub struct InvokeIn {
    /// The message, at most 100,000 characters. Send either `input` or `messages`.
    #[schema(value_type = Option<InvokeText>)]
    pub input: Option<String>,
    /// The conversation so far: the `messages` of the last response, and those that follow, at most 1,000. The result of a
    /// function is `{"role": "tool", "tool_call_id": "…", "content": "…"}`.
    #[schema(min_items = 1, max_items = 1000)]
    pub messages: Option<Vec<Value>>,
    /// Whether the response is a stream of server-sent events.
    #[serde(default)]
    pub stream: bool,
}

impl InvokeIn {
    /// The messages for the agent.
    pub fn into_messages(self) -> Result<Vec<Message>> {
        match (self.input, self.messages) {
            (Some(_), Some(_)) | (None, None) => Err(Error::invalid_body("input", "send either `input` or `messages`")),
            (Some(input), None) => Ok(vec![Message::user(input)]),
            (None, Some(messages)) => {
                let messages = messages.into_iter().enumerate().map(|(index, message)| {
                    let path = format!("messages[{index}]");
                    // The system prompt is that of the agent.
                    if !matches!(message["role"].as_str(), Some("user" | "assistant" | "tool")) {
                        return Err(Error::invalid_body(format!("{path}.role"), "must be user, assistant or tool"));
                    }
                    Message::read(&path, message)
                });
                messages.collect()
            }
        }
    }
}

/// The answer of an agent.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AgentInvokeOut, title = "AgentAnswer")]
pub struct InvokeOut {
    /// The request ids of the calls of models begin with `agent/` and this id.
    pub id: Uuid,
    /// The text of the answer; null if functions have to be executed first.
    #[schema(required, example = "It arrives on Monday.")]
    pub output: Option<String>,
    /// The functions that you have to execute. Add their results to `messages`, and call the agent again.
    pub function_calls: Vec<FunctionCallOut>,
    /// The conversation so far, without the instructions of the agent.
    #[schema(value_type = Vec<Value>)]
    pub messages: Vec<Message>,
    /// What the calls of models have cost. Workflows that the agent has run have their own usage.
    pub usage: ModelUsageOut,
}

#[derive(Serialize, ToSchema)]
#[schema(title = "FunctionCall")]
pub struct FunctionCallOut {
    /// The `tool_call_id` of the result.
    pub id: String,
    #[schema(example = "open_door")]
    pub name: String,
    #[schema(example = json!({"door": 2}))]
    pub arguments: Value,
}

impl From<FunctionCall> for FunctionCallOut {
    fn from(FunctionCall { id, name, arguments }: FunctionCall) -> Self {
        // Models send an empty text for a call without arguments.
        let arguments = serde_json::from_str(&arguments).unwrap_or_else(|_| json!({}));
        Self { id, name, arguments }
    }
}
