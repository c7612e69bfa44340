//! A question to a chat model, which a part of the platform asks: the conversation, the tools and the form of the answer.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use serde_json::{Map, Number, Value, json};

use super::Message;

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

/// A function that the model can call.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionTool {
    pub name: String,
    pub description: String,
    /// The JSON Schema of the arguments.
    pub parameters: Map<String, Value>,
}

/// Whether the model calls tools. By default, it decides that itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolChoice {
    None,
    Required,
}

impl Serialize for FunctionTool {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { name, description, parameters } = self;
        let mut tool = serializer.serialize_struct("FunctionTool", 2)?;
        tool.serialize_field("type", "function")?;
        let function = json!({"name": name, "description": description, "parameters": parameters});
        tool.serialize_field("function", &function)?;
        tool.end()
    }
}

fn write_format<S: Serializer>(schema: &Option<Map<String, Value>>, serializer: S) -> Result<S::Ok, S::Error> {
    json!({"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}).serialize(serializer)
}
