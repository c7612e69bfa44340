//! `/builder/v1/workflows…`: definition, life cycle, versions and templates of workflows.

mod dry_run;
mod dto;
mod handlers;
mod imported_agents;
mod routes;
mod validation;

use std::sync::Arc;

use auth::Auth;
use domain::Result;
use domain::time::Clock;
use platform::Context;
use store::work::Hints;
use store::{Agents, Shares, Workflows};

pub use routes::{document, router};

/// The stores and clients that the handlers share.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    agents: Agents,
    workflows: Workflows,
    shares: Shares,
    hints: Hints,
    clock: Clock,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            agents: Agents::new(context)?,
            workflows: Workflows::new(context)?,
            shares: Shares::new(context)?,
            hints: Hints::new(context)?,
            clock: context.clock.clone(),
        })
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}
