//! A look at a text for what it risks.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use super::fields::Jinja;
use super::{Category, Kind, policy::Policies};
use domain::reference::Reference;

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Guard {
    #[schema(inline)]
    pub text: Jinja,
    /// A guard model of the catalog; the platform's own when left out.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 200, nullable = false)]
    pub model: Option<String>,
    /// The score of any category from which the text counts as flagged; 0.5 when left out.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 1, nullable = false)]
    pub threshold: Option<f64>,
}

impl Kind for Guard {
    const NAME: &'static str = "guard";
    const CATEGORY: Category = Category::Ai;
    const DESCRIPTION: &'static str =
        "Evaluates a text against the risk categories; goes on at passed or at flagged. Its value is {flagged, \
         categories: [{code, label, severity, score, flagged}]}.";
    const EFFECTS: bool = true;
    const POLICIES: Policies = Policies::EFFECT;

    fn example() -> Value {
        json!({"text": "{{ input.comment }}", "threshold": 0.7})
    }

    fn outputs(&self) -> Vec<Cow<'static, str>> {
        vec!["passed".into(), "flagged".into()]
    }

    fn references(&self) -> Vec<(Reference, &'static str)> {
        self.model.iter().map(|model| (Reference::Model(model.clone()), "model")).collect()
    }
}
