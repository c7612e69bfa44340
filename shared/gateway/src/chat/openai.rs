//! The reader of a request to OpenAI's chat completions API. Documented parameters are validated; others are kept for the
//! provider.

use serde_json::{Map, Value};

use super::fallbacks::take_fallbacks;
use super::request::ChatRequest;
use crate::body::{read_parameters, require_model};
use domain::chat::{Message, Tool};
use domain::{Error, Result};

/// The parameters that are whole numbers.
const INTEGER_PARAMETERS: [&str; 5] = ["max_tokens", "max_completion_tokens", "n", "seed", "top_logprobs"];
const MAX_CHOICES: u64 = 128;
pub(super) const MAX_MESSAGES: usize = 10_000;
const MAX_STOPS: usize = 16;
pub(super) const MAX_TOOLS: usize = 512;

impl ChatRequest {
    pub fn read(body: Value) -> Result<Self> {
        let mut body = read_parameters(body, &INTEGER_PARAMETERS)?;
        require_model(&body)?;
        let messages = read_messages(take(&mut body, "messages"))?;
        check_tools(&body)?;
        check_parameters(&body)?;
        let fallbacks = take_fallbacks(&mut body)?;
        let tools = match take(&mut body, "tools") {
            Value::Array(tools) => tools.into_iter().map(Tool::OpenAi).collect(),
            _ => Vec::new(),
        };
        Ok(Self::from_parts(body, messages, tools).with_fallbacks(fallbacks))
    }
}

/// Takes the value of a parameter, and leaves null in its place.
fn take(body: &mut Map<String, Value>, name: &str) -> Value {
    body.get_mut(name).map(Value::take).unwrap_or_default()
}

fn read_messages(messages: Value) -> Result<Vec<Message>> {
    let Value::Array(messages) = messages else {
        return Err(Error::invalid_body("messages", "must be a list with at least one message"));
    };
    match messages.len() {
        0 => return Err(Error::invalid_body("messages", "must be a list with at least one message")),
        count if count > MAX_MESSAGES => {
            return Err(Error::invalid_body("messages", "must have at most 10,000 messages; leave some out"));
        }
        _ => {}
    }
    let read = |(i, message)| Message::read(&format!("messages[{i}]"), message);
    messages.into_iter().enumerate().map(read).collect()
}

/// Checks the parameters of all dialects, under OpenAI's names.
pub(super) fn check_parameters(body: &Map<String, Value>) -> Result<()> {
    let wrong = |field: &str, problem: &str| Err(Error::invalid_body(field, problem));
    check_number(body, "temperature", 0.0, 2.0)?;
    check_number(body, "top_p", 0.0, 1.0)?;
    check_number(body, "presence_penalty", -2.0, 2.0)?;
    check_number(body, "frequency_penalty", -2.0, 2.0)?;
    check_integer(body, "max_tokens", 1, u64::from(u32::MAX))?;
    check_integer(body, "max_completion_tokens", 1, u64::from(u32::MAX))?;
    check_integer(body, "n", 1, MAX_CHOICES)?;
    check_integer(body, "top_logprobs", 0, 20)?;
    for name in ["stream", "logprobs", "guard", "parallel_tool_calls"] {
        if body.get(name).is_some_and(|value| !value.is_boolean()) {
            return wrong(name, "must be true or false");
        }
    }
    if body.get("seed").is_some_and(|seed| !seed.is_i64()) {
        return wrong("seed", "must be a 64-bit integer");
    }
    if body.contains_key("top_logprobs") && body.get("logprobs") != Some(&Value::Bool(true)) {
        return wrong("top_logprobs", "requires logprobs: true");
    }
    if body.get("stream_options").is_some_and(|options| !options.is_object()) {
        return wrong("stream_options", "must be an object");
    }
    let usage = body.get("stream_options").map_or(&Value::Null, |options| &options["include_usage"]);
    if !usage.is_boolean() && !usage.is_null() {
        return wrong("stream_options.include_usage", "must be true or false");
    }
    match body.get("stop") {
        None | Some(Value::String(_)) => {}
        Some(Value::Array(stops)) if stops.len() <= MAX_STOPS && stops.iter().all(Value::is_string) => {}
        Some(_) => return wrong("stop", "must be a string or a list of at most 16 strings"),
    }
    check_tool_choice(body)?;
    check_response_format(body)
}

pub(super) fn check_number(body: &Map<String, Value>, name: &str, least: f64, most: f64) -> Result<()> {
    let Some(value) = body.get(name) else { return Ok(()) };
    match value.as_f64() {
        Some(number) if (least..=most).contains(&number) => Ok(()),
        _ => Err(Error::invalid_body(name, format_args!("must be a number from {least} to {most}"))),
    }
}

pub(super) fn check_integer(body: &Map<String, Value>, name: &str, least: u64, most: u64) -> Result<()> {
    let Some(value) = body.get(name) else { return Ok(()) };
    match value.as_u64() {
        Some(number) if (least..=most).contains(&number) => Ok(()),
        _ => Err(Error::invalid_body(name, format_args!("must be an integer from {least} to {most}"))),
    }
}

fn check_tools(body: &Map<String, Value>) -> Result<()> {
    let tools = match body.get("tools") {
        None => &[],
        Some(Value::Array(tools)) if tools.len() <= MAX_TOOLS => tools.as_slice(),
        Some(_) => return Err(Error::invalid_body("tools", format_args!("list at most {MAX_TOOLS} tools"))),
    };
    for (i, tool) in tools.iter().enumerate() {
        let is_function = tool["type"] == "function";
        if !tool["type"].is_string() || (is_function && !tool["function"]["name"].is_string()) {
            let problem = "must be {\"type\": \"function\", \"function\": {\"name\", \"description\", \"parameters\"}}";
            return Err(Error::invalid_body(format!("tools[{i}]"), problem));
        }
    }
    Ok(())
}

fn check_tool_choice(body: &Map<String, Value>) -> Result<()> {
    match body.get("tool_choice") {
        None => Ok(()),
        Some(Value::String(choice)) if ["none", "auto", "required"].contains(&choice.as_str()) => Ok(()),
        Some(Value::Object(choice)) if choice.get("type").is_some_and(Value::is_string) => Ok(()),
        Some(_) => Err(Error::invalid_body("tool_choice", "must be none, auto, required, or name a tool")),
    }
}

fn check_response_format(body: &Map<String, Value>) -> Result<()> {
    let Some(format) = body.get("response_format") else { return Ok(()) };
    match format["type"].as_str() {
        Some("text" | "json_object") => Ok(()),
        Some("json_schema") if format["json_schema"]["name"].is_string() => Ok(()),
        Some("json_schema") => Err(Error::invalid_body("response_format.json_schema.name", "must be a string")),
        _ => Err(Error::invalid_body("response_format.type", "must be text, json_object or json_schema")),
    }
}
