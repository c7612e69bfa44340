//! A question to a chat model, which a part of the platform asks: the conversation, the tools and the form of the answer.

use serde::{Serialize, Serializer};
use serde_json::{Map, Number, Value, json};

use super::message::Message;
use super::tool::{FunctionTool, ToolChoice};

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ChatPrompt {
    pub model: String,
    pub messages: Vec<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<FunctionTool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
    /// The JSON Schema of the answer. Without it, the answer is a text.
    #[serde(rename = "response_format", serialize_with = "write_format", skip_serializing_if = "Option::is_none")]
    pub schema: Option<Map<String, Value>>,
}

fn write_format<S: Serializer>(schema: &Option<Map<String, Value>>, serializer: S) -> Result<S::Ok, S::Error> {
    json!({"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}).serialize(serializer)
}
