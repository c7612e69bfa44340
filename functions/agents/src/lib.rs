//! `/builder/v1/agents…` and `/builder/v1/models`: the caller's agents, and the models they can use.

mod dto;
mod handlers;
mod routes;

use std::sync::Arc;

use shared::auth::Auth;
use shared::queue::Queue;
use shared::store::{Agents, Catalog};
use shared::{Context, Result, config};

pub use routes::{document, router};

/// What the handlers work with.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    agents: Agents,
    catalog: Catalog,
    agent_changes: Queue,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            agents: Agents::new(context)?,
            catalog: Catalog::new(context)?,
            agent_changes: Queue::new(context, config::QUEUE_AGENT_CHANGES)?,
        })
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}
