//! Conversion between JSON and the SDK's `Document`.

use aws_smithy_types::{Document, Number};
use serde_json::Value;

pub fn from_json(value: &Value) -> Document {
    match value {
        Value::Null => Document::Null,
        Value::Bool(value) => Document::Bool(*value),
        Value::Number(number) => Document::Number(match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => Number::PosInt(number),
            (None, Some(number)) => Number::NegInt(number),
            (None, None) => Number::Float(number.as_f64().unwrap_or_default()),
        }),
        Value::String(text) => Document::String(text.clone()),
        Value::Array(items) => Document::Array(items.iter().map(from_json).collect()),
        Value::Object(fields) => {
            Document::Object(fields.iter().map(|(name, value)| (name.clone(), from_json(value))).collect())
        }
    }
}

pub fn to_json(document: &Document) -> Value {
    match document {
        Document::Null => Value::Null,
        Document::Bool(value) => Value::Bool(*value),
        Document::Number(Number::PosInt(number)) => (*number).into(),
        Document::Number(Number::NegInt(number)) => (*number).into(),
        Document::Number(Number::Float(number)) => (*number).into(),
        Document::String(text) => Value::String(text.clone()),
        Document::Array(items) => items.iter().map(to_json).collect(),
        Document::Object(fields) => {
            // The SDK keeps no field order. Sorting makes the text deterministic.
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by_key(|(name, _)| *name);
            fields.into_iter().map(|(name, value)| (name.clone(), to_json(value))).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_survives_the_round_trip() {
        let value = json!({"a": [1, -2, 0.5, null, true], "b": {"c": "d"}, "n": u64::MAX});
        assert_eq!(to_json(&from_json(&value)), value);
    }
}
