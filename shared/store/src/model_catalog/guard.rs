//! The guard of a plan: the model that evaluates texts unless a request names another, and why a plan may have none.

use std::fmt;
use std::sync::Arc;

use crate::catalog::Listing;
use domain::Error;
use domain::catalog::{Model, Purpose};
use domain::identity::Plan;
use domain::time::Time;

/// The alias that names the guard model of all plans that allow it.
const ALIAS: &str = "guard";

/// The names of OpenAI's moderation models. OpenAI's SDKs send them.
const OPENAI_NAMES: [&str; 4] =
    ["omni-moderation-latest", "omni-moderation-2024-09-26", "text-moderation-latest", "text-moderation-stable"];

/// Why a plan has no guard. Only an operator can change that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingGuard {
    /// The plan allows no guard model that can be called.
    Model,
    /// No risk category is active, so there is nothing to evaluate.
    Category,
}

impl fmt::Display for MissingGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Model => "the plan has no guard model; ask the operator for one",
            Self::Category => "no risk category is active; ask the operator to create one",
        })
    }
}

impl From<MissingGuard> for Error {
    fn from(missing: MissingGuard) -> Self {
        let field = match missing {
            MissingGuard::Model => "model",
            MissingGuard::Category => "input",
        };
        Self::invalid_body(field, missing)
    }
}

/// Whether a request with this name of a model means the guard of its plan. A model or an alias of this name comes first.
pub fn means_default_guard(listing: &Listing, name: &str) -> bool {
    OPENAI_NAMES.contains(&name) && listing.find(name).is_none()
}

/// The guard model of a plan: the one with the alias `guard`, or else the first one by name. A key's list of models does
/// not matter.
pub fn find_guard<'a>(listing: &'a Listing, plan: &Plan, now: Time) -> Result<&'a Arc<Model>, MissingGuard> {
    let is_usable =
        |model: &&Arc<Model>| model.does(Purpose::Guard) && plan.allows(&model.name) && !model.is_retired(now);
    let by_alias = listing.find(ALIAS).filter(is_usable);
    let model = by_alias.or_else(|| listing.models.values().find(is_usable)).ok_or(MissingGuard::Model)?;
    match listing.guard_categories.values().any(|category| category.active) {
        true => Ok(model),
        false => Err(MissingGuard::Category),
    }
}
