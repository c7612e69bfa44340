//! Reads the value of a parameter.

use serde_json::Value;

use super::super::lenient::{is_empty, scalar_text, text};

/// The target of a resource locator, `{"__rl": true, "mode": "list", "value": "…", "cachedResultName": "…"}`, or a plain value.
pub fn located(value: &Value) -> String {
    let name = text(&value["cachedResultName"]);
    if name.is_empty() { located_value(value).map(scalar_text).unwrap_or_default() } else { name.to_owned() }
}

/// Whether the value is a non-empty literal.
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
