//! `/hooks/v1`: other systems start runs of workflows, and messaging providers deliver messages. A run of a webhook without
//! effects is carried out here; the function `run-worker` carries out the others.

mod call;
mod delivery;
mod dto;
mod handlers;
mod messages;
mod routes;
mod triggers;

use std::sync::Arc;

use auth::Auth;
use domain::Result;
use domain::time::Clock;
use platform::Context;
use platform::secrets::Secrets;
use runner::ReleasePlans;
use store::{CalledWebhooks, Inboxes, RefusedCalls, Runs, Threads, WebhookEvents, Webhooks, Workflows};

pub use routes::{document, router};

/// The stores that the handlers share.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    webhooks: Webhooks,
    called_webhooks: Arc<CalledWebhooks>,
    webhook_events: WebhookEvents,
    refused_calls: RefusedCalls,
    inboxes: Arc<Inboxes>,
    threads: Threads,
    plans: Arc<ReleasePlans>,
    runs: Runs,
    clock: Clock,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            webhooks: Webhooks::new(context)?,
            called_webhooks: Arc::new(CalledWebhooks::new(context)?),
            webhook_events: WebhookEvents::new(context)?,
            refused_calls: RefusedCalls::new(context)?,
            inboxes: Arc::new(Inboxes::new(context)?),
            threads: Threads::new(context)?,
            plans: Arc::new(ReleasePlans::new(Workflows::new(context)?)),
            runs: Runs::new(context)?.with_vault(Arc::new(Secrets::of_runs(context)?)),
            clock: context.clock.clone(),
        })
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}
