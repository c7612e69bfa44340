//! Problems that keep a published agent or workflow from working.

use serde::Serialize;
use utoipa::ToSchema;

use super::reference::Reference;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = StandingProblem)]
pub struct StatusProblem {
    #[schema(example = "reference_gone")]
    pub code: &'static str,
    pub message: String,
}

impl StatusProblem {
    pub fn deleted_reference(reference: &Reference) -> Self {
        let kind = reference.kind();
        let name = match reference {
            Reference::Agent(id) => id.to_string(),
            Reference::Model(name) => name.clone(),
            Reference::Workflow(id) => id.to_string(),
            Reference::Credential(_, id) => id.to_string(),
            Reference::Webhook(id) => id.to_string(),
        };
        Self {
            code: "reference_gone",
            message: format!("{kind} {name} no longer exists: replace it or remove the reference"),
        }
    }
}
