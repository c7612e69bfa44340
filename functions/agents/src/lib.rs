//! `/builder/v1/agents…` and `/builder/v1/models`: the caller's agents, and the models they can use.

mod dto;
mod handlers;
mod routes;

use std::sync::Arc;

use auth::Auth;
use domain::Result;
use platform::Context;
use store::work::Hints;
use store::{Agents, Catalog};

pub use routes::{document, router};

/// The stores and clients that the handlers share.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    agents: Agents,
    catalog: Catalog,
    hints: Hints,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            agents: Agents::new(context)?,
            catalog: Catalog::new(context)?,
            hints: Hints::new(context)?,
        })
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}
