//! The parts of a message's content, and their form in OpenAI's API.

use serde_json::{Map, Value, json};

use super::reasoning::Reasoning;
use crate::{Error, Result};

#[derive(Clone, Debug, PartialEq)]
pub enum ContentPart {
    Text(String),
    /// A `data:` URL or the URL of an image.
    Image(String),
    File(FilePart),
    Audio(AudioPart),
    /// The reasoning of the model before its answer.
    Reasoning(Reasoning),
    /// The provider caches the conversation up to here.
    CacheMark(CacheMark),
    /// A part of another type, unparsed.
    Other(Value),
}

/// A document, such as a PDF file.
#[derive(Clone, Debug, PartialEq)]
pub struct FilePart {
    /// A `data:` URL or the URL of the document.
    pub url: String,
    pub name: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct AudioPart {
    /// `wav` or `mp3`.
    pub format: String,
    pub base64: String,
}

/// The field `cache_control` of Anthropic's API, which clients of OpenAI's API use too. It has the cache's duration.
#[derive(Clone, Debug, PartialEq)]
pub struct CacheMark(pub Value);

impl CacheMark {
    /// A mark with the provider's default duration, which is five minutes.
    pub fn short() -> Self {
        Self(json!({"type": "ephemeral"}))
    }

    pub fn for_an_hour() -> Self {
        Self(json!({"type": "ephemeral", "ttl": "1h"}))
    }

    /// Reads the mark of a part, a tool or a message.
    pub fn read(marked: &Value) -> Option<Self> {
        marked.get("cache_control").filter(|mark| mark.is_object()).map(|mark| Self(mark.clone()))
    }

    pub fn is_for_an_hour(&self) -> bool {
        self.0["ttl"] == "1h"
    }
}

impl ContentPart {
    /// The part as text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// Whether the part is content that only some models can read.
    pub fn is_media(&self) -> bool {
        matches!(self, Self::Image(_) | Self::File(_) | Self::Audio(_) | Self::Other(_))
    }

    pub(super) fn memory(&self) -> usize {
        let content = match self {
            Self::Text(text) | Self::Image(text) => text.len(),
            Self::File(file) => file.url.len(),
            Self::Audio(audio) => audio.base64.len(),
            Self::Reasoning(reasoning) => {
                reasoning.text().len() + reasoning.opaque().map_or(0, |opaque| opaque.data.len())
            }
            Self::CacheMark(_) => 64,
            Self::Other(part) => part.to_string().len(),
        };
        size_of::<Self>() + content
    }

    /// Reads a list of parts. A mark becomes a part of its own, after the part that has it.
    pub(super) fn read_all(path: &str, parts: &[Value]) -> Result<Vec<Self>> {
        let mut read = Vec::with_capacity(parts.len());
        for (i, part) in parts.iter().enumerate() {
            read.push(Self::read(&format!("{path}.content[{i}]"), part)?);
            read.extend(CacheMark::read(part).map(Self::CacheMark));
        }
        Ok(read)
    }

    fn read(path: &str, part: &Value) -> Result<Self> {
        let wrong = |field: &str, problem: &str| Error::invalid_body(format!("{path}{field}"), problem);
        let text = |value: &Value, field: &str| {
            value.as_str().map(str::to_owned).ok_or_else(|| wrong(field, "must be a string"))
        };
        Ok(match part["type"].as_str() {
            Some("text") => Self::Text(text(&part["text"], ".text")?),
            Some("image_url") => {
                let image = &part["image_url"];
                if !image["detail"].is_null() && !image["detail"].is_string() {
                    return Err(wrong(".image_url.detail", "must be a string"));
                }
                Self::Image(text(&image["url"], ".image_url.url")?)
            }
            Some("refusal") => Self::Text(text(&part["refusal"], ".refusal")?),
            Some(kind @ ("input_audio" | "file")) => {
                let fields = part[kind].as_object().ok_or_else(|| wrong(&format!(".{kind}"), "must be an object"))?;
                Self::read_media(kind, fields).unwrap_or_else(|| Self::Other(part.clone()))
            }
            Some(_) => Self::Other(part.clone()),
            None => return Err(wrong(".type", "must be a string")),
        })
    }

    /// None for a file that the provider keeps under an id.
    fn read_media(kind: &str, fields: &Map<String, Value>) -> Option<Self> {
        let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
        if kind == "file" {
            return Some(Self::File(FilePart { url: text("file_data")?, name: text("filename") }));
        }
        Some(Self::Audio(AudioPart { format: text("format")?, base64: text("data")? }))
    }

    /// Writes the content of a message: null, a text, or a list of parts. Reasoning is not a part of it.
    pub(super) fn write_all(parts: &[Self]) -> Value {
        let mut written = Vec::<Value>::with_capacity(parts.len());
        for part in parts {
            written.push(match part {
                Self::Text(text) => json!({"type": "text", "text": text}),
                Self::Image(url) => json!({"type": "image_url", "image_url": {"url": url}}),
                Self::File(FilePart { url, name }) => {
                    json!({"type": "file", "file": {"file_data": url, "filename": name}})
                }
                Self::Audio(AudioPart { format, base64 }) => {
                    json!({"type": "input_audio", "input_audio": {"data": base64, "format": format}})
                }
                Self::Other(part) => part.clone(),
                Self::Reasoning(_) => continue,
                Self::CacheMark(CacheMark(mark)) => {
                    if let Some(last) = written.last_mut() {
                        last["cache_control"] = mark.clone();
                    }
                    continue;
                }
            });
        }
        match written.as_slice() {
            [] => Value::Null,
            [only] if only["type"] == "text" && only.get("cache_control").is_none() => only["text"].clone(),
            _ => written.into(),
        }
    }
}
