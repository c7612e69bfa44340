//! `/hooks/v1`: other systems start runs of workflows, people fill in forms, and messaging providers deliver messages. A run
//! whose caller waits is carried out here, as far as it needs only `http` nodes; the function `run-worker` carries out the
//! rest.

mod call;
mod delivery;
mod dto;
mod form;
mod given;
mod handlers;
mod messages;
mod response;
mod routes;
mod triggers;

use std::sync::Arc;

use auth::Auth;
use domain::Result;
use domain::time::Clock;
use effects::HttpPerformers;
use platform::Context;
use runner::{Arrivals, ReleasePlans};
use store::{CalledWebhooks, Inboxes, RefusedCalls, Runs, SentForms, Threads, WebhookEvents, Webhooks, Workflows};

pub use routes::{document, router};

/// The stores that the handlers share.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    webhooks: Webhooks,
    called_webhooks: Arc<CalledWebhooks>,
    webhook_events: WebhookEvents,
    refused_calls: RefusedCalls,
    sent_forms: SentForms,
    inboxes: Arc<Inboxes>,
    threads: Threads,
    plans: Arc<ReleasePlans>,
    runs: Runs,
    arrivals: Arc<Arrivals<HttpPerformers>>,
    clock: Clock,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        let runs = Runs::with_keys(context)?;
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            webhooks: Webhooks::new(context)?,
            called_webhooks: Arc::new(CalledWebhooks::new(context)?),
            webhook_events: WebhookEvents::new(context)?,
            refused_calls: RefusedCalls::new(context)?,
            sent_forms: SentForms::new(context)?,
            inboxes: Arc::new(Inboxes::new(context)?),
            threads: Threads::new(context)?,
            plans: Arc::new(ReleasePlans::new(Workflows::new(context)?, None)),
            arrivals: Arc::new(Arrivals::new(context, runs.clone(), HttpPerformers::new(context)?)),
            runs,
            clock: context.clock.clone(),
        })
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}
