//! The reply of the development model: a text that repeats the prompt, tool calls, or JSON in the requested format.

use serde_json::{Value, json};

use super::CHAT;
use super::schema_value::generate_value;
use crate::chat::{ChatRequest, ChatRole, ContentPart, Function, Message, ResponseFormat, ToolChoice};
use crate::failure::{FailureKind, ProviderFailure};
use crate::providers::conversation::unsupported_part;
use crate::providers::tools::functions;

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
        if matches!(part, ContentPart::File(_) | ContentPart::Audio(_) | ContentPart::Other(_)) {
            return Err(unsupported_part(CHAT, part));
        }
    }
    let prompt = messages.iter().rev().find(|message| message.role == ChatRole::User).map(Message::text);
    let prompt = prompt.unwrap_or_default();
    let last = messages.last();
    let calls = choose_tools(request, last, &prompt)?;
    if !calls.is_empty() {
        let arguments = |tool: &Function<'_>| match tool.parameters {
            Some(schema) => generate_value(schema, &prompt).map(|value| value.to_string()),
            None => Ok("{}".to_owned()),
        };
        let call = |tool: Function<'_>| {
            let arguments = arguments(&tool).map_err(|why| ProviderFailure::unsupported("tools", why))?;
            Ok((tool.name.to_owned(), arguments))
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
) -> Result<Vec<Function<'a>>, ProviderFailure> {
    let tools = functions(request, CHAT)?;
    let is_asked = last.is_some_and(|message| message.role == ChatRole::User);
    let named = tools.iter().filter(|tool| prompt.contains(tool.name)).copied();
    let mut calls: Vec<_> = match request.tool_choice() {
        Ok(None | Some(ToolChoice::Auto)) => named.filter(|_| is_asked).collect(),
        Ok(Some(ToolChoice::None)) => Vec::new(),
        Ok(Some(ToolChoice::Required)) => {
            let named: Vec<_> = named.collect();
            let first = tools.first().ok_or_else(|| wrong_choice("the request has no tools; add one"))?;
            if named.is_empty() { vec![*first] } else { named }
        }
        Ok(Some(ToolChoice::Function(name))) => {
            let tool = tools.iter().find(|tool| tool.name == name);
            vec![*tool.ok_or_else(|| wrong_choice("this tool is not in tools"))?]
        }
        Err(choice) => {
            let why = format_args!("{CHAT} does not support the type {}", choice["type"]);
            return Err(ProviderFailure::unsupported("tool_choice", why));
        }
    };
    if request.forbids_parallel_calls() {
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
