//! The node type `guard`: moderates a text with a guard model.

use std::borrow::Cow;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::Jinja;
use super::{Category, Fields, NodeKind, NodeResult, Operation, SLOW, policy::Policies};
use domain::language::Translated;
use domain::catalog::Purpose;
use domain::reference::Reference;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GuardNode<T = Jinja> {
    #[schema(inline)]
    pub text: T,
    /// A guard model of the catalog. Defaults to the model with the alias `guard`, or else to the first guard model by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200, nullable = false)]
    pub model: Option<String>,
    /// The text is flagged if the score of any category is at least this. Without it, each category has its own threshold.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1, nullable = false)]
    pub threshold: Option<f64>,
}

impl GuardNode {
    /// The output ports.
    pub const PASSED: &str = "passed";
    pub const FLAGGED: &str = "flagged";
}

impl NodeKind for GuardNode {
    const NAME: &'static str = "guard";
    const CATEGORY: Category = Category::Ai;
    const DESCRIPTION: Translated = Translated::new(
        "Evaluates a text against the risk categories; continues at the port passed or flagged. Its value \
         is {flagged, categories: [{code, label, severity, score, flagged}]}; a score is null if the \
         model does not know the category.",
        "Evalúa un texto según las categorías de riesgo; continúa por el puerto passed o flagged. Su \
         valor es {flagged, categories: [{code, label, severity, score, flagged}]}; una puntuación es \
         null si el modelo no conoce la categoría.",
    );
    const EFFECTS: bool = true;
    const MODEL_PURPOSE: Option<Purpose> = Some(Purpose::Guard);
    const POLICIES: Policies = Policies::EFFECT;
    const TIMEOUT: Duration = SLOW;

    fn example() -> Value {
        json!({"text": "{{ input.comment }}", "threshold": 0.7})
    }

    fn outputs(&self) -> Vec<Cow<'static, str>> {
        vec![Self::PASSED.into(), Self::FLAGGED.into()]
    }

    fn output_schema(&self, port: &str) -> Value {
        let category = json!({
            "type": "object", "required": ["code", "label", "severity", "score", "flagged"],
            "properties": {
                "code": {"type": "string"}, "label": {"type": "string"},
                "score": {"type": ["number", "null"], "minimum": 0, "maximum": 1}, "flagged": {"type": "boolean"},
            },
        });
        json!({
            "type": "object", "required": ["flagged", "categories"],
            "properties": {"flagged": {"const": port == Self::FLAGGED}, "categories": {"type": "array", "items": category}},
        })
    }

    fn references(&self) -> Vec<(Reference, &'static str)> {
        self.model.iter().map(|model| (Reference::Model(model.clone()), "model")).collect()
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        fields.perform(Operation::Guard)
    }
}
