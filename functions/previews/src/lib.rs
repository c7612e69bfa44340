//! `/builder/v1/workflows/{id}/preview`: runs the draft of a workflow without recording it. Apart from `workflows`,
//! because it links the providers of models.

mod draft;
mod dto;
mod handlers;
mod nodes;
mod routes;

use std::sync::Arc;

use domain::Result;
use domain::time::Clock;
use effects::NodePerformers;
use shared::Context;
use shared::auth::Auth;
use shared::store::Workflows;

pub use routes::{document, router};

/// The stores and clients that the handlers share.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    workflows: Workflows,
    performers: NodePerformers,
    clock: Clock,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
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
