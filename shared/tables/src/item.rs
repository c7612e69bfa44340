//! Stored items, and the conversion of values to and from DynamoDB's form.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;
use serde::de::DeserializeOwned;

use domain::{Error, Result};

pub type Item = HashMap<String, AttributeValue>;

pub fn to_item(item: &impl Serialize) -> Item {
    serde_dynamo::to_item(item).expect("an item is plain data")
}

/// Serializes a value. It cannot fail, because the stored types are plain data.
pub fn to_value(value: impl Serialize) -> AttributeValue {
    serde_dynamo::to_attribute_value(value).expect("plain data serializes")
}

/// The size of an item, as DynamoDB computes it for its limits, with some bytes more for each element.
pub fn item_bytes(item: &Item) -> usize {
    item.iter().map(|(name, value)| name.len() + value_bytes(value)).sum()
}

pub fn value_bytes(value: &AttributeValue) -> usize {
    const ELEMENT: usize = 3;
    let content = match value {
        AttributeValue::S(text) | AttributeValue::N(text) => text.len(),
        AttributeValue::B(bytes) => bytes.as_ref().len(),
        AttributeValue::L(items) => items.iter().map(value_bytes).sum(),
        AttributeValue::M(fields) => item_bytes(fields),
        _ => 1,
    };
    ELEMENT + content
}

/// Deserializes a stored item. An item that does not fit its type is an internal error, never the caller's fault.
pub fn parse<T: DeserializeOwned>(item: Item) -> Result<T> {
    serde_dynamo::from_item(item).map_err(Error::internal)
}
