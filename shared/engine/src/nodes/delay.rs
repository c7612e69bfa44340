//! The node type `delay`: pauses a run.

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::Cel;
use super::{Category, DueWork, Fields, NodeAction, NodeKind, NodeResult};
use crate::schema::FieldProblem;
use domain::language::Translated;
use domain::translated;

/// Set either `seconds` or `until`.
#[derive(Clone, Debug, PartialEq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DelayNode<V = Cel> {
    #[schema(minimum = 1, maximum = 2592000, nullable = false)]
    pub seconds: Option<u64>,
    /// The time to wait for, such as `timestamp(input.dueAt)`.
    #[schema(inline, nullable = false)]
    pub until: Option<V>,
}

impl NodeKind for DelayNode {
    const NAME: &'static str = "delay";
    const CATEGORY: Category = Category::Logic;
    const DESCRIPTION: Translated = Translated::new(
        "Waits for up to 30 days; its value is its input.",
        "Espera hasta 30 días; su valor es su entrada.",
    );
    const IS_STORED: bool = true;

    fn example() -> Value {
        json!({"seconds": 3600})
    }

    fn problems(&self) -> Vec<FieldProblem> {
        match (self.seconds, &self.until) {
            (Some(_), Some(_)) => {
                let message =
                    translated!("set either seconds or until, not both", "defina seconds o until, no los dos");
                vec![("until".to_owned(), message)]
            }
            (None, None) => vec![("seconds".to_owned(), translated!("is missing", "falta"))],
            _ => Vec::new(),
        }
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        fields.evaluate().map(|delay| NodeAction::Due(DueWork::Delay(delay)))
    }
}
