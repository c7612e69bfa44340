//! Changing a draft: JSON merge patch (RFC 7396) over what its owner may edit.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Workflow;
use crate::domain::graph::Graph;
use crate::domain::time::Time;
use crate::{Error, Result};

/// The document a patch is merged into. A field that a patch sets to null falls back to its default.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Editable {
    name: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    graph: Graph,
}

/// A merge patch for a workflow.
#[derive(Clone, Debug)]
pub struct WorkflowPatch(Value);

impl WorkflowPatch {
    pub fn new(patch: Value) -> Result<Self> {
        match patch {
            Value::Object(_) => Ok(Self(patch)),
            _ => Err(Error::invalid_body("", "a merge patch is a JSON object")),
        }
    }
}

impl Workflow {
    pub fn patched(&self, patch: &WorkflowPatch, now: Time) -> Result<Self> {
        self.check_editable()?;
        let before =
            Editable { name: self.name.clone(), description: self.description.clone(), graph: self.graph.clone() };
        let mut document = serde_json::to_value(before).map_err(Error::internal)?;
        json_patch::merge(&mut document, &patch.0);
        // An absent graph is the default; one that is no object would be read as a sequence.
        if !matches!(document["graph"], Value::Object(_) | Value::Null) {
            return Err(Error::invalid_body("graph", "must be an object"));
        }
        let Editable { name, description, graph } = serde_path_to_error::deserialize(document).map_err(|error| {
            let path = error.path().to_string();
            Error::invalid_body(if path == "." { String::new() } else { path }, error.into_inner())
        })?;
        let after = Self { name, description, graph, updated_at: now, revision: self.revision + 1, ..self.clone() };
        after.check()?;
        Ok(after)
    }
}
