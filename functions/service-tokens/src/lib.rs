//! `/builder/v1/service-tokens`: tokens with which programs call the builder and workbenches APIs as service accounts.

mod dto;
mod handlers;
mod routes;

use std::sync::Arc;

use auth::Auth;
use domain::Result;
use platform::Context;
use store::{Admin, ServiceTokens};

pub use routes::{document, router};

/// The stores that the handlers share.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    admin: Admin,
    tokens: ServiceTokens,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            admin: Admin::new(context)?,
            tokens: ServiceTokens::new(context)?,
        })
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}
