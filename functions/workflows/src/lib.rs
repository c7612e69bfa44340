//! `/builder/v1/workflows…`: what workflows are, their lives and their versions.

mod dto;
mod examine;
mod handlers;
mod routes;

use std::sync::Arc;

use shared::auth::Auth;
use shared::queue::Queue;
use shared::store::Workflows;
use shared::{Context, Result, config};

pub use routes::{document, router};

/// What the handlers work with.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    workflows: Workflows,
    agent_changes: Queue,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            workflows: Workflows::new(context)?,
            agent_changes: Queue::new(context, config::QUEUE_AGENT_CHANGES)?,
        })
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}
