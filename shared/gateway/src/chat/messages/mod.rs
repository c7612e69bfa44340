//! The reader of a request to Anthropic's Messages API. What other providers know too is read into the conversation and into
//! parameters with OpenAI's names; a provider with Anthropic's API gets the client's own body.

mod blocks;

use serde_json::{Map, Value, json};

use super::request::ChatRequest;
use crate::body::{read_parameters, require_model};
use crate::dialect::{Dialect, Foreign, NativeMessages};
use domain::chat::{ChatRole, Message, Tool};
use domain::{Error, Result};

use super::openai::{MAX_MESSAGES, MAX_TOOLS, check_integer, check_number, check_parameters};

/// The parameters that keep their names and values.
const SAME: [&str; 7] = ["model", "max_tokens", "temperature", "top_p", "top_k", "stream", "guard"];
/// Parameters of Anthropic's API that the table of parameters knows by their own names.
const VENDOR: [&str; 5] = ["thinking", "output_config", "cache_control", "container", "inference_geo"];
/// The parameters that are read into others.
const READ: [&str; 6] = ["system", "messages", "tools", "tool_choice", "stop_sequences", "metadata"];
/// Tools that Anthropic's servers execute, by the beginning of their type. Their calls have a price of their own.
const SERVER_TOOLS: [&str; 4] = ["web_search_", "web_fetch_", "code_execution_", "tool_search_tool_"];

impl ChatRequest {
    /// `betas` are the values of the header `anthropic-beta`.
    pub fn read_messages(body: Value, betas: Vec<String>) -> Result<Self> {
        let mut body = read_parameters(body, &["max_tokens", "top_k"])?;
        require_model(&body)?;
        if body.get("mcp_servers").is_some_and(|servers| servers.as_array().is_none_or(|list| !list.is_empty())) {
            return Err(Error::invalid_body("mcp_servers", "the gateway calls no MCP servers; leave it out"));
        }
        let mut messages = read_system(body.get("system"))?;
        messages.extend(read_messages(body.get("messages"))?);
        check_number(&body, "temperature", 0.0, 1.0)?;
        check_integer(&body, "top_k", 0, u64::from(u32::MAX))?;
        let tools = read_tools(body.get("tools"))?;
        let parameters = map_parameters(&body, !tools.is_empty())?;
        check_parameters(&parameters)?;
        let is_known = |name: &String| [&SAME[..], &VENDOR, &READ].concat().contains(&name.as_str());
        let unmapped = body.keys().filter(|name| !is_known(name)).cloned().collect();
        body.remove("guard");
        let native = NativeMessages { body, betas };
        let foreign = Foreign { dialect: Dialect::Messages, unmapped, messages: Some(native), ..Foreign::default() };
        Ok(Self::from_parts(parameters, messages, tools).with_foreign(foreign))
    }
}

fn read_system(system: Option<&Value>) -> Result<Vec<Message>> {
    let Some(system) = system else { return Ok(Vec::new()) };
    let parts = blocks::read_content("system", system)?;
    Ok(if parts.is_empty() { Vec::new() } else { vec![Message::new(ChatRole::System, parts)] })
}

fn read_messages(messages: Option<&Value>) -> Result<Vec<Message>> {
    let Some(Value::Array(messages)) = messages.filter(|messages| messages.get(0).is_some()) else {
        return Err(Error::invalid_body("messages", "must be a list with at least one message"));
    };
    if messages.len() > MAX_MESSAGES {
        return Err(Error::invalid_body("messages", "must have at most 10,000 messages; leave some out"));
    }
    let mut read = Vec::with_capacity(messages.len());
    for (i, message) in messages.iter().enumerate() {
        blocks::read_message(&format!("messages[{i}]"), message, &mut read)?;
    }
    Ok(read)
}

/// Reads the tools in OpenAI's form. A tool of another type than a function keeps its form, and only Anthropic gets it.
fn read_tools(tools: Option<&Value>) -> Result<Vec<Tool>> {
    let tools = match tools {
        None => return Ok(Vec::new()),
        Some(Value::Array(tools)) if tools.len() <= MAX_TOOLS => tools,
        Some(_) => return Err(Error::invalid_body("tools", format_args!("list at most {MAX_TOOLS} tools"))),
    };
    let read = |(i, tool): (usize, &Value)| {
        let wrong = |field: &str, problem: &str| Error::invalid_body(format!("tools[{i}]{field}"), problem);
        let kind = tool["type"].as_str().unwrap_or("custom");
        if SERVER_TOOLS.iter().any(|server_tool| kind.starts_with(server_tool)) {
            let problem = format_args!("the gateway does not have the built-in tool {kind}; leave it out").to_string();
            return Err(wrong(".type", &problem));
        }
        if !tool["name"].is_string() {
            return Err(wrong(".name", "must be a string"));
        }
        if kind != "custom" {
            return Ok(Tool::OpenAi(tool.clone()));
        }
        if !tool["input_schema"].is_object() {
            return Err(wrong(".input_schema", "must be a JSON Schema"));
        }
        let mut function = json!({"name": tool["name"], "parameters": tool["input_schema"]});
        for name in ["description", "strict"] {
            if let Some(value) = tool.get(name).filter(|value| !value.is_null()) {
                function[name] = value.clone();
            }
        }
        let mut read = json!({"type": "function", "function": function});
        if let Some(mark) = tool.get("cache_control").filter(|mark| mark.is_object()) {
            read["cache_control"] = mark.clone();
        }
        Ok(Tool::OpenAi(read))
    };
    tools.iter().enumerate().map(read).collect()
}

/// The parameters with OpenAI's names, as `ChatRequest` keeps them.
fn map_parameters(body: &Map<String, Value>, has_tools: bool) -> Result<Map<String, Value>> {
    let mut parameters = Map::new();
    for name in SAME.iter().chain(&VENDOR) {
        if let Some(value) = body.get(*name) {
            parameters.insert((*name).to_owned(), value.clone());
        }
    }
    parameters.insert("messages".to_owned(), Value::Null);
    if let Some(stops) = body.get("stop_sequences") {
        parameters.insert("stop".to_owned(), stops.clone());
    }
    if let Some(user) = body.get("metadata").and_then(|metadata| metadata.get("user_id")).filter(|id| id.is_string()) {
        parameters.insert("user".to_owned(), user.clone());
    }
    if has_tools {
        parameters.insert("tools".to_owned(), Value::Null);
        if let Some(choice) = body.get("tool_choice") {
            read_choice(choice, &mut parameters)?;
        }
    }
    if let Some(effort) = effort(body)? {
        parameters.insert("reasoning_effort".to_owned(), effort.into());
    }
    if let Some(format) = body.get("output_config").and_then(|config| config.get("format")).filter(|it| it.is_object())
    {
        let schema = json!({"name": "answer", "schema": format["schema"], "strict": true});
        parameters.insert("response_format".to_owned(), json!({"type": "json_schema", "json_schema": schema}));
    }
    Ok(parameters)
}

fn read_choice(choice: &Value, parameters: &mut Map<String, Value>) -> Result<()> {
    let read = match choice["type"].as_str() {
        Some("auto") => json!("auto"),
        Some("any") => json!("required"),
        Some("none") => json!("none"),
        Some("tool") if choice["name"].is_string() => json!({"type": "function", "function": {"name": choice["name"]}}),
        _ => return Err(Error::invalid_body("tool_choice", "must have the type auto, any, none, or tool with a name")),
    };
    parameters.insert("tool_choice".to_owned(), read);
    if choice["disable_parallel_tool_use"] == true {
        parameters.insert("parallel_tool_calls".to_owned(), false.into());
    }
    Ok(())
}

/// The effort for providers that have no budget of tokens for reasoning.
fn effort(body: &Map<String, Value>) -> Result<Option<&str>> {
    let thinking = body.get("thinking").unwrap_or(&Value::Null);
    let wanted = body.get("output_config").and_then(|config| config["effort"].as_str());
    match thinking["type"].as_str() {
        None if thinking.is_null() => Ok(None),
        Some("disabled") => Ok(None),
        Some("adaptive") => Ok(Some(wanted.map_or("medium", |effort| if effort == "max" { "xhigh" } else { effort }))),
        Some("enabled") => match thinking["budget_tokens"].as_u64() {
            Some(0..2_000) => Ok(Some("minimal")),
            Some(2_000..5_000) => Ok(Some("low")),
            Some(5_000..10_000) => Ok(Some("medium")),
            Some(_) => Ok(Some("high")),
            None => Err(Error::invalid_body("thinking.budget_tokens", "must be a number of tokens")),
        },
        _ => Err(Error::invalid_body("thinking.type", "must be enabled, adaptive or disabled")),
    }
}

#[cfg(test)]
mod tests;
