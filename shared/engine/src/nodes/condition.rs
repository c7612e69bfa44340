//! The node type `condition`: continues at `true` or at `false`.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::Cel;
use super::{Category, Fields, NodeAction, NodeKind, NodeResult};
use domain::language::Translated;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConditionNode {
    /// An expression that is true or false.
    #[schema(inline)]
    pub expression: Cel,
}

impl NodeKind for ConditionNode {
    const NAME: &'static str = "condition";
    const CATEGORY: Category = Category::Logic;
    const HAS_CONDITIONS: bool = true;
    const DESCRIPTION: Translated = Translated::new(
        "Continues at the port true or false; its value is its input. The node type transform lists the \
         functions of expressions.",
        "Continúa por el puerto true o false; su valor es su entrada. El tipo de nodo transform enumera \
         las funciones de las expresiones.",
    );
    const CAN_REPEAT: bool = false;
    const CAN_WORK_ON_ITEMS: bool = false;

    fn example() -> Value {
        json!({"expression": "input.amount > 1000 && input.country in ['ES', 'PT']"})
    }

    fn outputs(&self) -> Vec<Cow<'static, str>> {
        vec!["true".into(), "false".into()]
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        let port = if fields.holds("expression")? { "true" } else { "false" };
        Ok(NodeAction::Choose(port.into()))
    }
}
