//! The charges in stored items.

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::ledger::Charge;
use serde_json::Value;
use store::keys;
use store::leases::read_charges;

/// Whether an item is a record of a lease's log, or a late charge.
pub fn has_charges(sk: &str) -> bool {
    sk.starts_with(keys::RECORD) || sk.starts_with("LATE#")
}

/// The charges of an item in plain JSON. A void has none.
pub fn charges(item: &Value) -> Vec<Charge> {
    let AttributeValue::M(item) = attribute_value(item) else { panic!("{item} is no item") };
    read_charges(item).expect("a record has its form")
}

fn attribute_value(plain: &Value) -> AttributeValue {
    match plain {
        Value::Null => AttributeValue::Null(true),
        Value::Bool(is_true) => AttributeValue::Bool(*is_true),
        Value::Number(number) => AttributeValue::N(number.to_string()),
        Value::String(text) => AttributeValue::S(text.clone()),
        Value::Array(items) => AttributeValue::L(items.iter().map(attribute_value).collect()),
        Value::Object(fields) => match fields.get("B").and_then(Value::as_str) {
            Some(bytes) => AttributeValue::B(Blob::new(BASE64_STANDARD.decode(bytes).unwrap())),
            None => {
                AttributeValue::M(fields.iter().map(|(name, value)| (name.clone(), attribute_value(value))).collect())
            }
        },
    }
}
