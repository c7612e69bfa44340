//! What stands in a parameter.

use serde_json::Value;

use super::super::loose::{is_empty, said, text};

/// What a locator points at: `{"__rl": true, "mode": "list", "value": "…", "cachedResultName": "…"}`, or a plain value.
pub fn located(value: &Value) -> String {
    let name = text(&value["cachedResultName"]);
    if name.is_empty() { located_value(value).map(said).unwrap_or_default() } else { name.to_owned() }
}

/// Whether a value stands there as it is, and says something.
pub fn is_clear(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.is_empty() && !text.starts_with('='),
        Value::Number(_) => true,
        _ => false,
    }
}

/// The value itself, which may be an expression.
pub fn located_value(value: &Value) -> Option<&Value> {
    let value = if value.is_object() { &value["value"] } else { value };
    (!is_empty(value)).then_some(value)
}
