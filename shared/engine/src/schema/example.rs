//! A value that fits a schema, as an example of what may come.

use serde_json::{Map, Value, json};

/// The depth at which the parts of an example end.
const MAX_DEPTH: usize = 8;

/// A small value that fits the schema of an output: objects have their required fields, and lists have one element.
pub fn example(schema: &Value) -> Value {
    example_at(schema, MAX_DEPTH)
}

fn example_at(schema: &Value, depth: usize) -> Value {
    let first = |keyword: &str| schema[keyword].as_array().and_then(|values| values.first());
    if let Some(chosen) = schema.get("const").or_else(|| first("examples")).or_else(|| first("enum")) {
        return chosen.clone();
    }
    let Some(depth) = depth.checked_sub(1) else { return Value::Null };
    if let Some(one) = first("anyOf").or_else(|| first("oneOf")) {
        return example_at(one, depth);
    }
    let smallest = |otherwise: i64| schema.get("minimum").cloned().unwrap_or_else(|| json!(otherwise));
    match schema["type"].as_str().or_else(|| first("type").and_then(Value::as_str)) {
        Some("string") if schema["format"] == "date-time" => json!("2026-01-01T00:00:00.000Z"),
        Some("string") => json!("text"),
        Some("integer" | "number") => smallest(1),
        Some("boolean") => json!(true),
        Some("null") => Value::Null,
        Some("array") if schema["maxItems"] == 0 => json!([]),
        Some("array") => json!([example_at(&schema["items"], depth)]),
        _ => {
            let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let fields = required.map(|name| (name.to_owned(), example_at(&schema["properties"][name], depth)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
    }
}
