//! The OpenAPI documents, the API reference page, and whether the platform is well.

mod docs;
mod handlers;
mod routes;

use std::sync::Arc;
use std::time::Duration;

use domain::Result;
use shared::Context;
use shared::cache::Cache;
use shared::store::Works;

pub use docs::HERE;
pub use routes::{document, router};

/// What the handlers work with.
#[derive(Clone)]
pub struct Stores {
    works: Works,
    /// Whoever asks all the time costs one look every few seconds.
    health: Arc<Cache<(), handlers::Health>>,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        Ok(Self { works: Works::new(context)?, health: Arc::new(Cache::new(Duration::from_secs(5), 1)) })
    }
}
