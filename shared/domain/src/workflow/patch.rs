//! Updates of drafts: JSON Merge Patch (RFC 7396) on the fields that the owner may edit.

use serde::ser::Error as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use utoipa::ToSchema;

use super::{Workflow, WorkflowDescription, WorkflowName};
use crate::Result;
use crate::channel;
use crate::graph::{Graph, GraphPatch};
use crate::merge::MergePatch;
use crate::object;
use crate::time::Time;

// A patch is merged into this document. A field that a patch sets to null falls back to its default.
/// The fields to update.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = WorkflowPatchIn, title = "WorkflowPatch")]
pub struct EditableWorkflow {
    #[schema(value_type = WorkflowName, required = false)]
    name: String,
    #[serde(default)]
    #[schema(value_type = Option<WorkflowDescription>)]
    description: Option<String>,
    /// The graph. A list in the patch replaces the whole list.
    #[serde(default, serialize_with = "with_all_fields", deserialize_with = "object::one")]
    #[schema(value_type = Option<GraphPatch>)]
    graph: Graph,
}

/// A graph without notes has no such field, but a patch may set it.
fn with_all_fields<S: Serializer>(graph: &Graph, serializer: S) -> Result<S::Ok, S::Error> {
    let mut document = serde_json::to_value(graph).map_err(S::Error::custom)?;
    if let Some(fields) = document.as_object_mut() {
        fields.entry("notes").or_insert_with(|| Value::Array(Vec::new()));
    }
    document.serialize(serializer)
}

impl Workflow {
    /// Applies a patch to the draft. `complete` names the ports of connections that name none.
    pub fn patched(
        &self,
        patch: &MergePatch,
        now: Time,
        complete: impl FnOnce(&mut Graph) -> Result<()>,
    ) -> Result<Self> {
        self.check_editable()?;
        let (name, description) = (self.name.clone(), self.description.clone());
        let before = EditableWorkflow { name, description, graph: self.graph.clone() };
        let EditableWorkflow { name, description, mut graph } = patch.merge(&before, &["graph"])?;
        complete(&mut graph)?;
        let mut after = Self {
            name,
            description,
            graph,
            updated_at: now.max(self.updated_at),
            revision: self.revision + 1,
            ..self.clone()
        };
        // The configuration of a channel is removed with its node, or if the kind or the direction of the
        // channel changes.
        let slots = channel::slots(&after.graph);
        let kind = |slots: &[channel::ChannelSlot], id: &str| {
            slots.iter().find(|slot| slot.node_id == id).map(|slot| (slot.kind, slot.direction))
        };
        let before = channel::slots(&self.graph);
        after.channels.retain(|id, _| kind(&slots, id).is_some() && kind(&slots, id) == kind(&before, id));
        after.check()?;
        Ok(after)
    }
}
