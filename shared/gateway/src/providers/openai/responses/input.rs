//! Translates messages into the items of the Responses API.

use serde_json::{Value, json};

use super::MAKER;
use crate::chat::{ChatRole, ContentPart, Message, ToolCall};
use crate::failure::ProviderFailure;
use crate::providers::conversation::{invalid_request, unsupported_part};
use domain::chat::{FilePart, Reasoning, Vendor};

pub fn translate_messages(messages: &[Message]) -> Result<Vec<Value>, ProviderFailure> {
    let mut items = Vec::with_capacity(messages.len());
    for message in messages {
        match message.role {
            ChatRole::System => items.push(message_item("system", content(message)?)),
            ChatRole::User => items.push(message_item("user", content(message)?)),
            ChatRole::Assistant => add_answer(&mut items, message)?,
            ChatRole::Tool => items.push(result(message)?),
        }
    }
    Ok(items)
}

fn message_item(role: &str, content: Value) -> Value {
    json!({"type": "message", "role": role, "content": content})
}

/// The parts, the reasoning and the calls of an earlier answer, each as an item of its own.
fn add_answer(items: &mut Vec<Value>, message: &Message) -> Result<(), ProviderFailure> {
    for part in &message.parts {
        match part {
            ContentPart::Text(text) if text.is_empty() => {}
            ContentPart::Text(text) => items.push(message_item("assistant", text.as_str().into())),
            ContentPart::Reasoning(reasoning) => items.extend(reasoning_item(reasoning)),
            ContentPart::CacheMark(_) => {}
            part => return Err(unsupported_part(MAKER, part)),
        }
    }
    items.extend(message.tool_calls.iter().map(call_item));
    Ok(())
}

/// The reasoning of a model of `OpenAI`. The API refuses any other.
fn reasoning_item(reasoning: &Reasoning) -> Option<Value> {
    let opaque = reasoning.opaque().filter(|opaque| opaque.vendor == Vendor::OpenAi)?;
    let summary = Some(reasoning.text()).filter(|text| !text.is_empty());
    let summary: Vec<_> = summary.map(|text| json!({"type": "summary_text", "text": text})).into_iter().collect();
    let mut item = json!({"type": "reasoning", "summary": summary, "encrypted_content": opaque.data});
    if let Some(id) = &opaque.id {
        item["id"] = id.as_str().into();
    }
    Some(item)
}

fn call_item(ToolCall { id, name, arguments, .. }: &ToolCall) -> Value {
    let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
    json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments})
}

fn result(message: &Message) -> Result<Value, ProviderFailure> {
    let id = message
        .tool_call_id
        .as_ref()
        .ok_or_else(|| invalid_request("messages", "a tool message must have tool_call_id"))?;
    Ok(json!({"type": "function_call_output", "call_id": id, "output": content(message)?}))
}

/// The content of a message or a result: a text, or a list of parts.
fn content(message: &Message) -> Result<Value, ProviderFailure> {
    let is_content = |part: &&ContentPart| !matches!(part, ContentPart::CacheMark(_) | ContentPart::Reasoning(_));
    let parts: Vec<_> = message.parts.iter().filter(is_content).collect();
    match parts.as_slice() {
        [] => Ok("".into()),
        [ContentPart::Text(text)] => Ok(text.as_str().into()),
        parts => parts.iter().map(|part| translate_part(message, part)).collect(),
    }
}

fn translate_part(message: &Message, part: &ContentPart) -> Result<Value, ProviderFailure> {
    Ok(match part {
        ContentPart::Text(text) => json!({"type": "input_text", "text": text}),
        ContentPart::Image(url) => {
            json!({"type": "input_image", "image_url": url, "detail": image_detail(message, url)})
        }
        ContentPart::File(FilePart { url, name }) if url.starts_with("data:") => {
            // The API requires a name for the data of a file.
            json!({"type": "input_file", "file_data": url, "filename": name.as_deref().unwrap_or("document")})
        }
        ContentPart::File(FilePart { url, .. }) => json!({"type": "input_file", "file_url": url}),
        ContentPart::Other(part) if part["file"]["file_id"].is_string() => {
            json!({"type": "input_file", "file_id": part["file"]["file_id"]})
        }
        part => return Err(unsupported_part(MAKER, part)),
    })
}

/// The detail of a picture that a client of chat completions chose. It decides how many tokens the picture costs.
fn image_detail<'a>(message: &'a Message, url: &str) -> &'a str {
    let parts = message.source().and_then(|source| source["content"].as_array()).into_iter().flatten();
    let mut images = parts.map(|part| &part["image_url"]);
    images.find(|image| image["url"] == url).and_then(|image| image["detail"].as_str()).unwrap_or("auto")
}
