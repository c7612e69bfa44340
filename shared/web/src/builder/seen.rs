//! The workflow of a row, in lists over all workflows.

use serde::Serialize;
use store::sharing::SeenWorkflow;
use utoipa::ToSchema;
use uuid::Uuid;

/// A workflow of which a list shows a part
#[derive(Serialize, ToSchema)]
#[schema(title = "WorkflowName")]
pub struct WorkflowNameOut {
    id: Uuid,
    #[schema(example = "Refunds")]
    name: String,
}

impl From<SeenWorkflow> for WorkflowNameOut {
    fn from(workflow: SeenWorkflow) -> Self {
        Self { id: workflow.id.uuid(), name: workflow.name }
    }
}
