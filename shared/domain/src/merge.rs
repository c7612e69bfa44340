//! JSON Merge Patch (RFC 7396) for documents with a fixed set of fields.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{Error, Result, json};

/// A merge patch, which is always an object.
#[derive(Clone, Debug)]
pub struct MergePatch(Value);

impl MergePatch {
    pub fn new(patch: Value) -> Result<Self> {
        match patch {
            Value::Object(_) => Ok(Self(patch)),
            _ => Err(Error::invalid_body("", "must be an object")),
        }
    }

    pub fn value(&self) -> &Value {
        &self.0
    }

    /// Merges the patch into a document. Unknown fields of the document are refused, even with the value null. The same
    /// applies to the fields of the objects in `closed`.
    pub fn merge<T: Serialize + DeserializeOwned>(&self, before: &T, closed: &[&str]) -> Result<T> {
        let mut document = serde_json::to_value(before).map_err(Error::internal)?;
        check_names("", &self.0, &document)?;
        for field in closed {
            check_names(field, &self.0[*field], &document[*field])?;
        }
        json_patch::merge(&mut document, &self.0);
        for field in closed {
            // serde would read a list as the fields of the struct in their order.
            if !matches!(document[*field], Value::Object(_) | Value::Null) {
                return Err(Error::invalid_body(*field, "must be an object"));
            }
        }
        json::deserialize(document).map_err(|error| {
            let message = error.inner().to_string();
            let removed = self.0.as_object().into_iter().flatten().filter(|(_, value)| value.is_null());
            match removed.map(|(name, _)| name).find(|name| message == format!("missing field `{name}`")) {
                Some(name) => Error::invalid_body(name, "cannot be removed"),
                None => Error::unreadable_body(error),
            }
        })
    }
}

fn check_names(field: &str, patch: &Value, document: &Value) -> Result<()> {
    let (Some(patch), Some(known)) = (patch.as_object(), document.as_object()) else { return Ok(()) };
    let Some(unknown) = patch.keys().find(|name| !known.contains_key(*name)) else { return Ok(()) };
    let place = if field.is_empty() { unknown.clone() } else { format!("{field}.{unknown}") };
    let known: Vec<String> = known.keys().map(|name| format!("`{name}`")).collect();
    Err(Error::invalid_body(place, format!("unknown field `{unknown}`, expected one of {}", known.join(", "))))
}
