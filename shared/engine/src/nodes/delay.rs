//! The node type `delay`: pauses a run.

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::Cel;
use super::{Category, NodeKind};

/// Set either `seconds` or `until`.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DelayNode {
    #[serde(default)]
    #[schema(minimum = 1, maximum = 2592000, nullable = false)]
    pub seconds: Option<u64>,
    /// The time to wait for, such as `timestamp(input.dueAt)`.
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub until: Option<Cel>,
}

impl NodeKind for DelayNode {
    const NAME: &'static str = "delay";
    const CATEGORY: Category = Category::Logic;
    const DESCRIPTION: &'static str = "Waits for up to 30 days; its value is its input.";

    fn example() -> Value {
        json!({"seconds": 3600})
    }

    fn problems(&self) -> Vec<(String, String)> {
        match (self.seconds, &self.until) {
            (Some(_), Some(_)) => vec![("until".to_owned(), "set either seconds or until, not both".to_owned())],
            (None, None) => vec![("seconds".to_owned(), "is missing".to_owned())],
            _ => Vec::new(),
        }
    }
}
