//! Which models there are for whom.

use std::sync::Arc;
use std::time::Duration;

use crate::Context;
use crate::cache::Cache;
use crate::store::Catalog;
use crate::store::catalog::Listing;
use domain::catalog::Model;
use domain::identity::Plan;
use domain::time::Time;
use domain::{Error, Result};

/// How long the catalog is believed without a look: a change takes effect within this time everywhere.
const BELIEF: Duration = Duration::from_secs(30);

pub struct Models {
    catalog: Catalog,
    listing: Cache<(), Arc<Listing>>,
}

/// The model that a call goes to.
#[derive(Clone, Debug)]
pub struct Chosen {
    pub listing: Arc<Listing>,
    pub model: Arc<Model>,
    /// Whether it was asked for by a public name.
    pub by_alias: bool,
}

impl Models {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { catalog: Catalog::new(context)?, listing: Cache::new(BELIEF, 1) })
    }

    pub async fn listing(&self) -> Result<Arc<Listing>> {
        self.listing.get_or_load(&(), async || self.catalog.read().await.map(Arc::new)).await
    }

    /// The model that somebody on this plan, with a key of this list, means by `name`.
    pub async fn find(&self, plan: &Plan, list: Option<&[String]>, name: &str) -> Result<Chosen> {
        let listing = self.listing().await?;
        let model = visible(&listing, plan, name, Time::now())?;
        if !is_on_list(list, &listing, &model.name) {
            return Err(Error::Forbidden {
                code: "model_access_denied",
                message: "this key has a list of models, and this one is not on it".to_owned(),
            });
        }
        let by_alias = model.name != name;
        let model = Arc::new(model.clone());
        Ok(Chosen { listing, model, by_alias })
    }
}

/// A model of the plan that answers today, by its own name or a public one.
pub fn visible<'a>(listing: &'a Listing, plan: &Plan, name: &str, now: Time) -> Result<&'a Model> {
    let model = listing.find(name).filter(|model| plan.allows(&model.name) && !model.is_retired(now));
    model.ok_or(Error::NotFound { kind: "model" })
}

/// A key's list may name models by their public names too.
pub fn is_on_list(list: Option<&[String]>, listing: &Listing, model: &str) -> bool {
    list.is_none_or(|list| list.iter().any(|name| listing.find(name).is_some_and(|named| named.name == model)))
}
