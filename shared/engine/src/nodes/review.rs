//! A person's decision.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::{Cel, Jinja};
use super::policy::Policies;
use super::{Category, Kind};

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Review {
    /// What is to be decided.
    #[schema(inline)]
    pub title: Jinja,
    /// What there is to know for it.
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub message: Option<Jinja>,
    /// What the person may change.
    #[serde(default)]
    #[schema(inline, max_items = 50)]
    pub fields: Vec<Field>,
    /// After this it is decided without a person; seven days when left out.
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
    pub r#type: FieldType,
    /// What it holds at first.
    #[serde(default)]
    #[schema(inline, nullable = false)]
    pub value: Option<Cel>,
    #[serde(default)]
    pub required: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum FieldType {
    Text,
    Number,
    Boolean,
    Json,
}

impl Kind for Review {
    const NAME: &'static str = "review";
    const CATEGORY: Category = Category::People;
    const DESCRIPTION: &'static str =
        "Waits for a person; goes on at approved, rejected or expired, with {decision, fields, comment, reviewer}.";
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
}
