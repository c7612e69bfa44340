//! The reply of the development model: a text that repeats the prompt, tool calls, or JSON in the requested format.

use serde_json::{Value, json};

use super::CHAT;
use super::schema_value::generate_value;
use crate::chat::{ChatRequest, ChatRole, ContentPart, Message, ResponseFormat};
use crate::failure::{FailureKind, ProviderFailure};
use crate::providers::conversation::unsupported_part;

#[derive(Debug, PartialEq)]
pub enum ReplyContent {
    Text(String),
    /// Names and arguments of the called tools.
    Calls(Vec<(String, String)>),
}

pub fn compose_content(request: &ChatRequest) -> Result<ReplyContent, ProviderFailure> {
    let messages = request.messages();
    let parts = messages.iter().flat_map(|message| &message.parts);
    for part in parts {
        if let ContentPart::Other(part) = part {
            return Err(unsupported_part(CHAT, part));
        }
    }
    let prompt = messages.iter().rev().find(|message| message.role == ChatRole::User).map(Message::text);
    let prompt = prompt.unwrap_or_default();
    let last = messages.last();
    let calls = choose_tools(request, last, &prompt)?;
    if !calls.is_empty() {
        let arguments = |tool: &Value| match tool["function"].get("parameters") {
            Some(schema) => generate_value(schema, &prompt).map(|value| value.to_string()),
            None => Ok("{}".to_owned()),
        };
        let call = |tool: &Value| {
            let arguments = arguments(tool).map_err(|why| ProviderFailure::unsupported("tools", why))?;
            Ok((name_of(tool).to_owned(), arguments))
        };
        return Ok(ReplyContent::Calls(calls.into_iter().map(call).collect::<Result<_, ProviderFailure>>()?));
    }
    let text = match request.response_format() {
        ResponseFormat::Text => text(messages, &prompt),
        ResponseFormat::Json => json!({"model": CHAT, "you_said": prompt}).to_string(),
        ResponseFormat::Schema(format) => {
            let schema = format.get("schema").unwrap_or(&Value::Bool(true));
            let made =
                generate_value(schema, &prompt).map_err(|why| ProviderFailure::unsupported("response_format", why))?;
            made.to_string()
        }
    };
    Ok(ReplyContent::Text(text))
}

fn text(messages: &[Message], prompt: &str) -> String {
    let pictures = messages.iter().flat_map(|message| &message.parts);
    let pictures = match pictures.filter(|part| matches!(part, ContentPart::Image(_))).count() {
        0 => String::new(),
        1 => " I cannot see the picture you sent.".to_owned(),
        several => format!(" I cannot see the {several} pictures you sent."),
    };
    let answer = match messages.last() {
        Some(tool) if tool.role == ChatRole::Tool => format!("The tool answered: {}", tool.text()),
        _ => format!("You said: {prompt}"),
    };
    format!("I am {CHAT}, the development model of this platform; no provider is behind me.{pictures} {answer}")
}

/// Returns the tools to call: those that `tool_choice` requires, else those that the user's last message names.
fn choose_tools<'a>(
    request: &'a ChatRequest,
    last: Option<&Message>,
    prompt: &str,
) -> Result<Vec<&'a Value>, ProviderFailure> {
    let tools = request.tools();
    if let Some(tool) = tools.iter().find(|tool| tool["type"] != "function") {
        return Err(ProviderFailure::unsupported(
            "tools",
            format_args!("{CHAT} supports only functions, not {}", tool["type"]),
        ));
    }
    let named = |tool: &&Value| prompt.contains(name_of(tool));
    let is_asked = last.is_some_and(|message| message.role == ChatRole::User);
    let mut calls: Vec<_> = tools.iter().filter(named).collect();
    match request.tool_choice() {
        None => calls.retain(|_| is_asked),
        Some(Value::String(choice)) if choice == "auto" => calls.retain(|_| is_asked),
        Some(Value::String(choice)) if choice == "required" => {
            if calls.is_empty() {
                calls.extend(tools.first());
            }
            if calls.is_empty() {
                return Err(wrong_choice("the request has no tools; add one"));
            }
        }
        Some(choice) if choice["type"] == "function" => {
            let name = choice["function"]["name"].as_str().unwrap_or_default();
            let tool = tools.iter().find(|tool| name_of(tool) == name);
            calls = vec![tool.ok_or_else(|| wrong_choice("this tool is not in tools"))?];
        }
        Some(Value::String(_)) => calls.clear(),
        Some(choice) => {
            let why = format_args!("{CHAT} does not support the type {}", choice["type"]);
            return Err(ProviderFailure::unsupported("tool_choice", why));
        }
    }
    if request.body().get("parallel_tool_calls") == Some(&Value::Bool(false)) {
        calls.truncate(1);
    }
    Ok(calls)
}

fn wrong_choice(why: &str) -> ProviderFailure {
    let message = format!("tool_choice: {why}");
    ProviderFailure {
        param: Some("tool_choice".to_owned()),
        ..ProviderFailure::new(FailureKind::Request, "invalid_value", message)
    }
}

fn name_of(tool: &Value) -> &str {
    tool["function"]["name"].as_str().unwrap_or_default()
}
