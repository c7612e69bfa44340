//! The node type `input`: a run that is started manually, by a test or by another workflow.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::{Category, Fields, NodeAction, NodeKind, NodeResult, policy::Policies};
use crate::schema::{FieldProblem, check_value, faults};
use domain::language::Translated;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InputNode {
    /// The JSON Schema (draft 2020-12) of the input of a run. Without it, any input is accepted.
    #[serde(default)]
    #[schema(nullable = false)]
    pub schema: Option<Map<String, Value>>,
    /// The input of a run that is started without one; it must match the schema.
    #[serde(default)]
    pub example: Option<Value>,
}

impl NodeKind for InputNode {
    const NAME: &'static str = "input";
    const CATEGORY: Category = Category::Trigger;
    const DESCRIPTION: Translated = Translated::new(
        "Starts a run manually, from a test or from another workflow; its value is the input of the run.",
        "Inicia una ejecución a mano, desde una prueba o desde otro flujo; su valor es la entrada de la \
         ejecución.",
    );
    const POLICIES: Policies = Policies::NONE;

    fn example() -> Value {
        json!({"schema": {"type": "object", "properties": {"question": {"type": "string"}}}})
    }

    fn output_schema(&self, _port: &str) -> Value {
        self.schema.clone().map_or_else(|| json!({}), Value::Object)
    }

    fn problems(&self) -> Vec<FieldProblem> {
        let Some(schema) = self.schema.clone().map(Value::Object) else { return Vec::new() };
        let faults = faults(&schema, "schema");
        match &self.example {
            Some(example) if faults.is_empty() => check_value(&schema, example, "example").violations,
            _ => faults,
        }
    }

    fn evaluate(&self, _: &Fields) -> NodeResult {
        Ok(NodeAction::Pass)
    }
}
