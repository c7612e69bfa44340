//! The inference API, compatible with OpenAI: `/gateway/v1/chat/completions` and `/gateway/v1/embeddings`.

mod dto;
mod handlers;
mod headers;
mod routes;

use std::sync::Arc;

use domain::Result;
use gateway::Gateway;
use shared::Context;
use shared::auth::RecentCallers;
use shared::model_catalog::ModelCatalog;

pub use routes::{document, router};

/// The state that the handlers share.
#[derive(Clone)]
pub struct Stores {
    callers: Arc<RecentCallers>,
    gateway: Gateway,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        Ok(Self { callers: Arc::new(RecentCallers::new(context)?), gateway: Gateway::new(context)? })
    }
}

impl AsRef<RecentCallers> for Stores {
    fn as_ref(&self) -> &RecentCallers {
        &self.callers
    }
}

impl AsRef<ModelCatalog> for Stores {
    fn as_ref(&self) -> &ModelCatalog {
        self.gateway.models()
    }
}
