//! The records that a call of a webhook needs: the webhook, its workflow and its owner, read in one consistent
//! `BatchGetItem`. Only their location is cached, never their content, so a new token or a suspension takes effect at once.

use std::time::Duration;

use super::callers::{Callers, KnownPerson};
use super::keys;
use super::webhooks::{GONE, Webhooks, webhook};
use super::workflows::{WorkflowHeader, header};
use domain::Result;
use domain::id::{WebhookId, WorkflowId};
use domain::identity::Account;
use domain::webhook::Webhook;
use platform::Context;
use platform::cache::Cache;

const CACHE_CAPACITY: usize = 10_000;
const CACHE_TTL: Duration = Duration::from_secs(60 * 60);

pub struct CalledWebhooks {
    webhooks: Webhooks,
    callers: Callers,
    /// The account and the workflow of each webhook. They never change.
    places: Cache<WebhookId, (Account, WorkflowId)>,
}

pub struct CalledWebhook {
    pub webhook: Webhook,
    /// None if the workflow was deleted.
    pub workflow: Option<WorkflowHeader>,
    /// None if the user is not a member of the organization.
    pub owner: Option<KnownPerson>,
}

impl CalledWebhooks {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            webhooks: Webhooks::new(context)?,
            callers: Callers::new(context)?,
            places: Cache::new(CACHE_TTL, CACHE_CAPACITY),
        })
    }

    pub async fn find(&self, id: WebhookId) -> Result<CalledWebhook> {
        let (account, workflow) = match self.places.get(&id) {
            Some(place) => place,
            None => {
                let webhook = self.webhooks.find(id).await?;
                self.places.put(&id, (webhook.account, webhook.workflow));
                (webhook.account, webhook.workflow)
            }
        };
        let keys = [keys::webhook(id), keys::workflow(account, workflow)];
        let (mut owner, [webhook_item, workflow_item]) = self.callers.find_with(account, keys).await?;
        let workflow = workflow_item.map(|item| header(account, workflow, item)).transpose()?.flatten();
        if let Some(user) = workflow.as_ref().and_then(WorkflowHeader::payer) {
            owner = self.callers.find(Account { org: account.org, user }).await?;
        }
        Ok(CalledWebhook { webhook: webhook_item.map(webhook).transpose()?.ok_or(GONE)?, workflow, owner })
    }
}
