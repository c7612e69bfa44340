//! `/builder/v1/workflows/{id}/preview` and `…/test-agent`: runs the draft of a workflow without recording it, once or in a
//! conversation. Apart from `workflows`, because it links the providers of models.

mod draft;
mod dto;
mod handlers;
mod nodes;
mod routes;
mod test_agent;

use std::sync::Arc;
use std::time::Duration;

use auth::Auth;
use domain::Result;
use domain::time::Clock;
use effects::NodePerformers;
use platform::Context;
use store::{Agents, Workflows};

pub use routes::{document, router};

/// The maximum time of a preview or a test. API Gateway ends a request after 29 seconds.
const LIMIT: Duration = Duration::from_secs(25);

/// The stores and clients that the handlers share.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    agents: Agents,
    workflows: Workflows,
    performers: NodePerformers,
    clock: Clock,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            agents: Agents::new(context)?,
            workflows: Workflows::new(context)?,
            performers: NodePerformers::new(context)?,
            clock: context.clock.clone(),
        })
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}
