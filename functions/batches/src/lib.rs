//! `/gateway/v1/files…` and `/gateway/v1/batches…`, compatible with OpenAI: many calls of models in one file. The function
//! `batch-worker` makes the calls.

mod dto;
mod handlers;
mod routes;

use std::sync::Arc;

use auth::Auth;
use domain::Result;
use platform::Context;
use store::model_catalog::ModelCatalog;
use store::{Batches, Files};

pub use routes::{document, router};

/// The stores and clients that the handlers share.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    models: Arc<ModelCatalog>,
    files: Files,
    batches: Batches,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            models: Arc::new(ModelCatalog::new(context)?),
            files: Files::new(context)?,
            batches: Batches::new(context)?,
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
