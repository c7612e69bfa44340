//! The content blocks of Anthropic's messages.

use serde_json::Value;

use domain::chat::{CacheMark, ChatRole, ContentPart, FilePart, Message, Opaque, Reasoning, ToolCall, Vendor};
use domain::{Error, Result};

/// Reads a message. The results of tools in a user's message become messages of their own.
pub fn read_message(path: &str, message: &Value, read: &mut Vec<Message>) -> Result<()> {
    let role = match message["role"].as_str() {
        Some("user") => ChatRole::User,
        Some("assistant") => ChatRole::Assistant,
        Some("system") => ChatRole::System,
        _ => return Err(Error::invalid_body(format!("{path}.role"), "must be user or assistant")),
    };
    let content = format!("{path}.content");
    let Value::Array(blocks) = &message["content"] else {
        let parts = read_content(&content, &message["content"])?;
        read.push(Message::new(role, parts));
        return Ok(());
    };
    let mut own = Message::new(role, Vec::new());
    let mut signature = None;
    for (i, block) in blocks.iter().enumerate() {
        let path = format!("{content}[{i}]");
        match block["type"].as_str() {
            Some("tool_result") if role == ChatRole::User => {
                // OpenAI's API wants the results directly after the calls, and Anthropic's wants them first.
                read.push(read_result(&path, block)?);
            }
            Some("tool_use") if role == ChatRole::Assistant => {
                own.tool_calls.push(read_call(&path, block, signature.take())?);
            }
            _ => match read_block(&path, block)? {
                // The signature that Google wants back with a call, which has no field for it in this dialect.
                ContentPart::Reasoning(Reasoning::Encrypted(opaque)) if opaque.vendor == Vendor::Google => {
                    signature = Some(opaque.data);
                }
                part => own.parts.push(part),
            },
        }
        if block["type"] != "tool_result" {
            own.parts.extend(CacheMark::read(block).map(ContentPart::CacheMark));
        }
    }
    if !own.parts.is_empty() || !own.tool_calls.is_empty() || blocks.is_empty() {
        read.push(own);
    }
    Ok(())
}

/// Reads a text or a list of blocks.
pub fn read_content(path: &str, content: &Value) -> Result<Vec<ContentPart>> {
    let blocks = match content {
        Value::String(text) => return Ok(vec![ContentPart::Text(text.clone())]),
        Value::Array(blocks) => blocks,
        _ => return Err(Error::invalid_body(path, "must be a string or a list of content blocks")),
    };
    let mut parts = Vec::with_capacity(blocks.len());
    for (i, block) in blocks.iter().enumerate() {
        parts.push(read_block(&format!("{path}[{i}]"), block)?);
        parts.extend(CacheMark::read(block).map(ContentPart::CacheMark));
    }
    Ok(parts)
}

fn read_block(path: &str, block: &Value) -> Result<ContentPart> {
    let text = |field: &str| text_at(path, block, field);
    Ok(match block["type"].as_str() {
        Some("text") => ContentPart::Text(text("text")?),
        Some("image") => match read_source(path, &block["source"])? {
            Some(url) => ContentPart::Image(url),
            None => ContentPart::Other(block.clone()),
        },
        Some("document") if block["source"]["type"] == "text" => {
            let data = text_at(&format!("{path}.source"), &block["source"], "data")?;
            let title = block["title"].as_str().map_or_else(String::new, |title| format!("[{title}]\n"));
            ContentPart::Text(title + &data)
        }
        Some("document") => match read_source(path, &block["source"])? {
            Some(url) => ContentPart::File(FilePart { url, name: block["title"].as_str().map(str::to_owned) }),
            None => ContentPart::Other(block.clone()),
        },
        Some("thinking") => {
            let signature = text("signature")?;
            let signature = (!signature.is_empty()).then(|| Opaque::from_field(&signature, Vendor::Anthropic));
            ContentPart::Reasoning(Reasoning::Text { text: text("thinking")?, signature })
        }
        Some("redacted_thinking") => {
            ContentPart::Reasoning(Reasoning::Encrypted(Opaque::from_field(&text("data")?, Vendor::Anthropic)))
        }
        Some(_) => ContentPart::Other(block.clone()),
        None => return Err(Error::invalid_body(format!("{path}.type"), "must be a string")),
    })
}

/// The URL of an image or a document. None for a file that the provider keeps.
fn read_source(path: &str, source: &Value) -> Result<Option<String>> {
    let path = format!("{path}.source");
    match source["type"].as_str() {
        Some("base64") => {
            let (media_type, data) = (text_at(&path, source, "media_type")?, text_at(&path, source, "data")?);
            Ok(Some(format!("data:{media_type};base64,{data}")))
        }
        Some("url") => text_at(&path, source, "url").map(Some),
        Some(_) => Ok(None),
        None => Err(Error::invalid_body(format!("{path}.type"), "must be base64, url or file")),
    }
}

fn read_call(path: &str, block: &Value, signature: Option<String>) -> Result<ToolCall> {
    let arguments = match &block["input"] {
        Value::Null => "{}".to_owned(),
        input @ Value::Object(_) => input.to_string(),
        _ => return Err(Error::invalid_body(format!("{path}.input"), "must be an object")),
    };
    let others = signature.map(ToolCall::signature_field).into_iter().collect();
    Ok(ToolCall { id: text_at(path, block, "id")?, name: text_at(path, block, "name")?, arguments, others })
}

fn read_result(path: &str, block: &Value) -> Result<Message> {
    let mut parts = match &block["content"] {
        Value::Null => vec![ContentPart::Text(String::new())],
        content => read_content(&format!("{path}.content"), content)?,
    };
    if block["is_error"] == true {
        // Other vendors have no field for it.
        parts.insert(0, ContentPart::Text("[error] ".to_owned()));
    }
    parts.extend(CacheMark::read(block).map(ContentPart::CacheMark));
    Ok(Message::tool(text_at(path, block, "tool_use_id")?, parts))
}

fn text_at(path: &str, value: &Value, field: &str) -> Result<String> {
    let text = value[field].as_str().map(str::to_owned);
    text.ok_or_else(|| Error::invalid_body(format!("{path}.{field}"), "must be a string"))
}
