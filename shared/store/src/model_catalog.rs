//! Model selection: resolves names and aliases against the catalog, the plan and the API key's allowlist.

mod guard;
mod unknown;

use std::sync::Arc;
use std::time::Duration;

use crate::Catalog;
use crate::catalog::Listing;
use domain::catalog::{Maintenance, Model, Purpose};
use domain::identity::{Plan, Role};
use domain::time::{Clock, Time};
use domain::{Error, Result};
use platform::Context;
use platform::cache::Cache;

pub use guard::{MissingGuard, find_guard, means_default_guard};
use unknown::unknown_model;

/// Cache lifetime of the catalog. A change of the catalog takes effect in every process within this time.
const CATALOG_TTL: Duration = Duration::from_secs(30);

pub struct ModelCatalog {
    catalog: Catalog,
    listing: Cache<(), Arc<Listing>>,
    clock: Clock,
}

/// The model selected for a call.
#[derive(Clone, Debug)]
pub struct Chosen {
    pub listing: Arc<Listing>,
    pub model: Arc<Model>,
    /// The public alias by which the request named the model.
    pub alias: Option<String>,
}

impl ModelCatalog {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { catalog: Catalog::new(context)?, listing: Cache::new(CATALOG_TTL, 1), clock: context.clock.clone() })
    }

    pub async fn listing(&self) -> Result<Arc<Listing>> {
        self.listing.get_or_load(&(), async || self.catalog.read().await.map(Arc::new)).await
    }

    /// Refuses callers other than operators during maintenance.
    pub async fn check_maintenance(&self, role: Role) -> Result<()> {
        if role == Role::Operator {
            return Ok(());
        }
        let Maintenance { on, message, retry_after_s } = &self.listing().await?.maintenance;
        match on {
            false => Ok(()),
            true => Err(Error::Maintenance { message: message.clone(), retry_after_s: *retry_after_s }),
        }
    }

    /// Resolves `name` to a model that the plan allows and that is on the key's allowlist, if it has one.
    pub async fn find(&self, plan: &Plan, list: Option<&[String]>, name: &str) -> Result<Chosen> {
        let listing = self.listing().await?;
        let now = self.clock.now();
        let model = visible(&listing, plan, name, now).ok_or_else(|| unknown_model(&listing, plan, list, name, now))?;
        if !is_on_list(list, &listing, &model.name) {
            return Err(Error::Forbidden {
                code: "model_access_denied",
                message: "this key does not allow this model; use a model on the key's list".to_owned(),
            });
        }
        let alias = (model.name != name).then(|| name.to_owned());
        Ok(Chosen { model: model.clone(), listing, alias })
    }

    /// The first model by name that the plan allows for a purpose.
    pub async fn find_first(&self, plan: &Plan, purpose: Purpose) -> Result<Chosen> {
        let listing = self.listing().await?;
        let now = self.clock.now();
        let fits = |model: &&Arc<Model>| model.does(purpose) && plan.allows(&model.name) && !model.is_retired(now);
        let model = listing.models.values().find(fits).cloned();
        let model = model.ok_or(Error::NotFound { kind: "model" })?;
        Ok(Chosen { listing, model, alias: None })
    }

    /// The guard model of a plan, see [`find_guard`]. `explain` turns the reason of a missing one into the caller's error.
    pub async fn find_guard(&self, plan: &Plan, explain: impl FnOnce(MissingGuard) -> Error) -> Result<Chosen> {
        let listing = self.listing().await?;
        let model = find_guard(&listing, plan, self.clock.now()).map_err(explain)?.clone();
        Ok(Chosen { listing, model, alias: None })
    }

    /// Finds the model of a job, which was allowed when the job was created.
    pub async fn find_for_job(&self, name: &str) -> Result<Chosen> {
        let listing = self.listing().await?;
        let model = listing.models.get(name).filter(|model| !model.is_retired(self.clock.now()));
        let model = model.cloned().ok_or(Error::NotFound { kind: "model" })?;
        Ok(Chosen { listing, model, alias: None })
    }
}

/// Finds a model of the plan by its name or by a public alias. Retired models are not found.
pub fn visible<'a>(listing: &'a Listing, plan: &Plan, name: &str, now: Time) -> Option<&'a Arc<Model>> {
    listing.find(name).filter(|model| plan.allows(&model.name) && !model.is_retired(now))
}

/// Reports whether the key's allowlist has the model, by name or by alias. A key without a list allows every model.
pub fn is_on_list(list: Option<&[String]>, listing: &Listing, model: &str) -> bool {
    list.is_none_or(|list| list.iter().any(|name| listing.find(name).is_some_and(|named| named.name == model)))
}
