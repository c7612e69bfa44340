//! The OpenAPI documents, the API reference page and the health check.

mod docs;
mod handlers;
mod routes;

use std::sync::Arc;
use std::time::Duration;

use domain::Result;
use platform::Context;
use platform::cache::Cache;
use store::Works;

pub use docs::{BASE_URL, HERE};
pub use routes::{document, router};

/// The stores and clients that the handlers share.
#[derive(Clone)]
pub struct Stores {
    works: Works,
    /// Caches the health check, so that frequent requests read the tables only every five seconds.
    health: Arc<Cache<(), handlers::Health>>,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        Ok(Self { works: Works::new(context)?, health: Arc::new(Cache::new(Duration::from_secs(5), 1)) })
    }
}
