//! The reader of a request to OpenAI's Responses API.

mod items;
mod tools;

use serde_json::{Map, Value, json};

use super::openai::{MAX_MESSAGES, check_integer, check_parameters};
use super::request::ChatRequest;
use crate::body::{read_parameters, require_model};
use crate::dialect::{Dialect, Foreign};
use domain::chat::Message;
use domain::{Error, Result};

use items::{ItemReader, input_items};
pub use items::{PART_BREAK, read_reasoning};
pub use tools::{ClientTool, ToolNames};

/// The parameters that keep their names and values.
const SAME: [&str; 12] = [
    "model",
    "stream",
    "temperature",
    "top_p",
    "top_logprobs",
    "user",
    "safety_identifier",
    "prompt_cache_key",
    "prompt_cache_retention",
    "service_tier",
    "parallel_tool_calls",
    "guard",
];
/// The parameters that are read into others, or that the gateway handles itself.
const READ: [&str; 16] = [
    "input",
    "instructions",
    "tools",
    "tool_choice",
    "max_output_tokens",
    "text",
    "reasoning",
    "include",
    "store",
    "previous_response_id",
    "truncation",
    "stream_options",
    "metadata",
    "background",
    "conversation",
    "prompt",
];
/// The maximum size of the items of earlier responses. Each request adds at most the size of a body.
const MAX_EARLIER_BYTES: usize = 8 << 20;
/// What the gateway does not have, and what to do instead.
const REFUSED: [(&str, &str); 3] = [
    ("background", "the gateway has no background responses; leave it out, or use stream"),
    ("conversation", "the gateway keeps no conversations; use previous_response_id"),
    ("prompt", "the gateway keeps no prompts; send instructions and input"),
];

/// A request in this dialect, with what its answer repeats.
pub struct ResponsesRequest {
    pub chat: ChatRequest,
    pub settings: ResponseSettings,
}

/// What the object of a response repeats of its request, and what is kept for the next one.
#[derive(Clone, Debug)]
pub struct ResponseSettings {
    /// The parameters of the request, without its input.
    pub parameters: Map<String, Value>,
    /// The items of the input, without those of earlier responses.
    pub input: Vec<Value>,
    /// Whether the response is stored.
    pub is_stored: bool,
    /// Whether the client wants the encrypted reasoning, because it keeps the conversation itself.
    pub wants_encrypted_reasoning: bool,
    pub tool_names: ToolNames,
}

/// The id of the response that a request continues.
pub fn previous_response_id(body: &Value) -> Result<Option<&str>> {
    match &body["previous_response_id"] {
        Value::Null => Ok(None),
        Value::String(id) => Ok(Some(id)),
        _ => Err(Error::invalid_body("previous_response_id", "must be a string")),
    }
}

impl ResponsesRequest {
    /// `earlier` are the items of the responses that the request continues.
    pub fn read(body: Value, earlier: &[Value]) -> Result<Self> {
        let mut body = read_parameters(body, &["max_output_tokens", "top_logprobs"])?;
        require_model(&body)?;
        for (name, problem) in REFUSED {
            if body.get(name).is_some_and(|value| value != false) {
                return Err(Error::invalid_body(name, problem));
            }
        }
        let input = input_items(body.get("input"))?;
        let earlier_bytes: usize = earlier.iter().map(|item| item.to_string().len()).sum();
        if earlier.len() + input.len() > MAX_MESSAGES || earlier_bytes > MAX_EARLIER_BYTES {
            let problem = "the conversation is too long to be continued; begin a new one with the input that matters";
            return Err(Error::invalid_body("previous_response_id", problem));
        }
        let mut reader = ItemReader::default();
        for (i, item) in earlier.iter().enumerate() {
            reader.read(&format!("previous_response_id.items[{i}]"), item)?;
        }
        for (i, item) in input.iter().enumerate() {
            reader.read(&format!("input[{i}]"), item)?;
        }
        let mut messages = reader.into_messages();
        match body.get("instructions") {
            None => {}
            Some(Value::String(text)) => messages.insert(0, Message::system(&**text)),
            Some(_) => return Err(Error::invalid_body("instructions", "must be a string")),
        }
        if messages.is_empty() {
            return Err(Error::invalid_body("input", "must be a text or a list with at least one item"));
        }
        check_integer(&body, "max_output_tokens", 1, u64::from(u32::MAX))?;
        let (tools, tool_names) = tools::read(body.get("tools"))?;
        let parameters = map_parameters(&body, !tools.is_empty())?;
        check_parameters(&parameters)?;
        let is_stored = flag(&body, "store")?.unwrap_or(true);
        let includes = body.get("include").and_then(Value::as_array).into_iter().flatten();
        let wants_encrypted_reasoning = includes.into_iter().any(|name| name == "reasoning.encrypted_content");
        let is_known = |name: &String| SAME.contains(&name.as_str()) || READ.contains(&name.as_str());
        let unmapped = body.keys().filter(|name| !is_known(name)).cloned().collect();
        let reasoning_summary = body.get("reasoning").map(|it| it["summary"].clone()).filter(|it| !it.is_null());
        let may_truncate = body.get("truncation").is_some_and(|truncation| truncation == "auto");
        body.remove("input");
        let settings = ResponseSettings { parameters: body, input, is_stored, wants_encrypted_reasoning, tool_names };
        let dialect = Dialect::Responses;
        let foreign = Foreign { dialect, unmapped, may_truncate, reasoning_summary, ..Foreign::default() };
        Ok(Self { chat: ChatRequest::from_parts(parameters, messages, tools).with_foreign(foreign), settings })
    }
}

fn flag(body: &Map<String, Value>, name: &str) -> Result<Option<bool>> {
    match body.get(name) {
        None => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(*flag)),
        Some(_) => Err(Error::invalid_body(name, "must be true or false")),
    }
}

/// The parameters with the names of chat completions.
fn map_parameters(body: &Map<String, Value>, has_tools: bool) -> Result<Map<String, Value>> {
    let mut parameters = Map::new();
    let mut insert = |name: &str, value: Value| _ = parameters.insert(name.to_owned(), value);
    for name in SAME {
        if let Some(value) = body.get(name).filter(|_| has_tools || name != "parallel_tool_calls") {
            insert(name, value.clone());
        }
    }
    insert("messages", Value::Null);
    if let Some(tokens) = body.get("max_output_tokens") {
        insert("max_tokens", tokens.clone());
    }
    if has_tools {
        insert("tools", Value::Null);
        if let Some(choice) = body.get("tool_choice") {
            insert("tool_choice", tools::read_choice(choice)?);
        }
    }
    if body.get("top_logprobs").is_some() {
        insert("logprobs", true.into());
    }
    if let Some(reasoning) = body.get("reasoning") {
        match &reasoning["effort"] {
            Value::Null => {}
            effort @ Value::String(_) => insert("reasoning_effort", effort.clone()),
            _ => return Err(Error::invalid_body("reasoning.effort", "must be a string")),
        }
    }
    if let Some(text) = body.get("text") {
        if let Some(format) = read_format(&text["format"])? {
            insert("response_format", format);
        }
        if let verbosity @ Value::String(_) = &text["verbosity"] {
            insert("verbosity", verbosity.clone());
        }
    }
    if !matches!(body.get("truncation").and_then(Value::as_str), None | Some("auto" | "disabled")) {
        return Err(Error::invalid_body("truncation", "must be auto or disabled"));
    }
    Ok(parameters)
}

fn read_format(format: &Value) -> Result<Option<Value>> {
    match format["type"].as_str() {
        None if format.is_null() => Ok(None),
        Some("text") => Ok(None),
        Some("json_object") => Ok(Some(json!({"type": "json_object"}))),
        Some("json_schema") => {
            let mut schema = format.as_object().cloned().unwrap_or_default();
            schema.remove("type");
            Ok(Some(json!({"type": "json_schema", "json_schema": schema})))
        }
        _ => Err(Error::invalid_body("text.format.type", "must be text, json_object or json_schema")),
    }
}

#[cfg(test)]
mod tests;
