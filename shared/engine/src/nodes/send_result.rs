//! The node type `send_result`: sets the output of a run.

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::Cel;
use super::{Category, Fields, NodeAction, NodeKind, NodeResult};
use domain::language::Translated;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SendResultNode {
    /// The run's output; the node's input if omitted.
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub output: Option<Cel>,
}

impl NodeKind for SendResultNode {
    const NAME: &'static str = "send_result";
    const CATEGORY: Category = Category::Output;
    const DESCRIPTION: Translated = Translated::new(
        "Sets the run's output, which a waiting webhook returns.",
        "Fija la salida de la ejecución, que devuelve un webhook que espera.",
    );
    const CAN_REPEAT: bool = false;

    fn example() -> Value {
        json!({"output": "{'answer': input}"})
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        Ok(fields.value("output")?.map_or(NodeAction::Pass, NodeAction::Return))
    }
}
