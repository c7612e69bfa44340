//! Simplifies the JSON Schemas of node types, which are published and enforced.

use serde_json::Value;

/// Simplifies a schema that utoipa generates: merges an `allOf` around a type with a description, removes defaults that
/// are null, and forbids unknown fields.
pub fn simplify_schema(schema: Value) -> Value {
    match schema {
        Value::Object(mut keywords) => {
            let parts = keywords.remove("allOf");
            for part in parts.iter().flat_map(|parts| parts.as_array()).flatten() {
                for (name, value) in part.as_object().into_iter().flatten() {
                    if name == "description" || !keywords.contains_key(name) {
                        keywords.insert(name.clone(), value.clone());
                    }
                }
            }
            keywords.retain(|name, value| name != "propertyNames" && !(name == "default" && value.is_null()));
            if keywords.get("properties").is_some_and(|fields| fields["type"]["type"].is_string()) {
                keywords.entry("additionalProperties").or_insert(Value::Bool(false));
            }
            Value::Object(keywords.into_iter().map(|(name, value)| (name, simplify_schema(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(simplify_schema).collect()),
        other => other,
    }
}
