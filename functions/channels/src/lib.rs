//! `/builder/v1/workflows/{id}/connections`, `…/webhooks…`, `…/webhook-credentials…`: how workflows are joined to the
//! world.

mod dto;
mod handlers;
mod routes;

use std::sync::Arc;

use shared::auth::Auth;
use shared::domain::id::WorkId;
use shared::outbound::{Calls, Outbound};
use shared::queue::Queue;
use shared::store::work::WorkHint;
use shared::store::{Credentials, WebhookEvents, Webhooks, Workflows};
use shared::{Context, Result, config};

pub use routes::{document, router};

/// What the handlers work with.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    workflows: Workflows,
    webhooks: Webhooks,
    webhook_events: WebhookEvents,
    credentials: Credentials,
    agent_changes: Queue,
    calls: Calls,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            workflows: Workflows::new(context)?,
            webhooks: Webhooks::new(context)?,
            webhook_events: WebhookEvents::new(context)?,
            credentials: Credentials::new(context)?,
            agent_changes: Queue::new(context, config::QUEUE_AGENT_CHANGES)?,
            calls: Calls::new(Outbound::from_config(&context.config)?),
        })
    }

    /// Says that there is work, which was written with the change that makes it necessary.
    async fn hint(&self, work_id: WorkId) {
        self.agent_changes.hint(&WorkHint { work_id }).await;
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}
