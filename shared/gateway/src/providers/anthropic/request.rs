//! Translates a chat request to Anthropic's Messages API.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::{MAKER, marks, native};
use crate::chat::{ChatRequest, ChatRole, ContentPart, Message, ResponseFormat, ToolChoice};
use crate::failure::ProviderFailure;
use crate::providers::conversation::{
    Media, Side, arguments, instruct_json, invalid_request, media, split, unsupported_part,
};
use crate::providers::tools::{called_names, choice, functions};
use domain::catalog::DEFAULT_OUTPUT_TOKENS;
use domain::chat::{CacheMark, FilePart, Reasoning, Vendor};
use domain::provider::UpstreamApi;

pub fn messages(model: &str, request: &ChatRequest, streamed: bool) -> Result<Value, ProviderFailure> {
    let parameters = request.parameters(UpstreamApi::Anthropic, model);
    parameters.check(request.terms().unsupported)?;
    if let Some(native) = request.native_messages() {
        let mut body = native::messages(model, request, native, streamed);
        marks::add(&mut body, request);
        return Ok(body);
    }
    let (mut system, turns) = split(request);
    instruct_json(&mut system, request);
    let turn = |side: Side, messages: &[Cow<'_, Message>]| {
        let role = if side == Side::Model { "assistant" } else { "user" };
        let blocks = messages.iter().map(|message| blocks(message)).collect::<Result<Vec<_>, _>>()?.concat();
        Ok::<_, ProviderFailure>(json!({"role": role, "content": blocks}))
    };
    let turns = turns.iter().map(|each| turn(each.side, &each.messages)).collect::<Result<Vec<_>, _>>()?;

    let mut body = parameters.forwarded_object();
    body.insert("model".to_owned(), model.into());
    let max_tokens = request.required_max_tokens().unwrap_or(DEFAULT_OUTPUT_TOKENS);
    body.insert("max_tokens".to_owned(), max_tokens.into());
    if !system.is_empty() {
        body.insert("system".to_owned(), blocks_of(&system)?.into());
    }
    body.insert("messages".to_owned(), turns.into());
    for name in ["temperature", "top_p", "top_k"] {
        if let Some(value) = parameters.get_within_range(name) {
            body.insert(name.to_owned(), value.into_owned());
        }
    }
    if let Some(reasoning) = parameters.reasoning() {
        reasoning.add_to(&mut body, max_tokens);
    }
    let mut stops = request.stops();
    stops.retain(|stop| !stop.trim().is_empty());
    if !stops.is_empty() {
        body.insert("stop_sequences".to_owned(), stops.into());
    }
    if let Some(user) = user(request) {
        body.insert("metadata".to_owned(), json!({"user_id": user}));
    }
    add_tools(&mut body, request)?;
    add_format(&mut body, request);
    if streamed {
        body.insert("stream".to_owned(), true.into());
    }
    let mut body = Value::Object(body);
    marks::add(&mut body, request);
    Ok(body)
}

/// Returns the id of the end user, from `safety_identifier`, `user` or `metadata.user_id`.
fn user(request: &ChatRequest) -> Option<&str> {
    let body = request.body();
    let named = ["safety_identifier", "user"].iter().find_map(|name| body.get(*name)?.as_str());
    named.or_else(|| body.get("metadata")?.get("user_id")?.as_str())
}

/// Translates one message into content blocks. The message's `name` is left out, because the API has no such field.
fn blocks(message: &Message) -> Result<Vec<Value>, ProviderFailure> {
    if message.role == ChatRole::Tool {
        let id = message
            .tool_call_id
            .as_ref()
            .ok_or_else(|| invalid_request("messages", "a tool message must have tool_call_id"))?;
        let mut result = json!({"type": "tool_result", "tool_use_id": id});
        let (marks, parts): (Vec<_>, Vec<_>) =
            message.parts.iter().cloned().partition(|part| matches!(part, ContentPart::CacheMark(_)));
        let blocks = blocks_of(&parts)?;
        if !blocks.is_empty() {
            result["content"] = blocks.into();
        }
        if let Some(ContentPart::CacheMark(CacheMark(mark))) = marks.last() {
            result["cache_control"] = mark.clone();
        }
        return Ok(vec![result]);
    }
    let mut blocks = blocks_of(&message.parts)?;
    for call in &message.tool_calls {
        let input = arguments(call)?;
        blocks.push(json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input}));
    }
    Ok(blocks)
}

fn blocks_of(parts: &[ContentPart]) -> Result<Vec<Value>, ProviderFailure> {
    let mut blocks = Vec::<Value>::with_capacity(parts.len());
    for part in parts {
        match part {
            ContentPart::CacheMark(CacheMark(mark)) => {
                if let Some(block) = blocks.last_mut() {
                    block["cache_control"] = mark.clone();
                }
            }
            ContentPart::Reasoning(reasoning) => blocks.extend(thinking(reasoning)),
            part => blocks.push(block(part)?),
        }
    }
    Ok(blocks)
}

/// The reasoning of a model of Anthropic. The API refuses any other.
fn thinking(reasoning: &Reasoning) -> Option<Value> {
    let opaque = reasoning.opaque().filter(|opaque| opaque.vendor == Vendor::Anthropic)?;
    Some(match reasoning {
        Reasoning::Text { text, .. } => json!({"type": "thinking", "thinking": text, "signature": opaque.data}),
        Reasoning::Encrypted(_) => json!({"type": "redacted_thinking", "data": opaque.data}),
    })
}

fn block(part: &ContentPart) -> Result<Value, ProviderFailure> {
    let (kind, url) = match part {
        ContentPart::Text(text) => return Ok(json!({"type": "text", "text": text})),
        ContentPart::Image(url) => ("image", url),
        ContentPart::File(file) => ("document", &file.url),
        _ => return Err(unsupported_part(MAKER, part)),
    };
    let source = match media(url)? {
        Media::Inline { media_type, base64 } => json!({"type": "base64", "media_type": media_type, "data": base64}),
        Media::Url(url) => json!({"type": "url", "url": url}),
    };
    let mut block = json!({"type": kind, "source": source});
    if let ContentPart::File(FilePart { name: Some(name), .. }) = part {
        block["title"] = name.as_str().into();
    }
    Ok(block)
}

fn add_tools(body: &mut Map<String, Value>, request: &ChatRequest) -> Result<(), ProviderFailure> {
    let functions = functions(request, MAKER)?;
    if functions.is_empty() {
        // The API refuses calls in a conversation without tools.
        let called = called_names(request);
        if !called.is_empty() {
            let tools = called.iter().map(|name| json!({"name": name, "input_schema": {"type": "object"}}));
            body.insert("tools".to_owned(), tools.collect());
            body.insert("tool_choice".to_owned(), json!({"type": "none"}));
        }
        return Ok(());
    }
    let tools = functions.iter().zip(request.tools()).map(|(function, marked)| {
        let schema = function.parameters.cloned().unwrap_or_else(|| json!({"type": "object"}));
        let mut tool = json!({"name": function.name, "input_schema": schema});
        if let Some(description) = function.description {
            tool["description"] = description.into();
        }
        if function.is_strict {
            tool["strict"] = true.into();
        }
        if let Some(CacheMark(mark)) = marked.cache_mark() {
            tool["cache_control"] = mark;
        }
        tool
    });
    body.insert("tools".to_owned(), tools.collect());
    let choice = choice(request, MAKER)?;
    let forbids_parallel_calls = request.forbids_parallel_calls();
    if choice.is_none() && !forbids_parallel_calls {
        return Ok(());
    }
    let mut chosen = match choice.unwrap_or(ToolChoice::Auto) {
        ToolChoice::Auto => json!({"type": "auto"}),
        ToolChoice::None => json!({"type": "none"}),
        ToolChoice::Required => json!({"type": "any"}),
        ToolChoice::Function(name) => json!({"type": "tool", "name": name}),
    };
    if forbids_parallel_calls && chosen["type"] != "none" {
        chosen["disable_parallel_tool_use"] = true.into();
    }
    body.insert("tool_choice".to_owned(), chosen);
    Ok(())
}

/// Sets the output format for a JSON schema. The API has no JSON mode without a schema, and a tool used for it would
/// answer with an empty object. For `json_object`, the system prompt therefore has the instruction.
fn add_format(body: &mut Map<String, Value>, request: &ChatRequest) {
    let ResponseFormat::Schema(format) = request.response_format() else { return };
    let schema = format.get("schema").cloned().unwrap_or_else(|| json!({"type": "object"}));
    if !body.get("output_config").is_some_and(Value::is_object) {
        body.insert("output_config".to_owned(), json!({}));
    }
    body["output_config"]["format"] = json!({"type": "json_schema", "schema": schema});
}
