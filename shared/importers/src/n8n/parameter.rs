//! Reads the value of a parameter.

use serde_json::Value;

use crate::lenient::{is_empty, scalar_text, text};

/// The target of a resource locator, `{"__rl": true, "mode": "list", "value": "…", "cachedResultName": "…"}`, or a plain value.
pub fn located(value: &Value) -> String {
    let name = text(&value["cachedResultName"]);
    if name.is_empty() { located_value(value).map(scalar_text).unwrap_or_default() } else { name.to_owned() }
}

/// The value itself, which may be an expression.
pub fn located_value(value: &Value) -> Option<&Value> {
    let value = if value.is_object() { &value["value"] } else { value };
    (!is_empty(value)).then_some(value)
}
