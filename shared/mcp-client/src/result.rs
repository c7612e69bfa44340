//! The result of a tool as a value of the platform: typed, and without what the protocol does not define.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::text::shorten_to;
use rmcp::model::{ContentBlock, ResourceContents};
use serde_json::{Map, Value, json};

use crate::error::McpError;
use crate::limits::{MAX_CONTENT_PARTS, MAX_DESCRIPTION_CHARS, MAX_TITLE_CHARS, MAX_URI_CHARS};

#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// The parts, such as `{type: "text", text}` and `{type: "image", base64, contentType}`.
    pub content: Vec<Value>,
    /// Null if there is none.
    pub structured: Value,
    /// The texts of the parts, one below the other.
    pub text: String,
    /// The tool says that it failed.
    pub is_error: bool,
}

impl ToolResult {
    pub fn read(result: Value) -> Result<Self, McpError> {
        let Value::Object(mut result) = result else {
            return Err(McpError::InvalidAnswer("the result of the tool is no object"));
        };
        if result.get("resultType").is_some_and(|kind| kind != "complete") {
            return Err(McpError::InputRequired);
        }
        let parts = match result.remove("content") {
            Some(Value::Array(parts)) => parts,
            None | Some(Value::Null) => Vec::new(),
            Some(_) => return Err(McpError::InvalidAnswer("the content of the result is no list")),
        };
        if parts.len() > MAX_CONTENT_PARTS {
            return Err(McpError::InvalidAnswer("the result has more than 100 parts"));
        }
        let content: Vec<Value> = parts.into_iter().map(read_part).collect::<Result<_, _>>()?;
        let texts: Vec<&str> = content.iter().filter_map(|part| part["text"].as_str()).collect();
        Ok(Self {
            text: texts.join("\n"),
            structured: result.remove("structuredContent").unwrap_or_default(),
            is_error: result.get("isError") == Some(&Value::Bool(true)),
            content,
        })
    }

    /// `{content, structuredContent, text}`.
    pub fn into_value(self) -> Value {
        json!({"content": self.content, "structuredContent": self.structured, "text": self.text})
    }
}

fn read_part(part: Value) -> Result<Value, McpError> {
    let block = serde_json::from_value(part)
        .map_err(|_| McpError::InvalidAnswer("a part of the result has an unknown type or other fields"))?;
    let read = match block {
        ContentBlock::Text(text) => json!({"type": "text", "text": text.text}),
        ContentBlock::Image(image) => media("image", &image.data, &image.mime_type)?,
        ContentBlock::Audio(audio) => media("audio", &audio.data, &audio.mime_type)?,
        ContentBlock::Resource(resource) => resource_part(resource.resource)?,
        ContentBlock::ResourceLink(link) => {
            let mut part = part_of("resource_link", &link.uri, link.mime_type.as_deref());
            part.insert("name".to_owned(), bounded(&link.name, MAX_TITLE_CHARS));
            if let Some(description) = &link.description {
                part.insert("description".to_owned(), bounded(description, MAX_DESCRIPTION_CHARS));
            }
            part.into()
        }
        _ => return Err(McpError::InvalidAnswer("a part of the result has an unknown type")),
    };
    Ok(read)
}

fn resource_part(resource: ResourceContents) -> Result<Value, McpError> {
    Ok(match resource {
        ResourceContents::TextResourceContents { uri, mime_type, text, .. } => {
            let mut part = part_of("resource", &uri, mime_type.as_deref());
            part.insert("text".to_owned(), text.into());
            part.into()
        }
        ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
            let mut part = part_of("resource", &uri, Some(mime_type.as_deref().unwrap_or("application/octet-stream")));
            part.insert("base64".to_owned(), checked_base64(&blob)?.into());
            part.into()
        }
        _ => return Err(McpError::InvalidAnswer("a resource of the result has an unknown type")),
    })
}

/// A part with an address. Its name is the last part of the address, for people.
fn part_of(kind: &str, uri: &str, content_type: Option<&str>) -> Map<String, Value> {
    let name = uri.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let mut part = Map::from_iter([
        ("type".to_owned(), kind.into()),
        ("uri".to_owned(), bounded(uri, MAX_URI_CHARS)),
        ("name".to_owned(), bounded(name, MAX_TITLE_CHARS)),
    ]);
    if let Some(content_type) = content_type {
        part.insert("contentType".to_owned(), bounded(&content_type.to_ascii_lowercase(), MAX_TITLE_CHARS));
    }
    part
}

fn media(kind: &str, base64: &str, content_type: &str) -> Result<Value, McpError> {
    let content_type = bounded(&content_type.to_ascii_lowercase(), MAX_TITLE_CHARS);
    Ok(json!({"type": kind, "base64": checked_base64(base64)?, "contentType": content_type}))
}

/// Base64 is passed on to models, so it must be what it says.
fn checked_base64(text: &str) -> Result<&str, McpError> {
    BASE64_STANDARD.decode(text).map_err(|_| McpError::InvalidAnswer("a part of the result is not base64"))?;
    Ok(text)
}

fn bounded(text: &str, chars: usize) -> Value {
    shorten_to(text, chars).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_become_values_with_the_names_of_the_platform() {
        let result = ToolResult::read(json!({
            "content": [
                {"type": "text", "text": "Two files.", "annotations": {"audience": ["user"]}},
                {"type": "image", "data": "AAAA", "mimeType": "image/PNG"},
                {"type": "resource", "resource": {"uri": "file:///a/notes.txt", "mimeType": "text/plain", "text": "Hi."}},
                {"type": "resource", "resource": {"uri": "file:///a/b.bin", "blob": "AQID"}},
                {"type": "resource_link", "uri": "https://e.org/c", "name": "c"},
            ],
            "structuredContent": {"count": 2}, "_meta": {"x": 1},
        }));
        let result = result.unwrap();
        assert_eq!((result.text.as_str(), result.is_error), ("Two files.\nHi.", false));
        assert_eq!(
            result.into_value(),
            json!({
                "content": [
                    {"type": "text", "text": "Two files."},
                    {"type": "image", "base64": "AAAA", "contentType": "image/png"},
                    {"type": "resource", "uri": "file:///a/notes.txt", "name": "notes.txt", "contentType": "text/plain", "text": "Hi."},
                    {"type": "resource", "uri": "file:///a/b.bin", "name": "b.bin", "contentType": "application/octet-stream", "base64": "AQID"},
                    {"type": "resource_link", "uri": "https://e.org/c", "name": "c"},
                ],
                "structuredContent": {"count": 2}, "text": "Two files.\nHi.",
            })
        );
    }

    #[test]
    fn what_is_no_result_is_refused() {
        let parts: Vec<_> = (0..=MAX_CONTENT_PARTS).map(|_| json!({"type": "text", "text": ""})).collect();
        for wrong in [
            json!("text"),
            json!({"content": "text"}),
            json!({"content": [{"type": "text"}]}),
            json!({"content": [{"type": "video", "data": "AAAA"}]}),
            json!({"content": [{"type": "image", "data": "not base64", "mimeType": "image/png"}]}),
            json!({"content": parts}),
        ] {
            assert!(matches!(ToolResult::read(wrong.clone()), Err(McpError::InvalidAnswer(_))), "{wrong}");
        }
        let asking = json!({"resultType": "input_required", "content": []});
        assert_eq!(ToolResult::read(asking), Err(McpError::InputRequired));
        let empty = ToolResult::read(json!({"isError": true})).unwrap();
        assert_eq!((empty.structured, empty.is_error), (Value::Null, true));
    }
}
