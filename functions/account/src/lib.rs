//! `/gateway/v1/me…`: the caller's account, organizations and API keys.

mod dto;
mod handlers;
mod routes;

use std::sync::Arc;

use auth::Auth;
use domain::Result;
use platform::Context;
use store::model_catalog::ModelCatalog;
use store::{Identities, KeyRing};

pub use routes::{document, router};

/// The stores and clients that the handlers share.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    models: Arc<ModelCatalog>,
    identities: Identities,
    keys: KeyRing,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            models: Arc::new(ModelCatalog::new(context)?),
            identities: Identities::new(context)?,
            keys: KeyRing::new(context)?,
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
