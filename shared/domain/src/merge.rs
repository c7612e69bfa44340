//! JSON Merge Patch (RFC 7396) for documents with a fixed set of fields.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::body_problem::BodyProblem;
use crate::body_problems::Problems;
use crate::{Error, Result, json};

/// A merge patch, which is always an object.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "Value")]
pub struct MergePatch(Value);

/// The merged document is checked, not the patch.
impl PartialSchema for MergePatch {
    fn schema() -> RefOr<Schema> {
        Value::schema()
    }
}

impl ToSchema for MergePatch {}

impl Default for MergePatch {
    fn default() -> Self {
        Self(Value::Object(Map::new()))
    }
}

impl TryFrom<Value> for MergePatch {
    type Error = &'static str;

    fn try_from(patch: Value) -> std::result::Result<Self, &'static str> {
        if patch.is_object() { Ok(Self(patch)) } else { Err("must be an object") }
    }
}

impl MergePatch {
    pub fn is_empty(&self) -> bool {
        self.0.as_object().is_none_or(Map::is_empty)
    }

    pub fn value(&self) -> &Value {
        &self.0
    }

    /// Merges the patch into a document. Unknown fields of the document are refused, even with the value null. The same
    /// applies to the fields of the objects in `closed`.
    pub fn merge<T: Serialize + DeserializeOwned>(&self, before: &T, closed: &[&str]) -> Result<T> {
        let mut document = serde_json::to_value(before).map_err(Error::internal)?;
        let mut problems = Problems::default();
        check_names(&mut problems, "", &self.0, &document);
        for field in closed {
            check_names(&mut problems, field, &self.0[*field], &document[*field]);
        }
        json_patch::merge(&mut document, &self.0);
        for field in closed {
            // serde would read a list as the fields of the struct in their order.
            if !matches!(document[*field], Value::Object(_) | Value::Null) {
                problems.add(field, "must be an object");
            }
        }
        problems.finish()?;
        json::read(document).map_err(|error| self.explain_removals(error))
    }

    /// A required field that the patch removes is not missing in the request.
    fn explain_removals(&self, error: Error) -> Error {
        let Error::InvalidBody { problems, .. } = error else { return error };
        let explained = problems.into_iter().map(|problem| match self.0.get(&problem.field) {
            Some(Value::Null) => BodyProblem::new(&problem.field, "cannot be removed"),
            _ => problem,
        });
        Error::invalid_fields(explained.collect())
    }
}

fn check_names(problems: &mut Problems, field: &str, patch: &Value, document: &Value) {
    let (Some(patch), Some(known)) = (patch.as_object(), document.as_object()) else { return };
    for unknown in patch.keys().filter(|name| !known.contains_key(*name)) {
        let place = if field.is_empty() { unknown.clone() } else { format!("{field}.{unknown}") };
        let known: Vec<String> = known.keys().map(|name| format!("`{name}`")).collect();
        problems.add(&place, format_args!("unknown field `{unknown}`, expected one of {}", known.join(", ")));
    }
}
