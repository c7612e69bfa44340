//! `type`, `enum` and `const`, and how messages describe them.

use serde_json::Value;

use crate::schema::number::is_whole;
use domain::language::Translated;
use domain::text::shorten;
use domain::translated;

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

const LIST: Translated = Translated::new("a list", "una lista");
const OBJECT: Translated = Translated::new("an object", "un objeto");

/// Describes types, as in `must be a string or null`.
pub fn wrong_type(types: &Value) -> Translated<String> {
    let types = types.as_array().map_or(std::slice::from_ref(types), Vec::as_slice);
    let described = types.iter().filter_map(Value::as_str).map(|name| describe_type(name).into());
    translated!("must be ", "debe ser ").with(&Translated::join(described, Translated::new(" or ", " o ")))
}

fn describe_type(name: &str) -> Translated {
    match name {
        "integer" => Translated::new("a whole number", "un número entero"),
        "number" => Translated::new("a number", "un número"),
        "string" => Translated::new("a string", "una cadena"),
        "boolean" => Translated::new("true or false", "true o false"),
        "array" => LIST,
        "object" => OBJECT,
        _ => Translated::new("null", "null"),
    }
}

/// Describes allowed values, as in `one of slack, telegram`.
pub fn describe_values(values: &[Value]) -> Translated<String> {
    let described = values.iter().take(MAX_LISTED).map(|value| match value {
        Value::String(text) => Translated::untranslated(shorten(text)),
        Value::Array(_) => LIST.into(),
        Value::Object(_) => OBJECT.into(),
        other => Translated::untranslated(other.to_string()),
    });
    let listed = translated!("one of ", "uno de ").with(&Translated::join(described, Translated::new(", ", ", ")));
    match values.len().saturating_sub(MAX_LISTED) {
        0 => listed,
        more => listed.with(&translated!(" and {more} more", " y {more} más")),
    }
}
