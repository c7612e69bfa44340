//! The node type `fail`: ends a run with an error.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::Jinja;
use super::policy::Policies;
use super::{Category, Fields, NodeKind, NodeResult, StepError};
use domain::language::Translated;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FailNode {
    #[schema(inline)]
    pub message: Jinja,
    /// The error code, for programs; `failed` by default.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 64, nullable = false, example = "not_eligible")]
    pub code: Option<String>,
}

impl NodeKind for FailNode {
    const NAME: &'static str = "fail";
    const CATEGORY: Category = Category::Output;
    const DESCRIPTION: Translated = Translated::new(
        "Ends the run with an error.",
        "Termina la ejecución con un error.",
    );
    const POLICIES: Policies = Policies::NONE;
    const CAN_REPEAT: bool = false;

    fn example() -> Value {
        json!({"message": "No order {{ input.order }}.", "code": "order_unknown"})
    }

    fn outputs(&self) -> Vec<Cow<'static, str>> {
        Vec::new()
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        Err(StepError::new(self.code.as_deref().unwrap_or("failed"), fields.text("message")?))
    }
}
