//! Writes the answers of chats as responses of OpenAI's Responses API: as JSON, or as server-sent events.

mod items;
mod stream;

use domain::id::ResponseId;
use domain::usd::Usd;
use domain::{Error, Result};
use gateway::chat::FinishReason;
use gateway::chat::responses::ResponseSettings;
use gateway::{AnswerHead, Completion, Usage};
use serde_json::{Value, json};

use super::blocks::{Block, read_blocks};
pub use items::{ItemIds, write_item};
pub use stream::write_response_stream;

/// A response as an object, with its encrypted reasoning, which the client gets only on request.
pub struct WrittenResponse {
    pub id: ResponseId,
    object: Value,
}

/// How a response ended.
pub enum Ending {
    InProgress,
    Finished(FinishReason, Usage),
    Failed(Error),
}

impl WrittenResponse {
    pub fn of_completion(completion: &Completion, settings: &ResponseSettings) -> Result<Self> {
        let choices = completion.choices.read();
        let choice = choices.first().ok_or_else(|| Error::internal("an answer without choices"))?;
        let blocks = read_blocks(&choice.message);
        let ending = Ending::Finished(choice.finish_reason, completion.usage);
        Ok(Self::new(&completion.head, settings, &blocks, &ending))
    }

    pub fn new(head: &AnswerHead, settings: &ResponseSettings, blocks: &[Block], ending: &Ending) -> Self {
        let id = ResponseId::from(head.id.uuid());
        let ids = ItemIds::new(head);
        let (status, incomplete) = match ending {
            Ending::InProgress => ("in_progress", None),
            Ending::Failed(_) => ("failed", None),
            Ending::Finished(FinishReason::Length, _) => ("incomplete", Some("max_output_tokens")),
            Ending::Finished(FinishReason::ContentFilter, _) => ("incomplete", Some("content_filter")),
            Ending::Finished(..) => ("completed", None),
        };
        let output = blocks.iter().enumerate();
        let output: Vec<_> =
            output.map(|(place, block)| write_item(&ids, place, block, "completed", &settings.tool_names)).collect();
        let or = |name: &str, default: Value| settings.parameters.get(name).cloned().unwrap_or(default);
        let parameter = |name: &str| or(name, Value::Null);
        let text = settings.parameters.get("text");
        let format = text.and_then(|text| text.get("format")).cloned().unwrap_or_else(|| json!({"type": "text"}));
        let reasoning = settings.parameters.get("reasoning");
        let object = json!({
            "id": id,
            "object": "response",
            "created_at": head.created,
            "status": status,
            "background": false,
            "error": if let Ending::Failed(error) = ending { web::gateway::response_error(error) } else { Value::Null },
            "incomplete_details": incomplete.map(|reason| json!({"reason": reason})),
            "instructions": parameter("instructions"),
            "max_output_tokens": parameter("max_output_tokens"),
            "metadata": or("metadata", json!({})),
            "model": head.model,
            "output": output,
            "parallel_tool_calls": or("parallel_tool_calls", json!(true)),
            "previous_response_id": parameter("previous_response_id"),
            "reasoning": {
                "effort": reasoning.map(|it| it["effort"].clone()), "summary": reasoning.map(|it| it["summary"].clone()),
            },
            "store": settings.is_stored,
            "temperature": parameter("temperature"),
            "text": {"format": format},
            "tool_choice": or("tool_choice", json!("auto")),
            "tools": or("tools", json!([])),
            "top_p": parameter("top_p"),
            "truncation": or("truncation", json!("disabled")),
            "usage": if let Ending::Finished(_, usage) = ending { usage_of(usage) } else { Value::Null },
            "user": parameter("user"),
        });
        Self { id, object }
    }

    pub fn output(&self) -> &[Value] {
        self.object["output"].as_array().map_or(&[], Vec::as_slice)
    }

    /// What the client gets.
    pub fn for_client(&self, settings: &ResponseSettings) -> Value {
        let mut object = self.object.clone();
        if !settings.wants_encrypted_reasoning
            && let Some(items) = object.get_mut("output").and_then(Value::as_array_mut)
        {
            items.iter_mut().for_each(hide_encrypted_reasoning);
        }
        object
    }
}

pub fn hide_encrypted_reasoning(item: &mut Value) {
    if let Some(fields) = item.as_object_mut() {
        fields.remove("encrypted_content");
    }
}

fn usage_of(Usage { tokens, cost }: &Usage) -> Value {
    json!({
        "input_tokens": tokens.input,
        "input_tokens_details": {"cached_tokens": tokens.cached, "cache_write_tokens": tokens.written},
        "output_tokens": tokens.output,
        "output_tokens_details": {"reasoning_tokens": tokens.reasoning},
        "total_tokens": tokens.total(),
        "cost": Usd::from(*cost),
    })
}
