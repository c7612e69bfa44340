//! Request and response bodies of guard categories.

use domain::Result;
use domain::guard::GuardCategory;
use domain::schema::{self, Title};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use web::gateway::GuardSeverityWire;

const DEFAULT_THRESHOLD: f64 = 0.5;

/// The settings of a risk category.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GuardCategoryIn {
    /// The name to display. It is also in the prompts of `llama-guard` and `chat-json` models.
    #[schema(value_type = Title)]
    label: String,
    severity: GuardSeverityWire,
    /// A text is flagged if its score is at least this. Defaults to 0.5.
    #[schema(minimum = 0, maximum = 1)]
    threshold: Option<f64>,
    /// Whether texts are evaluated for this category. Defaults to true.
    active: Option<bool>,
}

impl GuardCategoryIn {
    pub fn read(self, code: &str) -> Result<GuardCategory> {
        schema::check(&self)?;
        let Self { label, severity, threshold, active } = self;
        let (threshold, active) = (threshold.unwrap_or(DEFAULT_THRESHOLD), active.unwrap_or(true));
        Ok(GuardCategory { code: code.to_owned(), label, severity: severity.into(), threshold, active })
    }
}

/// A risk category of the guard.
#[derive(Serialize, ToSchema)]
#[schema(as = GuardCategory)]
pub struct GuardCategoryOut {
    /// Guard models know the category by this name.
    #[schema(example = "violence")]
    code: String,
    label: String,
    severity: GuardSeverityWire,
    threshold: f64,
    active: bool,
}

impl From<&GuardCategory> for GuardCategoryOut {
    fn from(GuardCategory { code, label, severity, threshold, active }: &GuardCategory) -> Self {
        let severity = (*severity).into();
        Self { code: code.clone(), label: label.clone(), severity, threshold: *threshold, active: *active }
    }
}
