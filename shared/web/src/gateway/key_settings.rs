//! The settings of an API key, as its owner or an operator sends them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::LimitsIn;
use domain::body_problems::Problems;
use domain::identity::Plan;
use domain::limits::Limits;
use domain::time::Time;
use domain::usd::UsdIn;
use domain::{Result, schema};
use store::catalog::Listing;
use store::key_ring::KeySettings;
use store::model_catalog::visible;

domain::text_schemas! {
    KeyName(1, 200, schema::NOT_BLANK, "a text that is not blank");
}

#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ApiKeyIn)]
pub struct KeySettingsIn {
    #[schema(value_type = KeyName)]
    pub name: String,
    /// The models the key may call, by name or alias. Null or a missing field means all models of the plan
    #[schema(min_items = 1, max_items = 100)]
    pub models: Option<Vec<String>>,
    /// The limits of this key. The limits of the plan apply where these are null
    pub limits: Option<LimitsIn>,
    /// In US dollars per calendar month
    pub spending_cap: Option<UsdIn>,
    /// The key is invalid from this time on
    #[schema(value_type = Option<String>, format = DateTime)]
    pub expires_at: Option<Time>,
}

impl From<KeySettings> for KeySettingsIn {
    fn from(KeySettings { name, models, expires_at, limits, cap }: KeySettings) -> Self {
        Self { name, models, limits: limits.map(LimitsIn::from), spending_cap: cap.map(UsdIn), expires_at }
    }
}

impl KeySettingsIn {
    /// Validates the settings. Models and expiry are checked only if they differ from `before`, which is `None` for a
    /// new key.
    pub fn read(self, before: Option<&KeySettings>, listing: &Listing, plan: &Plan, now: Time) -> Result<KeySettings> {
        let mut problems = Problems::default();
        let is_within_limits = problems.take(schema::check(&self)).is_some();
        let Self { name, models, limits, spending_cap, expires_at } = self;
        if is_within_limits && before.is_none_or(|before| before.models != models) {
            problems.take(check_models(models.as_deref(), listing, plan, now));
        }
        if before.is_none_or(|before| before.expires_at != expires_at) && expires_at.is_some_and(|at| at <= now) {
            problems.add("expires_at", "must be in the future");
        }
        problems.finish()?;
        let limits = limits.map(Limits::from);
        Ok(KeySettings { name, models, expires_at, limits, cap: spending_cap.map(|cap| cap.0) })
    }
}

fn check_models(models: Option<&[String]>, listing: &Listing, plan: &Plan, now: Time) -> Result<()> {
    let mut problems = Problems::default();
    for (i, _) in
        models.into_iter().flatten().enumerate().filter(|(_, name)| visible(listing, plan, name, now).is_none())
    {
        problems.add(&format!("models[{i}]"), "no such model in the plan");
    }
    problems.finish()
}
