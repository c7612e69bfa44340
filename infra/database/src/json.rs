//! Values and items in DynamoDB's JSON: `{"S": "text"}`, `{"N": "1"}`, `{"M": {…}}`.

use std::collections::HashSet;
use std::hash::Hash;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};
use tables::item::Item;

use crate::error::{Error, Result};
use crate::number;

/// The most levels of lists and maps in a value.
const MAX_DEPTH: usize = 32;

/// A value of a request.
pub struct JsonValue(pub AttributeValue);

/// An item or a key of a request.
pub struct JsonItem(pub Item);

impl<'de> Deserialize<'de> for JsonValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let json = Value::deserialize(deserializer)?;
        read_value(json, 0).map(Self).map_err(D::Error::custom)
    }
}

impl<'de> Deserialize<'de> for JsonItem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let fields = Map::deserialize(deserializer)?;
        read_fields(fields, 0).map(Self).map_err(D::Error::custom)
    }
}

fn read_fields(fields: Map<String, Value>, depth: usize) -> Result<Item> {
    fields.into_iter().map(|(name, value)| Ok((name, read_value(value, depth)?))).collect()
}

/// Reads a value. `depth` counts the lists and maps around it.
fn read_value(json: Value, depth: usize) -> Result<AttributeValue> {
    if depth > MAX_DEPTH {
        return Err(Error::invalid(format_args!("a value has at most {MAX_DEPTH} levels")));
    }
    let mut fields = match json {
        Value::Object(fields) => fields.into_iter(),
        _ => return Err(Error::invalid("a value is an object with one field, its type")),
    };
    let (Some((kind, content)), None) = (fields.next(), fields.next()) else {
        return Err(Error::invalid("a value has exactly one type"));
    };
    Ok(match (kind.as_str(), content) {
        ("S", Value::String(text)) => AttributeValue::S(text),
        ("N", Value::String(number)) => AttributeValue::N(check_number(number)?),
        ("B", Value::String(text)) => AttributeValue::B(read_bytes(&text)?),
        ("BOOL", Value::Bool(is_true)) => AttributeValue::Bool(is_true),
        ("NULL", Value::Bool(true)) => AttributeValue::Null(true),
        ("L", Value::Array(items)) => {
            AttributeValue::L(items.into_iter().map(|item| read_value(item, depth + 1)).collect::<Result<_>>()?)
        }
        ("M", Value::Object(fields)) => AttributeValue::M(read_fields(fields, depth + 1)?),
        ("SS", Value::Array(texts)) => AttributeValue::Ss(read_set(texts, Ok, String::clone)?),
        ("NS", Value::Array(numbers)) => {
            AttributeValue::Ns(read_set(numbers, check_number, |text| number::sortable(text).unwrap_or_default())?)
        }
        ("BS", Value::Array(blobs)) => {
            AttributeValue::Bs(read_set(blobs, |text| read_bytes(&text), |blob| blob.as_ref().to_vec())?)
        }
        (kind, _) => return Err(Error::invalid(format_args!("a value of the type {kind} is not valid"))),
    })
}

fn check_number(text: String) -> Result<String> {
    number::sortable(&text)?;
    Ok(text)
}

fn read_bytes(text: &str) -> Result<Blob> {
    let bytes = BASE64_STANDARD.decode(text);
    bytes.map(Blob::new).map_err(|cause| Error::invalid(format_args!("bytes are not valid base64: {cause}")))
}

/// Reads a set. Members are the same if their identities are.
fn read_set<T, I: Eq + Hash>(
    members: Vec<Value>,
    read: fn(String) -> Result<T>,
    identity: fn(&T) -> I,
) -> Result<Vec<T>> {
    let member = |json: Value| match json {
        Value::String(text) => read(text),
        _ => Err(Error::invalid("the members of a set are written as texts")),
    };
    let members: Vec<T> = members.into_iter().map(member).collect::<Result<_>>()?;
    let mut seen = HashSet::new();
    if members.is_empty() || !members.iter().all(|member| seen.insert(identity(member))) {
        return Err(Error::invalid("a set has members, and each only once"));
    }
    Ok(members)
}

pub fn write_item(item: &Item) -> Value {
    Value::Object(item.iter().map(|(name, value)| (name.clone(), write_value(value))).collect())
}

fn write_value(value: &AttributeValue) -> Value {
    let bytes = |blob: &Blob| BASE64_STANDARD.encode(blob);
    match value {
        AttributeValue::S(text) => json!({"S": text}),
        AttributeValue::N(number) => json!({"N": number}),
        AttributeValue::B(blob) => json!({"B": bytes(blob)}),
        AttributeValue::Bool(is_true) => json!({"BOOL": is_true}),
        AttributeValue::L(items) => json!({"L": items.iter().map(write_value).collect::<Vec<_>>()}),
        AttributeValue::M(fields) => json!({"M": write_item(fields)}),
        AttributeValue::Ss(texts) => json!({"SS": texts}),
        AttributeValue::Ns(numbers) => json!({"NS": numbers}),
        AttributeValue::Bs(blobs) => json!({"BS": blobs.iter().map(bytes).collect::<Vec<_>>()}),
        // The codec stores no other type.
        _ => json!({"NULL": true}),
    }
}
