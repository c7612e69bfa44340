//! The size of a value as JSON and in memory, and its maximum in a run.

use std::io;

use serde::Serialize;
use serde_json::{Map, Value};

use domain::chat::{ChatPrompt, Message};
use domain::json::is_deeper_than;
use domain::run::StepError;
use domain::{Error, Result};

/// The maximum size of a value as JSON: of the result of an expression, and of the input and the output of a step.
pub const MAX_VALUE_BYTES: usize = 1024 * 1024;
/// Less than the 128 levels at which the JSON parser refuses a text, because a stored value is part of a larger one.
pub const MAX_VALUE_DEPTH: usize = 100;

/// The size of a value as JSON; none if it is larger than a value may be.
pub fn measure(value: &impl Serialize) -> Option<usize> {
    let mut limit = ByteLimit(MAX_VALUE_BYTES);
    serde_json::to_writer(&mut limit, value).ok()?;
    Some(MAX_VALUE_BYTES - limit.0)
}

/// Adds the size of a value to that of others, which are parts of the same value.
pub fn add_size(bytes: usize, value: &Value) -> std::result::Result<usize, StepError> {
    let sum = measure(value).map(|size| bytes + size);
    sum.filter(|sum| *sum <= MAX_VALUE_BYTES).ok_or_else(too_large)
}

fn too_large() -> StepError {
    StepError::new("value_too_large", "the value is larger than 1 MiB as JSON; pass on less of it")
}

/// The approximate size of a value in memory. Small values take many times their size as JSON.
pub fn memory_of(value: &Value) -> usize {
    let content = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(memory_of).sum(),
        Value::Object(fields) => memory_of_fields(fields),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    size_of::<Value>() + content
}

/// The approximate size of the entries of a map in memory.
pub fn memory_of_fields(fields: &Map<String, Value>) -> usize {
    fields.iter().map(|(name, value)| size_of::<String>() + name.len() + memory_of(value)).sum()
}

/// The approximate size of a conversation in memory.
pub fn memory_of_prompt(ChatPrompt { messages, tools, .. }: &ChatPrompt) -> usize {
    let messages: usize = messages.iter().map(Message::memory).sum();
    messages + tools.iter().map(|tool| memory_of(&tool.parameters)).sum::<usize>()
}

/// Checks the input of a run, which is a field of a request.
pub fn check_input(field: &str, input: &Value) -> Result<()> {
    if measure(input).is_none() {
        return Err(Error::invalid_body(field, format!("at most {MAX_VALUE_BYTES} bytes as JSON")));
    }
    if is_deeper_than(input, MAX_VALUE_DEPTH) {
        return Err(Error::invalid_body(field, format!("lists and objects nest at most {MAX_VALUE_DEPTH} levels")));
    }
    Ok(())
}

/// A writer that only counts bytes, and fails above its limit.
struct ByteLimit(usize);

impl io::Write for ByteLimit {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
