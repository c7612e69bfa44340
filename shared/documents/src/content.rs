//! The content of a file value, as text or as bytes.

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use domain::media_type;
use domain::run::StepError;
use encoding_rs::WINDOWS_1252;
use serde_json::Value;

use crate::charset::{charset_of, decode};
use crate::problems::{invalid, unsuitable};

/// Some services omit the padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);
/// The beginnings of files that are no texts: PDF, ZIP and the files in it, older Office files, and images.
const BINARY: [&[u8]; 6] = [b"%PDF-", b"PK\x03\x04", b"\xD0\xCF\x11\xE0", b"\x89PNG", b"\xFF\xD8\xFF", b"GIF8"];
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A file, as a node gets it.
#[derive(Debug, Default)]
pub struct File {
    pub content: Content,
    pub content_type: Option<String>,
    pub name: Option<String>,
}

#[derive(Debug)]
pub enum Content {
    /// Already decoded, such as the text of an HTTP response.
    Text(String),
    Bytes(Vec<u8>),
}

impl Default for Content {
    fn default() -> Self {
        Self::Bytes(Vec::new())
    }
}

impl File {
    /// Reads a file value. The error is what is wrong with it.
    pub fn from_value(value: Value) -> Result<Self, &'static str> {
        let mut fields = match value {
            Value::String(text) => return Ok(Self { content: Content::Text(text), ..Self::default() }),
            Value::Object(fields) => fields,
            _ => return Err("must be a file, {base64, contentType, name}, or a text"),
        };
        let mut take = |names: &[&str]| {
            names.iter().find_map(|name| match fields.get_mut(*name) {
                Some(Value::String(text)) => Some(std::mem::take(text)),
                _ => None,
            })
        };
        // The values of other services, and of messages, have other names.
        let (content_type, name) = (take(&["contentType", "mediaType", "mimeType"]), take(&["name", "fileName"]));
        let content = match (take(&["base64"]), take(&["text"])) {
            (Some(base64), _) => Content::Bytes(decode_base64(base64)?),
            (None, Some(text)) => Content::Text(text),
            (None, None) => return Err(missing(fields.contains_key("body"), content_type.is_some())),
        };
        Ok(Self { content, content_type, name })
    }

    /// The media type without its parameters, in lower case.
    pub fn media_type(&self) -> Option<String> {
        self.content_type.as_deref().map(media_type::without_parameters)
    }

    /// The ending of its name, in lower case.
    pub fn extension(&self) -> Option<String> {
        self.name.as_deref().and_then(|name| name.rsplit_once('.')).map(|(_, ending)| ending.to_ascii_lowercase())
    }

    pub fn into_bytes(self) -> Vec<u8> {
        match self.content {
            Content::Text(text) => text.into_bytes(),
            Content::Bytes(bytes) => bytes,
        }
    }

    /// The content as a text, without a byte order mark. `declared` finds what the content says of its character set.
    pub fn into_text(self, encoding: Option<&str>, declared: fn(&[u8]) -> Option<String>) -> Result<String, StepError> {
        let bytes = match self.content {
            Content::Text(text) => return Ok(text.strip_prefix(BYTE_ORDER_MARK).map(str::to_owned).unwrap_or(text)),
            Content::Bytes(bytes) => bytes,
        };
        if let Some(encoding) = encoding {
            let problem =
                "the text is not written in this character set, or its name is unknown; use one such as `utf-8`";
            return decode(&bytes, Some(encoding)).ok_or_else(|| unsuitable("format.encoding", problem));
        }
        let named = self.content_type.as_deref().and_then(charset_of).map(str::to_owned);
        let named = named.or_else(|| declared(&bytes));
        let found = named.and_then(|charset| decode(&bytes, Some(&charset))).or_else(|| decode(&bytes, None));
        let text = found.unwrap_or_else(|| WINDOWS_1252.decode_without_bom_handling(&bytes).0.into_owned());
        // Texts have no zeros, except those in UTF-16 without its mark.
        if text.contains('\0') || BINARY.iter().any(|start| bytes.starts_with(start)) {
            return Err(invalid("is not a text; set `format` to what it is, or `encoding` to its character set"));
        }
        Ok(text)
    }
}

fn decode_base64(mut base64: String) -> Result<Vec<u8>, &'static str> {
    base64.retain(|c| !c.is_ascii_whitespace());
    // Some services use the alphabet for URLs.
    let base64 = base64.replace('-', "+").replace('_', "/");
    BASE64.decode(base64).map_err(|_| "`base64` is not valid")
}

fn missing(is_response: bool, has_type: bool) -> &'static str {
    match (is_response, has_type) {
        (true, _) => "is a whole HTTP response; use its `body`",
        (_, true) => "has no content, only a type, as the attachments of a message; call the service that has the file",
        _ => "has no content; a file is {base64, contentType, name} or {text, contentType, name}",
    }
}
