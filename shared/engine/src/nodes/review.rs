//! The node type `review`: waits for the decision of a person.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use super::fields::{Cel, Jinja};
use super::policy::Policies;
use super::{Category, DueWork, Fields, NodeAction, NodeKind, NodeResult};
use domain::language::Translated;
use domain::run::{QuestionKind, ReviewFieldType};

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReviewNode {
    /// The title of the decision.
    #[schema(inline)]
    pub title: Jinja,
    /// The information that the person needs.
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub message: Option<Jinja>,
    /// The fields that the person may change.
    #[serde(default)]
    #[schema(inline, max_items = 50)]
    pub fields: Vec<Field>,
    /// After this time the review expires and the run continues at `expired`; seven days by default.
    #[serde(default)]
    #[schema(minimum = 60, maximum = 2592000, nullable = false)]
    pub expires_in_seconds: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Field {
    #[schema(min_length = 1, max_length = 64, example = "refund")]
    pub name: String,
    #[serde(default)]
    #[schema(max_length = 200)]
    pub label: String,
    #[schema(inline)]
    pub r#type: ReviewFieldType,
    /// The initial value.
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub value: Option<Cel>,
    #[serde(default)]
    pub required: bool,
}

/// A question to a person.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    pub kind: QuestionKind,
    /// What the person sees, such as `title` and `fields`, as they are written, with the values of their expressions.
    pub request: Map<String, Value>,
    pub expires_in_seconds: Option<u64>,
}

impl NodeKind for ReviewNode {
    const NAME: &'static str = "review";
    const CATEGORY: Category = Category::People;
    const DESCRIPTION: Translated = Translated::new(
        "Waits for the decision of a person; continues at the port approved, rejected or expired. Its \
         value is {decision, fields, comment, reviewer}.",
        "Espera la decisión de una persona; continúa por el puerto approved, rejected o expired. Su valor \
         es {decision, fields, comment, reviewer}.",
    );
    const EFFECTS: bool = true;
    const POLICIES: Policies = Policies::ERROR;

    fn example() -> Value {
        json!({
            "title": "Refund {{ input.amount }} €?", "expiresInSeconds": 86400,
            "fields": [{"name": "amount", "label": "Amount", "type": "number", "value": "input.amount", "required": true}],
        })
    }

    fn outputs(&self) -> Vec<Cow<'static, str>> {
        vec!["approved".into(), "rejected".into(), "expired".into()]
    }

    fn output_schema(&self, port: &str) -> Value {
        json!({
            "type": "object", "required": ["decision", "fields", "comment", "reviewer"], "additionalProperties": false,
            "properties": {
                "decision": {"const": port}, "fields": {"type": "object"},
                "comment": {"type": ["string", "null"]}, "reviewer": {"type": ["string", "null"]},
            },
        })
    }

    fn evaluate(&self, fields: &Fields) -> NodeResult {
        let mut config = fields.config()?;
        let shown = ["title", "message", "fields"].into_iter();
        let request = shown.filter_map(|name| Some((name.to_owned(), config.remove(name)?))).collect();
        let expires_in_seconds = self.expires_in_seconds;
        let question = Question { kind: QuestionKind::Review, request, expires_in_seconds };
        Ok(NodeAction::Due(DueWork::Ask(question)))
    }
}
