//! The items of the Responses API: messages, calls of tools, their outputs, and reasoning. Consecutive items of the model
//! become one message.

use serde_json::{Value, json};

use super::tools::function_name;
use crate::chat::openai::MAX_MESSAGES;
use domain::chat::{ChatRole, ContentPart, FilePart, Message, Opaque, Reasoning, ToolCall, Vendor};
use domain::{Error, Result};

/// The items of an input. A text is a message of the user.
pub fn input_items(input: Option<&Value>) -> Result<Vec<Value>> {
    match input {
        None => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(vec![json!({"type": "message", "role": "user", "content": text})]),
        Some(Value::Array(items)) if items.len() <= MAX_MESSAGES => Ok(items.clone()),
        Some(Value::Array(_)) => Err(Error::invalid_body("input", "must have at most 10,000 items; leave some out")),
        Some(_) => Err(Error::invalid_body("input", "must be a text or a list of items")),
    }
}

#[derive(Default)]
pub struct ItemReader {
    messages: Vec<Message>,
    /// The message of the model to which its next items belong.
    open: Option<Message>,
    /// Google's signature of the next call.
    signature: Option<String>,
}

impl ItemReader {
    pub fn read(&mut self, path: &str, item: &Value) -> Result<()> {
        let wrong = |field: &str, problem: &str| Error::invalid_body(format!("{path}{field}"), problem);
        let text = |field: &str| {
            item[field].as_str().map(str::to_owned).ok_or_else(|| wrong(&format!(".{field}"), "must be a string"))
        };
        let kind = match item["type"].as_str() {
            None if item["role"].is_string() => "message",
            None => return Err(wrong(".type", "must be a string")),
            Some(kind) => kind,
        };
        match kind {
            "message" => self.add_message(path, item)?,
            "function_call" | "custom_tool_call" => {
                let arguments = match kind {
                    "function_call" => text("arguments")?,
                    _ => json!({"input": text("input")?}).to_string(),
                };
                let others = self.signature.take().map(ToolCall::signature_field).into_iter().collect();
                let name = function_name(item["namespace"].as_str(), &text("name")?);
                let call = ToolCall { id: text("call_id")?, name, arguments, others };
                self.answer().tool_calls.push(call);
            }
            "function_call_output" | "custom_tool_call_output" => {
                let parts = read_content(&format!("{path}.output"), &item["output"])?;
                self.end_answer();
                self.messages.push(Message::tool(text("call_id")?, parts));
            }
            "reasoning" => self.add_reasoning(item),
            "item_reference" => {
                return Err(wrong(
                    "",
                    "the gateway keeps no items by their ids; send the items, or previous_response_id",
                ));
            }
            kind => {
                return Err(wrong(
                    ".type",
                    &format!("the gateway does not have items of the type {kind}; leave it out"),
                ));
            }
        }
        Ok(())
    }

    pub fn into_messages(mut self) -> Vec<Message> {
        self.end_answer();
        self.messages
    }

    fn answer(&mut self) -> &mut Message {
        self.open.get_or_insert_with(|| Message::new(ChatRole::Assistant, Vec::new()))
    }

    fn end_answer(&mut self) {
        self.messages.extend(self.open.take());
    }

    fn add_message(&mut self, path: &str, item: &Value) -> Result<()> {
        let parts = read_content(&format!("{path}.content"), &item["content"])?;
        let role = match item["role"].as_str() {
            Some("user") => ChatRole::User,
            Some("system" | "developer") => ChatRole::System,
            Some("assistant") => {
                self.answer().parts.extend(parts);
                return Ok(());
            }
            _ => {
                let problem = "must be one of system, developer, user, assistant";
                return Err(Error::invalid_body(format!("{path}.role"), problem));
            }
        };
        self.end_answer();
        self.messages.push(Message::new(role, parts));
        Ok(())
    }

    fn add_reasoning(&mut self, item: &Value) {
        match read_reasoning(item) {
            // The signature that Google wants back with a call, which has no field for it in this dialect.
            Some(Reasoning::Encrypted(data)) if data.vendor == Vendor::Google => self.signature = Some(data.data),
            Some(reasoning) => self.answer().parts.push(ContentPart::Reasoning(reasoning)),
            None => {}
        }
    }
}

/// What separates the parts of a summary, each of which is a paragraph.
pub const PART_BREAK: &str = "\n\n";

/// Reads an item of reasoning: its text, or else its summary, and the encrypted reasoning. None for an empty item.
pub fn read_reasoning(item: &Value) -> Option<Reasoning> {
    let texts = |list: &Value| -> String {
        let texts: Vec<_> = list.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str()).collect();
        texts.join(PART_BREAK)
    };
    let text = Some(texts(&item["content"])).filter(|text| !text.is_empty()).unwrap_or_else(|| texts(&item["summary"]));
    let encrypted = item["encrypted_content"].as_str().filter(|data| !data.is_empty());
    let opaque = encrypted.map(|data| match Opaque::from_field(data, Vendor::OpenAi) {
        own if own.vendor == Vendor::OpenAi => {
            Opaque { id: own.id.or_else(|| item["id"].as_str().map(str::to_owned)), ..own }
        }
        other => other,
    });
    match opaque {
        Some(data) if text.is_empty() => Some(Reasoning::Encrypted(data)),
        None if text.is_empty() => None,
        signature => Some(Reasoning::Text { text, signature }),
    }
}

fn read_content(path: &str, content: &Value) -> Result<Vec<ContentPart>> {
    match content {
        Value::String(text) => Ok(vec![ContentPart::Text(text.clone())]),
        Value::Array(parts) => {
            parts.iter().enumerate().map(|(i, part)| read_part(&format!("{path}[{i}]"), part)).collect()
        }
        _ => Err(Error::invalid_body(path, "must be a string or a list of parts")),
    }
}

fn read_part(path: &str, part: &Value) -> Result<ContentPart> {
    let wrong = |field: &str, problem: &str| Error::invalid_body(format!("{path}{field}"), problem);
    let text = |field: &str| {
        part[field].as_str().map(str::to_owned).ok_or_else(|| wrong(&format!(".{field}"), "must be a string"))
    };
    let by_id =
        |kind: &str| wrong(".file_id", &format!("the gateway keeps no {kind} by their ids; send the data or a URL"));
    match part["type"].as_str() {
        Some("input_text" | "output_text" | "text") => text("text").map(ContentPart::Text),
        Some("refusal") => text("refusal").map(ContentPart::Text),
        Some("input_image") if part["file_id"].is_string() => Err(by_id("images")),
        Some("input_image") => text("image_url").map(ContentPart::Image),
        Some("input_file") if part["file_id"].is_string() => Err(by_id("files")),
        Some("input_file") => {
            let field = if part["file_url"].is_string() { "file_url" } else { "file_data" };
            let name = part["filename"].as_str().map(str::to_owned);
            Ok(ContentPart::File(FilePart { url: text(field)?, name }))
        }
        Some(kind) => Err(wrong(".type", &format!("the gateway does not have parts of the type {kind}"))),
        None => Err(wrong(".type", "must be a string")),
    }
}
