//! `/builder/v1/workflows/{id}/connections`, `…/webhooks…`, `…/webhook-credentials…`: how workflows are joined to the
//! world.

mod dto;
mod handlers;
mod routes;

use std::sync::Arc;

use shared::auth::Auth;
use shared::store::{Credentials, WebhookEvents, Webhooks, Workflows};
use shared::{Context, Result};

pub use routes::{document, router};

/// What the handlers work with.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    workflows: Workflows,
    webhooks: Webhooks,
    webhook_events: WebhookEvents,
    credentials: Credentials,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            workflows: Workflows::new(context)?,
            webhooks: Webhooks::new(context)?,
            webhook_events: WebhookEvents::new(context)?,
            credentials: Credentials::new(context)?,
        })
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}
