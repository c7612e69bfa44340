//! `/builder/v1/workflows/{id}/connections`, `…/webhooks…`, `…/webhook-credentials…`, `…/teams…`: the input and output
//! channels of workflows, their webhooks, credentials and private teams. Also `/builder/v1/agents/{id}/tools/{tool}/credential`: it is here
//! because this function has the permission to encrypt secrets. `/oauth/callback`: providers send browsers there after the consent to a
//! credential.

mod dto;
mod handlers;
mod routes;

use std::sync::Arc;

use auth::Auth;
use domain::Result;
use messaging::Messenger;
use oauth::{Consents, SharedConsents};
use outbound::{Calls, Outbound};
use platform::Context;
use store::agents::ToolCredentials;
use store::work::Hints;
use store::{Agents, Credentials, WebhookEvents, Webhooks, Workflows};

pub use routes::{document, router};

/// The stores and clients that the handlers share.
#[derive(Clone)]
pub struct Stores {
    auth: Arc<Auth>,
    agents: Agents,
    workflows: Workflows,
    webhooks: Webhooks,
    webhook_events: WebhookEvents,
    credentials: Credentials,
    consents: Arc<Consents>,
    tool_credentials: ToolCredentials,
    hints: Hints,
    calls: Calls,
    messenger: Messenger,
}

impl Stores {
    fn new(context: &Context) -> Result<Self> {
        let outbound = Outbound::from_config(&context.config)?;
        let consents = Arc::new(Consents::new(context, outbound.clone())?);
        let calls = Calls::new(outbound).with_consented(Arc::new(SharedConsents(consents.clone())));
        Ok(Self {
            auth: Arc::new(Auth::new(context)?),
            agents: Agents::new(context)?,
            workflows: Workflows::new(context)?,
            webhooks: Webhooks::new(context)?,
            webhook_events: WebhookEvents::new(context)?,
            credentials: Credentials::new(context)?,
            consents,
            tool_credentials: ToolCredentials::new(context)?,
            hints: Hints::new(context)?,
            messenger: Messenger::from_context(context, calls.clone()),
            calls,
        })
    }
}

impl AsRef<Auth> for Stores {
    fn as_ref(&self) -> &Auth {
        &self.auth
    }
}
