//! `/gateway/v1/models…`: the model catalog, limited to the models and aliases that the caller may use. Paths of the gateway that no
//! other function has come here too.

mod dto;
mod handlers;
mod not_served;
mod routes;

use std::sync::Arc;

use auth::Auth;
use domain::Result;
use platform::Context;
use store::model_catalog::ModelCatalog;

pub use routes::{document, router};

/// The stores and clients that the handlers share.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    models: Arc<ModelCatalog>,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        Ok(Self { auth: Arc::new(Auth::new(context)?), models: Arc::new(ModelCatalog::new(context)?) })
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
