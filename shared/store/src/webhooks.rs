//! Webhooks. An incoming call looks a webhook up by its id; the list of a workflow's webhooks holds their ids.

use std::time::Duration;

use attributes::Attributes;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::item::{Item, parse, to_item};
use super::query::TableQuery;
use super::table::Table;
use super::work::{self, DeletedEntity};
use super::workflow_parts::WorkflowPart;
use super::{keys, quota};
use domain::id::{Id, OrgId, UserId, WebhookId, WorkId, WorkflowId};
use domain::identity::Account;
use domain::reference::Reference;
use domain::time::Time;
use domain::token::{SecretToken, TokenHash, TokenKind};
use domain::webhook::{Webhook, WebhookMode};
use domain::{Error, Result};
use platform::{Context, config};

/// The maximum number of webhooks of a workflow. One `BatchGetItem` can read all of them.
pub const MAX_WEBHOOKS: usize = 50;

const USE_RECORD_INTERVAL: Duration = Duration::from_secs(60);

const PART: WorkflowPart = WorkflowPart { kind: "webhook", max: MAX_WEBHOOKS, too_many: "too_many_webhooks" };

pub(super) const GONE: Error = Error::NotFound { kind: WebhookId::KIND };

#[derive(Clone)]
pub struct Webhooks {
    entities: Table,
}

#[derive(Serialize, Deserialize, Attributes)]
pub(super) struct WebhookItem {
    pk: String,
    sk: String,
    id: WebhookId,
    org: OrgId,
    user: UserId,
    workflow: WorkflowId,
    name: String,
    mode: WebhookMode,
    timeout_ms: u64,
    token_hash: String,
    token_last4: String,
    token_created_at: Time,
    created_at: Time,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_used_at: Option<Time>,
    #[serde(default)]
    unstored_calls: u64,
}

#[derive(Serialize, Deserialize, Attributes)]
struct ListedItem {
    pk: String,
    sk: WebhookId,
}

fn item(webhook: &Webhook) -> Item {
    let key = keys::webhook(webhook.id);
    to_item(&WebhookItem {
        pk: key.pk,
        sk: key.sk,
        id: webhook.id,
        org: webhook.account.org,
        user: webhook.account.user,
        workflow: webhook.workflow,
        name: webhook.name.clone(),
        mode: webhook.mode,
        timeout_ms: webhook.timeout_ms,
        token_hash: webhook.token.as_str().to_owned(),
        token_last4: webhook.token_last4.clone(),
        token_created_at: webhook.token_created_at,
        created_at: webhook.created_at,
        last_used_at: webhook.last_used_at,
        unstored_calls: webhook.unstored_calls,
    })
}

pub(super) fn webhook(item: Item) -> Result<Webhook> {
    let item: WebhookItem = parse(item)?;
    Ok(Webhook {
        id: item.id,
        account: Account { org: item.org, user: item.user },
        workflow: item.workflow,
        name: item.name,
        mode: item.mode,
        timeout_ms: item.timeout_ms,
        token: TokenHash::from_stored(item.token_hash),
        token_last4: item.token_last4,
        token_created_at: item.token_created_at,
        created_at: item.created_at,
        last_used_at: item.last_used_at,
        unstored_calls: item.unstored_calls,
    })
}

impl Webhooks {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { entities: Table::new(context, config::TABLE_ENTITIES)? })
    }

    /// Adds a webhook to a workflow, on condition that the workflow exists and has fewer than the maximum.
    pub async fn create(&self, webhook: &Webhook) -> Result<()> {
        let Webhook { id, account, workflow, .. } = *webhook;
        let listed = keys::listed_webhook(account, workflow, id);
        let count = keys::webhook_count(account, workflow);
        let [exists, room] = PART.require_room(&self.entities, account, workflow, count, webhook.created_at);
        let writes = [
            exists,
            room,
            self.entities.put_item(item(webhook)).require_new(),
            self.entities.put_new(&ListedItem { pk: listed.pk, sk: id }),
        ];
        self.entities.transact(id.uuid(), &writes).await?.or_error(|refused| PART.refusal(&refused))
    }

    /// Lists the webhooks of a workflow, oldest first.
    pub async fn list(&self, account: Account, workflow: WorkflowId) -> Result<Vec<Webhook>> {
        let ids = ids(&self.entities, account, workflow).await?;
        let keys: Vec<_> = ids.into_iter().map(keys::webhook).collect();
        let found = self.entities.batch_get(&keys).await?;
        let mut found = found.into_iter().map(webhook).collect::<Result<Vec<_>>>()?;
        found.sort_by_key(|webhook| webhook.id);
        Ok(found)
    }

    /// Finds a webhook of any account, for a call that its token authenticates.
    pub async fn find(&self, id: WebhookId) -> Result<Webhook> {
        self.entities.get(&keys::webhook(id)).await?.map(webhook).transpose()?.ok_or(GONE)
    }

    pub async fn get(&self, account: Account, workflow: WorkflowId, id: WebhookId) -> Result<Webhook> {
        let found = self.find(id).await?;
        if found.account == account && found.workflow == workflow { Ok(found) } else { Err(GONE) }
    }

    /// Rotates the tokens of webhooks: the old tokens become invalid. The tokens are replaced in one transaction, so
    /// that every new token is returned to the caller.
    pub async fn renew(&self, webhooks: &[Webhook], now: Time) -> Result<Vec<(Webhook, SecretToken)>> {
        let renewed: Vec<_> = webhooks.iter().map(|webhook| with_new_token(webhook, now)).collect();
        let writes = renewed.iter().map(|(webhook, _)| {
            self.entities
                .update(keys::webhook(webhook.id))
                .set(WebhookItem::TOKEN_HASH, webhook.token.as_str())
                .set(WebhookItem::TOKEN_LAST4, &webhook.token_last4)
                .set(WebhookItem::TOKEN_CREATED_AT, now)
                .remove(WebhookItem::LAST_USED_AT)
                .require_exists()
        });
        self.entities.write_all(Uuid::now_v7(), writes.collect()).await?.or_error(|_| GONE)?;
        Ok(renewed)
    }

    /// Records that the token was used. It writes at most once a minute, however many calls arrive.
    pub async fn record_use(&self, webhook: &Webhook, now: Time) -> Result<()> {
        if webhook.last_used_at.is_some_and(|before| now < before.plus(USE_RECORD_INTERVAL)) {
            return Ok(());
        }
        let write = self.entities.update(keys::webhook(webhook.id)).set(WebhookItem::LAST_USED_AT, now);
        // If the webhook was deleted or its token rotated, the time of use is not recorded.
        let write = write.require_is(WebhookItem::TOKEN_HASH, webhook.token.as_str());
        self.entities.write(write).await.map(drop)
    }

    /// Deletes the webhook, and writes the work that notifies the workflow.
    pub async fn delete(&self, account: Account, workflow: WorkflowId, id: WebhookId, work_id: WorkId) -> Result<()> {
        let gone = DeletedEntity { account, reference: Reference::Webhook(id) };
        let writes = [
            self.entities.delete(keys::listed_webhook(account, workflow, id)).require_exists(),
            self.entities.delete(keys::webhook(id)),
            quota::decrement(&self.entities, keys::webhook_count(account, workflow)),
            work::deletion_work(&self.entities, work_id, &gone),
        ];
        self.entities.transact(work_id.uuid(), &writes).await?.or_error(|_| GONE)
    }
}

/// The ids of a workflow's webhooks.
pub(super) async fn ids(entities: &Table, account: Account, workflow: WorkflowId) -> Result<Vec<WebhookId>> {
    let listed = entities.query_all(TableQuery::partition(keys::webhooks(account, workflow))).await?;
    listed.into_iter().map(|item| Ok(parse::<ListedItem>(item)?.sk)).collect()
}

fn with_new_token(webhook: &Webhook, now: Time) -> (Webhook, SecretToken) {
    let token = SecretToken::generate(TokenKind::Channel);
    let (hash, token_last4) = (token.hash(), token.last4().to_owned());
    let renewed = Webhook { token: hash, token_last4, token_created_at: now, last_used_at: None, ..webhook.clone() };
    (renewed, token)
}
