//! `/builder/v1/agents/{id}/invoke` executes an agent within the request, and `…/invocations` shows what was recorded. `…/tools/{tool}/server` lists the tools of an MCP server. Apart from
//! `agents`, because it links the providers of models and streams its responses.

mod dto;
mod events;
mod handlers;
mod invocation;
mod recording;
mod routes;

use std::sync::Arc;

use auth::Auth;
use domain::Result;
use domain::time::Clock;
use effects::NodePerformers;
use platform::Context;
use platform::tasks::Tasks;
use store::{Agents, Invocations, RunUsage, Runs};
use tokio_util::sync::CancellationToken;

pub use routes::{document, router};

/// The stores and clients that the handlers share.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    agents: Agents,
    performers: NodePerformers,
    runs: Runs,
    usage: RunUsage,
    records: Invocations,
    tasks: Tasks,
    clock: Clock,
    stop: CancellationToken,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            agents: Agents::new(context)?,
            performers: NodePerformers::new(context)?,
            runs: Runs::with_keys(context)?,
            usage: RunUsage::new(context)?,
            records: Invocations::new(context)?,
            tasks: context.tasks.clone(),
            clock: context.clock.clone(),
            stop: context.stop.clone(),
        })
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}
