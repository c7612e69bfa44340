//! The node type `workflow`: runs another workflow.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use uuid::Uuid;

use super::fields::Cel;
use super::policy::Policies;
use super::{Category, Fields, NodeAction, NodeKind, NodeResult, Operation};
use domain::language::Translated;
use domain::id::WorkflowId;
use domain::reference::Reference;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkflowNode {
    /// One of the workflows of the same owner. Its active release at that time is run.
    pub workflow_id: Uuid,
    /// The input of its run; the node's input if omitted.
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub input: Option<Cel>,
}

/// A call of a workflow.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowCall {
    pub workflow_id: WorkflowId,
    pub input: Value,
}

impl NodeKind for WorkflowNode {
    const NAME: &'static str = "workflow";
    const CATEGORY: Category = Category::Integration;
    const DESCRIPTION: Translated = Translated::new(
        "Runs another workflow; its value is that run's output. `timeoutMs` limits the wait for it; \
         without it, the wait has no limit.",
        "Ejecuta otro flujo; su valor es la salida de esa ejecución. `timeoutMs` limita la espera; sin \
         él, la espera no tiene límite.",
    );
    const EFFECTS: bool = true;
    const POLICIES: Policies = Policies::EFFECT;

    fn example() -> Value {
        json!({"workflowId": "0199a2c4-7b1e-7c52-9d3f-2f1f0f6b8a11", "input": "{'ticket': input.id}"})
    }

    fn references(&self) -> Vec<(Reference, &'static str)> {
        vec![(Reference::Workflow(WorkflowId::from(self.workflow_id)), "workflowId")]
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        let input = fields.value("input")?.unwrap_or_else(|| Value::clone(fields.input));
        let call = WorkflowCall { workflow_id: self.workflow_id.into(), input };
        Ok(NodeAction::Due(Operation::Workflow(call).into()))
    }
}
