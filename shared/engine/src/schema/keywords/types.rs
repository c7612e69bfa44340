//! `type`, `enum` and `const`, and how messages describe them.

use serde_json::Value;

use crate::schema::number::is_whole;
use domain::text::shorten;

/// The maximum number of values that a message lists.
const MAX_LISTED: usize = 20;

pub fn is_type(types: &Value, value: &Value) -> bool {
    let is = |name: &str| match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.as_number().is_some_and(is_whole),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    };
    match types {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        _ => true,
    }
}

pub fn allows_type(types: &Value, name: &str) -> bool {
    types == name || types.as_array().is_some_and(|types| types.iter().any(|known| known == name))
}

/// Describes types, as in `a string or null`.
pub fn describe_types(types: &Value) -> String {
    let types = types.as_array().map_or(std::slice::from_ref(types), Vec::as_slice);
    types.iter().filter_map(Value::as_str).map(describe_type).collect::<Vec<_>>().join(" or ")
}

fn describe_type(name: &str) -> &'static str {
    match name {
        "integer" => "a whole number",
        "number" => "a number",
        "string" => "a string",
        "boolean" => "true or false",
        "array" => "a list",
        "object" => "an object",
        _ => "null",
    }
}

/// Describes allowed values, as in `one of slack, telegram`.
pub fn describe_values(values: &[Value]) -> String {
    let described = values.iter().take(MAX_LISTED).map(|value| match value {
        Value::String(text) => shorten(text).into_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        other => other.to_string(),
    });
    let described = described.collect::<Vec<_>>().join(", ");
    match values.len().saturating_sub(MAX_LISTED) {
        0 => format!("one of {described}"),
        more => format!("one of {described} and {more} more"),
    }
}
