//! `/gateway/v1/billing…` and `/gateway/v1/guard/events`: the balance, usage, transactions, exports and guard events
//! of the caller's organization.

mod dto;
mod exports;
mod handlers;
mod routes;

use std::sync::Arc;

use auth::Auth;
use domain::Result;
use platform::bucket::Bucket;
use platform::{Context, config};
use store::model_catalog::ModelCatalog;
use store::{GuardEvents, Leases, Ledger, MeterBook};

pub use routes::{document, router};

/// The stores and clients that the handlers share.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    models: Arc<ModelCatalog>,
    leases: Leases,
    ledger: Ledger,
    meters: MeterBook,
    guard_events: GuardEvents,
    files: Bucket,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            models: Arc::new(ModelCatalog::new(context)?),
            leases: Leases::new(context)?,
            ledger: Ledger::new(context)?,
            meters: MeterBook::new(context)?,
            guard_events: GuardEvents::new(context)?,
            files: Bucket::new(context, config::BUCKET_FILES)?,
        })
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}

impl AsRef<ModelCatalog> for Stores {
    fn as_ref(&self) -> &ModelCatalog {
        &self.models
    }
}
