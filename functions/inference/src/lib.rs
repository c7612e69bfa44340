//! The inference API, compatible with OpenAI: chat completions, responses, completions, embeddings, images and moderations; with Cohere and Jina: reranking; and with
//! Anthropic: messages.

mod dto;
mod handlers;
mod headers;
mod incoming;
mod routes;
mod writers;

use std::sync::Arc;
use std::time::Duration;

use auth::RecentCallers;
use domain::Result;
use gateway::Gateway;
use platform::Context;
use platform::config::IMAGE_PATIENCE_S;
use store::Responses;
use store::model_catalog::ModelCatalog;

pub use routes::{document, router};

/// Most images take less. It is shorter than the timeout of the route.
const PATIENCE: Duration = Duration::from_secs(120);

/// The state that the handlers share.
#[derive(Clone)]
pub struct Stores {
    callers: Arc<RecentCallers>,
    gateway: Gateway,
    responses: Responses,
    /// How long a request for images waits for them.
    patience: Duration,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            callers: Arc::new(RecentCallers::new(context)?),
            gateway: Gateway::new(context)?,
            responses: Responses::new(context)?,
            patience: context.config.seconds(IMAGE_PATIENCE_S)?.unwrap_or(PATIENCE),
        })
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
