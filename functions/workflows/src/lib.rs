//! `/builder/v1/workflows…`: definition, life cycle, versions and templates of workflows.

mod dto;
mod handlers;
mod routes;
mod validation;

use std::sync::Arc;

use auth::Auth;
use domain::Result;
use platform::Context;
use store::work::Hints;
use store::{Shares, Workflows};

pub use routes::{document, router};

/// The stores and clients that the handlers share.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    workflows: Workflows,
    shares: Shares,
    hints: Hints,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            workflows: Workflows::new(context)?,
            shares: Shares::new(context)?,
            hints: Hints::new(context)?,
        })
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}
