//! Lenient access to untrusted JSON: a field that is missing or has another type reads as empty.

use serde_json::{Map, Value};

use domain::text::shorten_to;
use domain::{Error, Result};

/// The deepest nesting of a document.
pub const MAX_DEPTH: usize = 64;
/// The longest name of a node, type or output. Names are copied to many places, so they are bounded.
pub const MAX_NAME_BYTES: usize = 1024;
/// A node with a longer string is not translated. Our templates have the same limit.
pub const MAX_TEXT_BYTES: usize = 64 * 1024;

/// Stands in for the data of a node that is not translated.
pub static NOTHING: Value = Value::Null;

pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Whether all strings and names are within `MAX_TEXT_BYTES`.
pub fn is_short(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() <= MAX_TEXT_BYTES,
        Value::Array(items) => items.iter().all(is_short),
        Value::Object(entries) => entries.iter().all(|(name, entry)| name.len() <= MAX_TEXT_BYTES && is_short(entry)),
        _ => true,
    }
}

/// Refuses names that are too long. Each name comes with its field.
pub fn check_names(of: &str, names: &[(&str, &str)]) -> Result<()> {
    match names.iter().find(|(_, name)| name.len() > MAX_NAME_BYTES) {
        Some((field, _)) => {
            Err(Error::invalid_body(format!("{of}.{field}"), format!("at most {MAX_NAME_BYTES} bytes")))
        }
        None => Ok(()),
    }
}

/// A string, number or bool as a string: forms store any of them.
pub fn scalar_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        _ => String::new(),
    }
}

pub fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

pub fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

/// A number, or a string that holds one.
pub fn number(value: &Value) -> Option<f64> {
    let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())?;
    number.is_finite().then_some(number)
}

pub fn whole_number(value: &Value) -> Option<u64> {
    number(value).filter(|number| (0.0..1e15).contains(number)).map(|number| number as u64)
}

pub fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        _ => false,
    }
}

/// At most `chars` characters of a text, for messages.
pub fn truncate(text: &str, chars: usize) -> String {
    shorten_to(text, chars).into_owned()
}
