//! The node type `placeholder`: a node that is still to be made.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::policy::Policies;
use super::port::{self, PortName};
use super::{Category, Fields, NodeAction, NodeKind, NodeResult, OUT};
use crate::schema::FieldProblem;
use domain::language::Translated;

/// An import puts one in the place of each node that it cannot translate.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlaceholderNode {
    /// What is to be done.
    #[schema(min_length = 1, max_length = 2_000)]
    pub message: String,
    /// The names of its output ports; `out` by default.
    #[serde(default)]
    #[schema(inline, min_items = 1, max_items = 50, nullable = false)]
    pub outputs: Option<Vec<PortName>>,
    /// The node of the platform that the workflow was imported from.
    #[serde(default)]
    #[schema(value_type = Object, nullable = false)]
    pub original: Option<Value>,
}

impl NodeKind for PlaceholderNode {
    const NAME: &'static str = "placeholder";
    const CATEGORY: Category = Category::Logic;
    const DESCRIPTION: Translated = Translated::new(
        "Stands for a node that is still to be made: the workflow cannot be published with it. In a preview it passes on its \
         input, or its pinned output.",
        "Ocupa el lugar de un nodo que aún falta: el flujo no se puede publicar con él. En una vista previa pasa su entrada, o \
         su salida fijada.",
    );
    const POLICIES: Policies = Policies::NONE;
    const CAN_REPEAT: bool = false;
    const CAN_WORK_ON_ITEMS: bool = false;

    fn example() -> Value {
        json!({"message": "Read the rows of the sheet"})
    }

    fn outputs(&self) -> Vec<Cow<'static, str>> {
        self.outputs.as_deref().map_or_else(|| vec![OUT.into()], port::names)
    }

    fn problems(&self) -> Vec<FieldProblem> {
        port::problems("outputs", self.outputs.as_deref().unwrap_or_default())
    }

    fn evaluate(&self, _: &Fields) -> NodeResult {
        let first = self.outputs().swap_remove(0);
        Ok(if first == OUT { NodeAction::Pass } else { NodeAction::Choose(first) })
    }
}
