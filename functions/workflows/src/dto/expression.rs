//! Request and response bodies of the expression preview.

use engine::script::ConsoleLine;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// An expression and example data.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(title = "ExpressionPreview")]
pub struct PreviewIn {
    /// The expression to evaluate.
    #[schema(max_length = 65536, example = "input.amount > 1000")]
    pub expression: String,
    /// The values of the variables `input`, `nodes`, `vars` and `run`.
    #[serde(default)]
    #[schema(example = json!({"input": {"amount": 1200}}))]
    pub data: Map<String, Value>,
    /// The language of the expression. Defaults to `cel`.
    #[serde(default)]
    pub language: LanguageIn,
}

#[derive(Clone, Copy, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum LanguageIn {
    /// A CEL expression: a condition or a value.
    #[default]
    Cel,
    /// A Jinja template: a text with placeholders.
    Jinja,
    /// JavaScript, as the field of the node `code`: the body of a function, with `return`.
    Javascript,
    /// A JavaScript expression, as in a field `{"js": "…"}`.
    Js,
}

/// The value of an expression.
#[derive(Serialize, ToSchema)]
#[schema(title = "ExpressionResult")]
pub struct PreviewOut {
    /// The value as JSON.
    #[schema(required, example = true)]
    pub result: Value,
    /// The type of the value.
    #[schema(example = "bool")]
    pub r#type: &'static str,
    /// What JavaScript wrote to its console.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub console: Vec<ConsoleLine>,
}
