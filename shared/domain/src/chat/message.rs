//! The messages of a conversation: made by the platform, or read from the JSON of a client.

use serde::de::Error as _;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

use super::part::{CacheMark, ContentPart};
use super::reasoning::Reasoning;
use crate::{Error, Result};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChatRole {
    /// `system`, or `developer`, its name for newer models.
    System,
    User,
    Assistant,
    /// The result of a tool call.
    Tool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub role: ChatRole,
    pub name: Option<String>,
    pub parts: Vec<ContentPart>,
    /// The tool calls of an assistant message.
    pub tool_calls: Vec<ToolCall>,
    /// The id of the call whose result a tool message carries.
    pub tool_call_id: Option<String>,
    /// What the message was read from. It has fields that are not read, and is forwarded unchanged.
    source: Option<Value>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    /// JSON, encoded as a string.
    pub arguments: String,
    /// Other fields that the provider sent and may require back, such as `extra_content` with the `thought_signature` of Google.
    pub others: Map<String, Value>,
}

impl Message {
    pub fn new(role: ChatRole, parts: Vec<ContentPart>) -> Self {
        Self { role, name: None, parts, tool_calls: Vec::new(), tool_call_id: None, source: None }
    }

    pub fn system(text: impl Into<String>) -> Self {
        Self::new(ChatRole::System, vec![ContentPart::Text(text.into())])
    }

    pub fn user(text: impl Into<String>) -> Self {
        Self::new(ChatRole::User, vec![ContentPart::Text(text.into())])
    }

    pub fn assistant(text: Option<String>, tool_calls: Vec<ToolCall>) -> Self {
        let parts = text.map(ContentPart::Text).into_iter().collect();
        Self { tool_calls, ..Self::new(ChatRole::Assistant, parts) }
    }

    /// Adds what the model wrote before its answer.
    #[must_use]
    pub fn after_reasoning(mut self, reasoning: Vec<Reasoning>) -> Self {
        self.parts.splice(..0, reasoning.into_iter().map(ContentPart::Reasoning));
        self
    }

    /// The result of a tool call.
    pub fn tool(call_id: String, parts: Vec<ContentPart>) -> Self {
        Self { tool_call_id: Some(call_id), ..Self::new(ChatRole::Tool, parts) }
    }

    /// Reads a message. `path` is its place in the body, for error messages.
    pub fn read(path: &str, source: Value) -> Result<Self> {
        let message = Self::parse(path, &source)?;
        Ok(Self { source: Some(source), ..message })
    }

    fn parse(path: &str, message: &Value) -> Result<Self> {
        let wrong = |field: &str, problem: &str| Error::invalid_body(format!("{path}{field}"), problem);
        let fields = message.as_object().ok_or_else(|| wrong("", "must be an object"))?;
        let role = match fields.get("role").and_then(Value::as_str) {
            Some("system" | "developer") => ChatRole::System,
            Some("user") => ChatRole::User,
            Some("assistant") => ChatRole::Assistant,
            Some("tool" | "function") => ChatRole::Tool,
            _ => return Err(wrong(".role", "must be one of system, developer, user, assistant, tool")),
        };
        let tool_calls = match fields.get("tool_calls") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(calls)) => read_tool_calls(path, calls)?,
            Some(_) => return Err(wrong(".tool_calls", "must be a list")),
        };
        let content = match fields.get("content") {
            Some(Value::String(text)) => vec![ContentPart::Text(text.clone())],
            Some(Value::Array(parts)) => ContentPart::read_all(path, parts)?,
            None | Some(Value::Null) if role == ChatRole::Assistant => Vec::new(),
            _ => return Err(wrong(".content", "must be a string or a list of parts")),
        };
        let reasoning = if role == ChatRole::Assistant { Reasoning::read_all(fields) } else { Vec::new() };
        let mark = CacheMark::read(message).map(ContentPart::CacheMark);
        let parts = reasoning.into_iter().map(ContentPart::Reasoning).chain(content).chain(mark).collect();
        let tool_call_id = text(fields, "tool_call_id");
        if role == ChatRole::Tool
            && tool_call_id.is_none()
            && fields.get("role").and_then(Value::as_str) == Some("tool")
        {
            return Err(wrong(".tool_call_id", "is required in a message of role tool"));
        }
        Ok(Self { role, name: text(fields, "name"), parts, tool_calls, tool_call_id, source: None })
    }

    /// The approximate size in memory.
    pub fn memory(&self) -> usize {
        let parts: usize = self.parts.iter().map(ContentPart::memory).sum();
        let calls: usize = self.tool_calls.iter().map(|call| size_of::<ToolCall>() + call.arguments.len()).sum();
        let source = if self.source.is_some() { parts + calls } else { 0 };
        size_of::<Self>() + parts + calls + source
    }

    /// Whether it has content that is not text.
    pub fn has_media(&self) -> bool {
        self.parts.iter().any(ContentPart::is_media)
    }

    /// The reasoning of the model in this message.
    pub fn reasoning(&self) -> impl Iterator<Item = &Reasoning> {
        self.parts.iter().filter_map(|part| if let ContentPart::Reasoning(it) = part { Some(it) } else { None })
    }

    /// Whether it is what a client sent, in OpenAI's format.
    pub fn is_unchanged(&self) -> bool {
        self.source.is_some()
    }

    /// What a client sent, in OpenAI's format.
    pub fn source(&self) -> Option<&Value> {
        self.source.as_ref()
    }

    /// The concatenated text of all parts.
    pub fn text(&self) -> String {
        self.texts().collect()
    }

    /// The texts of the parts.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(ContentPart::as_text)
    }

    /// Adds a paragraph: to the only text, or as a further part.
    pub fn add_paragraph(&mut self, text: &str) {
        match self.source.as_mut().map(|source| &mut source["content"]) {
            Some(Value::String(content)) => content.push_str(&format!("\n\n{text}")),
            Some(Value::Array(parts)) => parts.push(json!({"type": "text", "text": text})),
            _ => {}
        }
        match self.parts.as_mut_slice() {
            [ContentPart::Text(content)] => content.push_str(&format!("\n\n{text}")),
            _ => self.parts.push(ContentPart::Text(text.to_owned())),
        }
    }
}

impl ToolCall {
    /// The field in which OpenAI's clients keep the signature of a call, as Google documents it.
    pub fn signature_field(signature: String) -> (String, Value) {
        ("extra_content".to_owned(), json!({"google": {"thought_signature": signature}}))
    }

    /// The signature that Google's models want back with the call.
    pub fn signature(others: &Map<String, Value>) -> Option<&str> {
        others.get("extra_content")?["google"]["thought_signature"].as_str()
    }

    /// The fields of a call that are not read.
    pub fn read_others(call: &Value) -> Map<String, Value> {
        let others = call.as_object().into_iter().flatten();
        let others = others.filter(|(name, _)| !["id", "type", "function", "index"].contains(&name.as_str()));
        others.map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(source) = &self.source {
            return source.serialize(serializer);
        }
        let mut message = serializer.serialize_map(None)?;
        message.serialize_entry("role", &self.role)?;
        if let Some(name) = &self.name {
            message.serialize_entry("name", name)?;
        }
        if let Some(id) = &self.tool_call_id {
            message.serialize_entry("tool_call_id", id)?;
        }
        message.serialize_entry("content", &ContentPart::write_all(&self.parts))?;
        Reasoning::write_all(&self.reasoning().cloned().collect::<Vec<_>>(), &mut message)?;
        if !self.tool_calls.is_empty() {
            message.serialize_entry("tool_calls", &self.tool_calls)?;
        }
        message.end()
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read("", Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl Serialize for ToolCall {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { id, name, arguments, others } = self;
        let mut call = serializer.serialize_map(None)?;
        call.serialize_entry("id", id)?;
        call.serialize_entry("type", "function")?;
        call.serialize_entry("function", &json!({"name": name, "arguments": arguments}))?;
        for (name, value) in others {
            call.serialize_entry(name, value)?;
        }
        call.end()
    }
}

fn text(fields: &Map<String, Value>, name: &str) -> Option<String> {
    fields.get(name).and_then(Value::as_str).map(str::to_owned)
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
            others: ToolCall::read_others(call),
        })
    };
    calls.iter().enumerate().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(message: &Value) -> Message {
        Message::read("messages[0]", message.clone()).unwrap()
    }

    #[test]
    fn messages_of_clients_keep_what_is_not_read() {
        let image = json!({"type": "image_url", "image_url": {"url": "data:,", "detail": "low"}, "cache_control": {}});
        let message = json!({"role": "developer", "content": [{"type": "text", "text": "a"}, image], "audio": null});
        let mut message = read(&message);
        assert_eq!((message.role, message.texts().collect::<Vec<_>>()), (ChatRole::System, vec!["a"]));
        message.add_paragraph("b");
        let content = json!([{"type": "text", "text": "a"}, image, {"type": "text", "text": "b"}]);
        assert_eq!(json!(message), json!({"role": "developer", "content": content, "audio": null}));
        assert_eq!(message.text(), "ab");
    }

    #[test]
    fn messages_of_the_platform_are_written_and_read_again() {
        let call = ToolCall {
            id: "c".to_owned(),
            name: "f".to_owned(),
            arguments: "{}".to_owned(),
            others: Map::from_iter([("extra_content".to_owned(), json!({"google": {"thought_signature": "s"}}))]),
        };
        let parts = vec![ContentPart::Text("a".to_owned()), ContentPart::Image("data:,".to_owned())];
        let mut user = Message::user("a");
        user.add_paragraph("b");
        for (message, expected) in [
            (Message::system("a"), json!({"role": "system", "content": "a"})),
            (user, json!({"role": "user", "content": "a\n\nb"})),
            (
                Message::new(ChatRole::User, parts),
                json!({"role": "user", "content": [
                    {"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "data:,"}},
                ]}),
            ),
            (
                Message::assistant(None, vec![call]),
                json!({"role": "assistant", "content": null, "tool_calls": [{
                    "id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"},
                    "extra_content": {"google": {"thought_signature": "s"}},
                }]}),
            ),
            (
                Message::tool("c".to_owned(), vec![ContentPart::Text(String::new())]),
                json!({"role": "tool", "tool_call_id": "c", "content": ""}),
            ),
        ] {
            assert_eq!(json!(message), expected);
            let again = read(&expected);
            assert_eq!(Message { source: None, ..again }, message);
        }
    }
}
