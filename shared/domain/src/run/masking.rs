//! Masked parts of values: a workflow can name fields that nobody may read in what is stored of its runs.
//!
//! In memory, a masked part is a string that begins with a mark. The store encrypts these parts under a key of the run, and
//! readers of the run see [`HIDDEN`] instead. Each process has a random mark, so no value of a user can look masked.

use std::sync::LazyLock;

use serde_json::Value;
use uuid::Uuid;

/// What a reader sees instead of a masked part.
pub const HIDDEN: &str = "***";

static MARK: LazyLock<String> = LazyLock::new(|| format!("masked:{}:", Uuid::now_v7()));

/// Masks a whole value. Null stays null, because it tells nothing.
pub fn mask(value: &mut Value) {
    if !value.is_null() && masked_part(value).is_none() {
        // Parts of it may be masked already.
        unmask(value, &mut |_| {});
        *value = Value::String(format!("{}{value}", *MARK));
    }
}

/// The JSON text of a masked part.
pub fn masked_part(value: &Value) -> Option<&str> {
    value.as_str()?.strip_prefix(MARK.as_str())
}

/// A masked part with this JSON text.
pub fn part_of_text(text: &str) -> Value {
    Value::String(format!("{}{text}", *MARK))
}

/// Puts the original in the place of each masked part, and shows it to `found`.
pub fn unmask(value: &mut Value, found: &mut impl FnMut(&Value)) {
    change_strings(value, &mut |part| {
        if let Some(original) = masked_part(part).and_then(|text| serde_json::from_str(text).ok()) {
            *part = original;
            found(part);
        }
    });
}

/// Puts [`HIDDEN`] in the place of each masked part.
pub fn hide(value: &mut Value) {
    change_strings(value, &mut |part| {
        if masked_part(part).is_some() {
            *part = HIDDEN.into();
        }
    });
}

pub fn has_masked_parts(value: &Value) -> bool {
    match value {
        Value::String(_) => masked_part(value).is_some(),
        Value::Array(items) => items.iter().any(has_masked_parts),
        Value::Object(fields) => fields.values().any(has_masked_parts),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Calls `change` with each string of a value.
pub fn change_strings(value: &mut Value, change: &mut impl FnMut(&mut Value)) {
    match value {
        Value::String(_) => change(value),
        Value::Array(items) => items.iter_mut().for_each(|item| change_strings(item, change)),
        Value::Object(fields) => fields.values_mut().for_each(|field| change_strings(field, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_masked_part_keeps_its_type() {
        for original in [json!("4111"), json!(4111), json!({"number": [1, null]}), json!(false)] {
            let mut value = json!({"card": original, "amount": 5});
            if let Some(number) = value["card"].get_mut("number") {
                mask(number);
            }
            mask(&mut value["card"]);
            mask(&mut value["card"]);
            assert!(has_masked_parts(&value) && value["card"].is_string());
            let mut hidden = value.clone();
            hide(&mut hidden);
            assert_eq!(hidden, json!({"card": "***", "amount": 5}));
            let mut found = Vec::new();
            unmask(&mut value, &mut |part| found.push(part.clone()));
            assert_eq!((value, found), (json!({"card": original, "amount": 5}), vec![original]));
        }
    }

    #[test]
    fn null_has_nothing_to_mask() {
        let mut value = Value::Null;
        mask(&mut value);
        assert_eq!(value, Value::Null);
    }
}
