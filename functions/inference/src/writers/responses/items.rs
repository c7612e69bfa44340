//! The output items of a response: messages, reasoning, and calls of tools.

use domain::chat::Vendor;
use gateway::AnswerHead;
use gateway::chat::responses::{ClientTool, ToolNames};
use serde_json::{Value, json};

use crate::writers::blocks::{Block, Call};

/// The ids of the items of one response. They are the same in its events, its object and a replay.
pub struct ItemIds(String);

impl ItemIds {
    pub fn new(head: &AnswerHead) -> Self {
        Self(head.id.uuid().simple().to_string())
    }

    pub fn id(&self, place: usize, block: &Block, names: &ToolNames) -> String {
        let prefix = match block {
            Block::Text(_) | Block::Refusal(_) => "msg",
            Block::Reasoning(_) => "rs",
            Block::Call(call) if names.is_custom(&call.name) => "ctc",
            Block::Call(_) => "fc",
        };
        format!("{prefix}_{}{place:04}", self.0)
    }
}

pub fn write_item(ids: &ItemIds, place: usize, block: &Block, status: &str, names: &ToolNames) -> Value {
    let id = ids.id(place, block, names);
    match block {
        Block::Text(_) | Block::Refusal(_) => json!({
            "id": id, "type": "message", "status": status, "role": "assistant", "content": [write_part(block)],
        }),
        Block::Reasoning(reasoning) => {
            let summary = Some(reasoning.text()).filter(|text| !text.is_empty());
            let summary: Vec<_> =
                summary.map(|text| json!({"type": "summary_text", "text": text})).into_iter().collect();
            let mut item = json!({"id": id, "type": "reasoning", "summary": summary});
            if let Some(opaque) = reasoning.opaque() {
                item["encrypted_content"] = opaque.to_field(Vendor::OpenAi).into();
            }
            item
        }
        Block::Call(call) => {
            let tool = names.find(&call.name);
            let name = tool.map_or(&call.name, |tool| &tool.name);
            let mut item = match tool {
                Some(ClientTool { is_custom: true, .. }) => json!({
                    "id": id, "type": "custom_tool_call", "status": status, "call_id": call.id, "name": name,
                    "input": custom_input(call),
                }),
                _ => json!({
                    "id": id, "type": "function_call", "status": status, "arguments": call.arguments,
                    "call_id": call.id, "name": name,
                }),
            };
            if let Some(namespace) = tool.and_then(|tool| tool.namespace.as_ref()) {
                item["namespace"] = namespace.as_str().into();
            }
            item
        }
    }
}

pub fn write_part(block: &Block) -> Value {
    match block {
        Block::Refusal(refusal) => json!({"type": "refusal", "refusal": refusal}),
        Block::Text(text) => json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []}),
        Block::Reasoning(_) | Block::Call(_) => Value::Null,
    }
}

/// The input of a custom tool. The model got the tool as a function with this one argument.
pub fn custom_input(call: &Call) -> String {
    let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
    arguments["input"].as_str().map_or_else(|| call.arguments.clone(), str::to_owned)
}
