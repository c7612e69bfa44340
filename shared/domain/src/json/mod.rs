//! Parsing of JSON that clients send: its size in memory is limited, and integers may be written as `3` or `3.0`. And the
//! canonical form of JSON that is signed.

mod canonical;
mod problems;
mod size;
#[cfg(test)]
mod tests;
mod whole_numbers;

use serde::Deserializer;
use serde::de::DeserializeOwned;
use serde_json::Value;
use utoipa::ToSchema;

use crate::{Error, Result, schema};

pub use canonical::{to_canonical, to_canonical_doubles};
pub use size::{check_size, is_deeper_than};

/// Deserializes a body or a part of one. Errors name the field.
pub fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(
    reader: D,
) -> Result<T, serde_path_to_error::Error<D::Error>> {
    serde_path_to_error::deserialize(whole_numbers::WholeNumbers(reader))
}

/// Parses a complete JSON document. The error lists every field that is missing, unknown or of another type.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    check_size(bytes)?;
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = deserialize(&mut reader).map_err(|error| {
        let is_small = bytes.len() <= problems::MOST_BYTES && error.inner().is_data();
        let document = if is_small { serde_json::from_slice(bytes).ok() } else { None };
        unreadable::<T, _>(error, document)
    })?;
    reader.end().map_err(|error| Error::invalid_body("", error))?;
    Ok(value)
}

/// As `parse`, for a body within the limits of its schema. The error lists every field that is outside of them.
pub fn parse_within_limits<T: DeserializeOwned + ToSchema + 'static>(bytes: &[u8]) -> Result<T> {
    // Before `T` is built, so that memory holds only one of the two.
    let limits = check_size(bytes).and_then(|()| match serde_json::from_slice(bytes) {
        Ok(document) => schema::check_document::<T>(&document),
        Err(_) => Ok(()),
    });
    let value = parse(bytes)?;
    limits.map(|()| value)
}

/// Reads a document that is parsed already, such as a merged one. The error is that of `parse`.
pub fn read<T: DeserializeOwned>(document: Value) -> Result<T> {
    deserialize(&document).map_err(|error| unreadable::<T, _>(error, Some(document)))
}

/// The error for a document that cannot be read as a `T`: all of its problems, or the one at which serde stopped.
fn unreadable<T: DeserializeOwned, E: std::fmt::Display>(
    error: serde_path_to_error::Error<E>,
    document: Option<Value>,
) -> Error {
    let found = document.map(problems::find::<T>).unwrap_or_default();
    let is_named = found.first().is_some_and(|problem| problem.message == problems::MISSING);
    if found.len() > 1 || is_named { Error::invalid_fields(found) } else { Error::unreadable_body(error) }
}

/// Parses JSON that is a string within a body, such as the arguments of a tool call. Returns `None` if it is invalid or
/// too large.
pub fn parse_text(text: &str) -> Option<Value> {
    check_size(text.as_bytes()).ok()?;
    serde_json::from_str(text).ok()
}
