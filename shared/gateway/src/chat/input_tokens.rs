//! The estimate of a request's input tokens.

use serde::Serialize;

use super::request::{ChatRequest, ResponseFormat};
use crate::tokens::{PER_MESSAGE, count};
use domain::chat::{ContentPart, Message};

/// The maximum that providers count for one image.
const PER_IMAGE: u64 = 2_000;
/// A page of a PDF file is at most about 4,600 tokens, with its picture, and providers read a hundred pages or some more. Base64 of
/// a file has at least two bytes for a token.
const PER_FILE: u64 = 300_000;
const PER_SMALL_FILE: u64 = 5_000;
const BYTES_PER_FILE_TOKEN: u64 = 2;
/// Providers count at most about 32 tokens for a second of speech, which has some kilobytes.
const BYTES_PER_AUDIO_TOKEN: u64 = 50;
/// The tokens of the instructions that providers add when the request has tools.
const FOR_TOOLS: u64 = 600;

impl ChatRequest {
    /// The maximum input tokens: everything that a provider may count as input.
    pub fn greatest_input(&self) -> u64 {
        let messages: u64 = self.messages().iter().map(count_message).sum();
        let tools = match self.tools() {
            [] => 0,
            tools => {
                let choice = self.body().get("tool_choice").map_or(0, count_json);
                FOR_TOOLS + tools.iter().map(count_json).sum::<u64>() + choice
            }
        };
        let schema = match self.response_format() {
            ResponseFormat::Schema(schema) => count_json(schema),
            ResponseFormat::Json | ResponseFormat::Text => 0,
        };
        // Providers may pass unvalidated parameters to the model as text (`documents`, `functions` …).
        let others: u64 = self.unvalidated().map(count_json).sum();
        messages + tools + schema + others
    }
}

pub(super) fn count_message(message: &Message) -> u64 {
    let parts: u64 = message.parts.iter().map(count_part).sum();
    let calls = message.tool_calls.iter();
    let calls: u64 = calls.map(|call| PER_MESSAGE + count(&call.id) + count(&call.name) + count(&call.arguments)).sum();
    PER_MESSAGE
        + message.name.as_deref().map_or(0, count)
        + message.tool_call_id.as_deref().map_or(0, count)
        + parts
        + calls
}

fn count_part(part: &ContentPart) -> u64 {
    match part {
        ContentPart::Text(text) => count(text),
        ContentPart::Image(_) => PER_IMAGE,
        ContentPart::File(file) => (file.url.len() as u64 / BYTES_PER_FILE_TOKEN).clamp(PER_SMALL_FILE, PER_FILE),
        ContentPart::Audio(audio) => PER_IMAGE + audio.base64.len() as u64 / BYTES_PER_AUDIO_TOKEN,
        ContentPart::Reasoning(reasoning) => {
            count(reasoning.text()) + reasoning.opaque().map_or(0, |opaque| count(&opaque.data))
        }
        ContentPart::CacheMark(_) => 0,
        ContentPart::Other(part) => count_json(part),
    }
}

fn count_json(value: &impl Serialize) -> u64 {
    count(&serde_json::to_string(value).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn greatest(body: Value) -> u64 {
        ChatRequest::read(body).unwrap().greatest_input()
    }

    #[test]
    fn greatest_input_counts_every_part_that_a_provider_reads() {
        let plain = json!({"model": "m", "messages": [{"role": "user", "content": "abcd"}]});
        assert_eq!(greatest(plain.clone()), PER_MESSAGE + 2);
        let with = |name: &str, value: Value| {
            let mut body = plain.clone();
            body[name] = value;
            greatest(body) - greatest(plain.clone())
        };
        let tool = json!({"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}});
        assert_eq!(with("tools", json!([tool])), FOR_TOOLS + count(&tool.to_string()));
        let schema = json!({"name": "s", "schema": {"type": "object"}});
        let format = json!({"type": "json_schema", "json_schema": schema});
        assert_eq!(with("response_format", format), count(&schema.to_string()));
        assert_eq!(with("documents", json!(["abcd"])), count(r#"["abcd"]"#));
        assert_eq!(with("temperature", json!(1)), 0);
    }

    #[test]
    fn images_names_and_tool_calls_are_counted() {
        let picture = json!({"type": "image_url", "image_url": {"url": "https://pictures.test/a.png"}});
        let body = json!({"model": "m", "messages": [
            {"role": "user", "name": "ab", "content": [{"type": "text", "text": "abcd"}, picture]},
            {"role": "assistant", "tool_calls": [
                {"id": "ab", "type": "function", "function": {"name": "ab", "arguments": "{}"}},
            ]},
            {"role": "tool", "tool_call_id": "ab", "content": "abcd"},
        ]});
        assert_eq!(greatest(body), 4 * PER_MESSAGE + PER_IMAGE + 1 + 2 + 4 + 3);
    }
}
