//! Values of PostgreSQL in their text form, from JSON and to JSON.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use postgres_types::{Kind, Type};
use serde_json::Value;

use super::arrays;
use crate::rows::{bytes, float, integer, json};

/// Writes a value as a text of the type that the server expects. `None` is NULL.
pub fn to_text(value: &Value, oid: u32) -> Result<Option<String>, &'static str> {
    let known = Type::from_oid(oid);
    if value.is_null() {
        return Ok(None);
    }
    match (value, known.as_ref().map(Type::kind)) {
        (Value::Array(items), Some(Kind::Array(element))) => write_array(items, element).map(Some),
        // The type may be an array of a type that only the server knows.
        (Value::Array(items), _) if !known.as_ref().is_some_and(is_json) => match known {
            None => write_array(items, &Type::TEXT).map(Some),
            Some(_) => scalar(value, &Type::JSON).map(Some),
        },
        _ => scalar(value, known.as_ref().unwrap_or(&Type::TEXT)).map(Some),
    }
}

fn is_json(known: &Type) -> bool {
    [Type::JSON, Type::JSONB].contains(known)
}

fn write_array(items: &[Value], element: &Type) -> Result<String, &'static str> {
    arrays::write(items, is_json(element), &|item| scalar(item, element))
}

/// The text of a value that is not null.
fn scalar(value: &Value, known: &Type) -> Result<String, &'static str> {
    match value {
        value if is_json(known) => Ok(value.to_string()),
        Value::String(text) if *known == Type::BYTEA => {
            let decoded = BASE64_STANDARD.decode(text).map_err(|_| "bytes are written in base64")?;
            Ok(decoded.iter().fold("\\x".to_owned(), |hex, byte| format!("{hex}{byte:02x}")))
        }
        Value::String(text) if text.contains('\0') => Err("PostgreSQL has no texts with a null character"),
        Value::String(text) => Ok(text.clone()),
        other => Ok(other.to_string()),
    }
}

pub fn to_json(text: &str, oid: u32) -> Value {
    match Type::from_oid(oid) {
        Some(known) => known_to_json(text, &known),
        None => text.into(),
    }
}

fn known_to_json(text: &str, known: &Type) -> Value {
    if let Kind::Array(element) = known.kind() {
        let read = arrays::read(text, &|item| known_to_json(item, element));
        return read.unwrap_or_else(|| text.into());
    }
    match *known {
        Type::BOOL => Value::Bool(text == "t"),
        Type::INT2 | Type::INT4 | Type::INT8 | Type::OID => text.parse().map_or_else(|_| text.into(), integer),
        Type::FLOAT4 | Type::FLOAT8 => float(text),
        Type::JSON | Type::JSONB => json(text),
        Type::BYTEA => from_hex(text).map_or_else(|| text.into(), |read| bytes(&read)),
        Type::TIMESTAMPTZ => timestamp(text, |time| time.strip_suffix("+00").map(|time| format!("{time}Z"))),
        Type::TIMESTAMP => timestamp(text, |time| Some(time.to_owned())),
        _ => text.into(),
    }
}

/// `2026-03-02 10:00:00+00` in the form of RFC 3339. What it does not have, such as `infinity` and years before Christ, stays as it is.
fn timestamp(text: &str, zone: impl Fn(&str) -> Option<String>) -> Value {
    let time = text.split_once(' ').filter(|(date, time)| date.len() == 10 && !time.contains(' '));
    let time = time.and_then(|(date, time)| zone(&format!("{date}T{time}")));
    time.map_or_else(|| text.into(), Value::from)
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("\\x")?.as_bytes();
    let pairs = digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_become_json() {
        for (text, known, value) in [
            ("t", Type::BOOL, json!(true)),
            ("-7", Type::INT2, json!(-7)),
            ("9223372036854775807", Type::INT8, json!("9223372036854775807")),
            ("0.1", Type::FLOAT4, json!(0.1)),
            ("NaN", Type::FLOAT8, json!("NaN")),
            ("12345678901234567890.10", Type::NUMERIC, json!("12345678901234567890.10")),
            (r#"{"a": [1]}"#, Type::JSONB, json!({"a": [1]})),
            ("\\x00ff", Type::BYTEA, json!("AP8=")),
            ("2026-03-02 10:00:00.5+00", Type::TIMESTAMPTZ, json!("2026-03-02T10:00:00.5Z")),
            ("2026-03-02 10:00:00", Type::TIMESTAMP, json!("2026-03-02T10:00:00")),
            ("0044-03-15 10:00:00+00 BC", Type::TIMESTAMPTZ, json!("0044-03-15 10:00:00+00 BC")),
            ("infinity", Type::TIMESTAMPTZ, json!("infinity")),
            ("{1,NULL}", Type::INT4_ARRAY, json!([1, null])),
            ("101", Type::VARBIT, json!("101")),
        ] {
            assert_eq!(to_json(text, known.oid()), value, "{text}");
        }
        assert_eq!(to_json("red", 99_999), json!("red"));
    }

    #[test]
    fn json_becomes_values() {
        for (value, known, text) in [
            (json!("it's"), Type::TEXT, "it's"),
            (json!("it's"), Type::JSONB, "\"it's\""),
            (json!({"a": 1}), Type::TEXT, r#"{"a":1}"#),
            (json!([1]), Type::JSONB, "[1]"),
            (json!([1]), Type::TEXT, "[1]"),
            (json!([1, null, [2]]), Type::INT4_ARRAY, "{1,NULL,{2}}"),
            (json!(["a\"b\\", "NULL", ""]), Type::TEXT_ARRAY, r#"{"a\"b\\","NULL",""}"#),
            (json!("AP8="), Type::BYTEA, "\\x00ff"),
            (json!(true), Type::BOOL, "true"),
        ] {
            assert_eq!(to_text(&value, known.oid()).unwrap().as_deref(), Some(text), "{value}");
        }
        assert_eq!(to_text(&Value::Null, Type::JSONB.oid()), Ok(None));
        assert!(to_text(&json!("not base64"), Type::BYTEA.oid()).is_err());
        assert!(to_text(&json!("a\0b"), Type::TEXT.oid()).is_err());
    }
}
