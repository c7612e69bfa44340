//! The node type `merge`: joins several branches into one.

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::policy::Policies;
use super::{Category, Fields, Join, NodeAction, NodeKind, NodeResult};
use crate::schema::FieldProblem;
use domain::language::Translated;
use domain::translated;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MergeNode {
    /// Whether to wait for all branches that are taken, or to continue with the first; `all` by default.
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub mode: Option<Mode>,
    /// With `first`: whether the other branches are canceled; false by default.
    #[serde(default)]
    #[schema(nullable = false)]
    pub cancel_losers: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    All,
    First,
}

impl NodeKind for MergeNode {
    const NAME: &'static str = "merge";
    const CATEGORY: Category = Category::Logic;
    const DESCRIPTION: Translated = Translated::new(
        "Joins branches: with all, its value is the list of their values, in the order of the \
         connections; with first, the first value.",
        "Une ramas: con all, su valor es la lista de los valores de las ramas, en el orden de las \
         conexiones; con first, el primer valor.",
    );
    const POLICIES: Policies = Policies::NONE;
    const CAN_REPEAT: bool = false;
    const CAN_WORK_ON_ITEMS: bool = false;

    fn example() -> Value {
        json!({"mode": "first", "cancelLosers": true})
    }

    fn output_schema(&self, _port: &str) -> Value {
        if self.mode == Some(Mode::First) { json!({}) } else { json!({"type": "array", "minItems": 1}) }
    }

    fn join(&self) -> Join {
        match self.mode {
            None | Some(Mode::All) => Join::All,
            Some(Mode::First) => Join::First { cancels_losers: self.cancel_losers.unwrap_or_default() },
        }
    }

    fn problems(&self) -> Vec<FieldProblem> {
        match (self.mode, self.cancel_losers) {
            (None | Some(Mode::All), Some(true)) => {
                let message = translated!("is allowed only with the mode first", "solo se permite con el modo first");
                vec![("cancelLosers".to_owned(), message)]
            }
            _ => Vec::new(),
        }
    }

    fn evaluate(&self, _: &Fields) -> NodeResult {
        Ok(NodeAction::Pass)
    }
}
