//! Parsing of JSON that clients send: its size in memory is limited, and integers may be written as `3` or `3.0`.

mod size;
#[cfg(test)]
mod tests;
mod whole_numbers;

use serde::Deserializer;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Error, Result};

pub use size::check_size;

/// Deserializes a body or a part of one. Errors name the field.
pub fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(
    reader: D,
) -> Result<T, serde_path_to_error::Error<D::Error>> {
    serde_path_to_error::deserialize(whole_numbers::WholeNumbers(reader))
}

/// Parses a complete JSON document.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    check_size(bytes)?;
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = deserialize(&mut reader).map_err(Error::unreadable_body)?;
    reader.end().map_err(|error| Error::invalid_body("", error))?;
    Ok(value)
}

/// Parses JSON that is a string within a body, such as the arguments of a tool call. Returns `None` if it is invalid or
/// too large.
pub fn parse_text(text: &str) -> Option<Value> {
    check_size(text.as_bytes()).ok()?;
    serde_json::from_str(text).ok()
}
