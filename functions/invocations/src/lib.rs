//! `/builder/v1/agents/{id}/invoke`: executes an agent within the request. Apart from `agents`, because it links the
//! providers of models and streams its responses.

mod dto;
mod events;
mod handlers;
mod invocation;
mod routes;

use std::sync::Arc;

use auth::Auth;
use domain::Result;
use effects::NodePerformers;
use platform::Context;
use platform::secrets::Secrets;
use store::{Agents, RunUsage, Runs};

pub use routes::{document, router};

/// The stores and clients that the handlers share.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    agents: Agents,
    performers: NodePerformers,
    runs: Runs,
    usage: RunUsage,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            agents: Agents::new(context)?,
            performers: NodePerformers::new(context)?,
            runs: Runs::new(context)?.with_vault(Arc::new(Secrets::of_runs(context)?)),
            usage: RunUsage::new(context)?,
        })
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}
