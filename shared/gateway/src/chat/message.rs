//! The messages of a chat request, parsed and validated for providers whose API differs from OpenAI's.

use serde_json::{Map, Value};

use domain::{Error, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageRole {
    /// `system`, or `developer`, its name for newer models.
    System,
    User,
    Assistant,
    /// The result of a tool call.
    Tool,
}

/// A message, parsed once when the request is read. The request also keeps its JSON, to forward it unchanged.
#[derive(Clone, Debug)]
pub struct Message {
    pub role: MessageRole,
    pub name: Option<String>,
    pub parts: Vec<ContentPart>,
    /// The tool calls of an assistant message.
    pub tool_calls: Vec<ToolCall>,
    /// The id of the call whose result a tool message carries.
    pub tool_call_id: Option<String>,
}

#[derive(Clone, Debug)]
pub enum ContentPart {
    Text(String),
    /// A `data:` URL or the URL of an image.
    Image(String),
    /// A part of another type (`input_audio`, `file` …), unparsed.
    Other(Value),
}

#[derive(Clone, Debug)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    /// JSON, encoded as a string.
    pub arguments: String,
    /// Data that the provider sent with the call and requires back.
    pub extra_content: Option<Value>,
}

impl Message {
    /// Parses a message. `path` is its place in the body, for error messages.
    pub fn read(path: &str, message: &Value) -> Result<Self> {
        let wrong = |field: &str, problem: &str| Error::invalid_body(format!("{path}{field}"), problem);
        let fields = message.as_object().ok_or_else(|| wrong("", "must be an object"))?;
        let role = match fields.get("role").and_then(Value::as_str) {
            Some("system" | "developer") => MessageRole::System,
            Some("user") => MessageRole::User,
            Some("assistant") => MessageRole::Assistant,
            Some("tool" | "function") => MessageRole::Tool,
            _ => return Err(wrong(".role", "must be one of system, developer, user, assistant, tool")),
        };
        let tool_calls = match fields.get("tool_calls") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(calls)) => read_tool_calls(path, calls)?,
            Some(_) => return Err(wrong(".tool_calls", "must be a list")),
        };
        let parts = match fields.get("content") {
            Some(Value::String(text)) => vec![ContentPart::Text(text.clone())],
            Some(Value::Array(parts)) => read_parts(path, parts)?,
            None | Some(Value::Null) if role == MessageRole::Assistant => Vec::new(),
            _ => return Err(wrong(".content", "must be a string or a list of parts")),
        };
        let tool_call_id = text(fields, "tool_call_id");
        if role == MessageRole::Tool
            && tool_call_id.is_none()
            && fields.get("role").and_then(Value::as_str) == Some("tool")
        {
            return Err(wrong(".tool_call_id", "is required in a message of role tool"));
        }
        Ok(Self { role, name: text(fields, "name"), parts, tool_calls, tool_call_id })
    }

    /// Whether it has parts that are not text.
    pub fn has_other_parts(&self) -> bool {
        self.parts.iter().any(|part| !matches!(part, ContentPart::Text(_)))
    }

    /// The concatenated text of all parts.
    pub fn text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            ContentPart::Text(text) => Some(text.as_str()),
            ContentPart::Image(_) | ContentPart::Other(_) => None,
        });
        texts.collect()
    }
}

fn text(fields: &Map<String, Value>, name: &str) -> Option<String> {
    fields.get(name).and_then(Value::as_str).map(str::to_owned)
}

fn read_parts(path: &str, parts: &[Value]) -> Result<Vec<ContentPart>> {
    let read = |(i, part): (usize, &Value)| {
        let wrong = |field: &str, problem: &str| Error::invalid_body(format!("{path}.content[{i}]{field}"), problem);
        match part["type"].as_str() {
            Some("text") => {
                text_of(&part["text"]).map(ContentPart::Text).ok_or_else(|| wrong(".text", "must be a string"))
            }
            Some("image_url") => {
                let image = &part["image_url"];
                if !image["detail"].is_null() && !image["detail"].is_string() {
                    return Err(wrong(".image_url.detail", "must be a string"));
                }
                text_of(&image["url"])
                    .map(ContentPart::Image)
                    .ok_or_else(|| wrong(".image_url.url", "must be a string"))
            }
            Some("refusal") => {
                text_of(&part["refusal"]).map(ContentPart::Text).ok_or_else(|| wrong(".refusal", "must be a string"))
            }
            Some(kind @ ("input_audio" | "file")) if !part[kind].is_object() => {
                Err(wrong(&format!(".{kind}"), "must be an object"))
            }
            Some(_) => Ok(ContentPart::Other(part.clone())),
            None => Err(wrong(".type", "must be a string")),
        }
    };
    parts.iter().enumerate().map(read).collect()
}

fn text_of(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn read_tool_calls(path: &str, calls: &[Value]) -> Result<Vec<ToolCall>> {
    let read = |(i, call): (usize, &Value)| {
        let part = |value: &Value, field: &str| {
            let place = || Error::invalid_body(format!("{path}.tool_calls[{i}]{field}"), "must be a string");
            text_of(value).ok_or_else(place)
        };
        Ok(ToolCall {
            id: part(&call["id"], ".id")?,
            name: part(&call["function"]["name"], ".function.name")?,
            arguments: part(&call["function"]["arguments"], ".function.arguments")?,
            extra_content: call.get("extra_content").cloned(),
        })
    };
    calls.iter().enumerate().map(read).collect()
}
