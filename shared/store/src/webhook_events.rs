//! Webhook events: the calls that webhooks received, with a retention of thirty days.

use std::collections::BTreeMap;
use std::future::ready;
use std::time::Duration;

use attributes::Attributes;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::attribute::SK;
use super::item::{Item, parse};
use super::keys::{self, Key};
use super::listing;
use super::query::TableQuery;
use super::sharded_list::ShardedList;
use super::stored_text::StoredText;
use super::table::Table;
use super::write::Write;
use domain::id::{Id, WebhookEventId, WebhookId};
use domain::page::{Order, Slice};
use domain::time::Time;
use domain::webhook::{MAX_KEPT_BYTES, WebhookEvent, WebhookOutcome};
use domain::{Error, Result};
use platform::bucket::Bucket;
use platform::{Context, config};

const RETENTION: Duration = Duration::from_secs(30 * 24 * 60 * 60);

#[derive(Clone)]
pub struct WebhookEvents {
    journal: Table,
    bucket: Bucket,
}

#[derive(Serialize, Deserialize, Attributes)]
struct EventItem {
    pk: String,
    sk: WebhookEventId,
    outcome: WebhookOutcome,
    status: u16,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    run: Option<Uuid>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error_code: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    content_type: Option<String>,
    headers: BTreeMap<String, String>,
    body: StoredText,
    body_bytes: u64,
    expires_at: i64,
}

/// The event without its body, and the stored body.
fn event(item: Item) -> Result<(WebhookEvent, StoredText)> {
    let item: EventItem = parse(item)?;
    let event = WebhookEvent {
        id: item.sk,
        outcome: item.outcome,
        status: item.status,
        run: item.run,
        error_code: item.error_code,
        content_type: item.content_type,
        headers: item.headers,
        body: String::new(),
        body_bytes: item.body_bytes,
    };
    Ok((event, item.body))
}

/// The write of an event. A large body is stored in the bucket first.
pub(super) async fn put(journal: &Table, bucket: &Bucket, webhook: WebhookId, event: WebhookEvent) -> Result<Write> {
    let Key { pk, .. } = keys::webhook_event(webhook, event.id);
    let mut body = event.body;
    body.truncate(body.floor_char_boundary(MAX_KEPT_BYTES));
    let body = StoredText::store(bucket, &body_prefix(webhook, event.id), "text/plain", body.as_bytes()).await?;
    let item = EventItem {
        pk,
        sk: event.id,
        outcome: event.outcome,
        status: event.status,
        run: event.run,
        error_code: event.error_code,
        content_type: event.content_type,
        headers: event.headers,
        body,
        body_bytes: event.body_bytes,
        expires_at: Time::from_uuid(event.id.uuid()).plus(RETENTION).as_seconds(),
    };
    Ok(journal.put(&item))
}

/// Erases the content of a call. That it was received stays.
pub(super) async fn erase(journal: &Table, bucket: &Bucket, webhook: WebhookId, id: WebhookEventId) -> Result<()> {
    bucket.delete_all(&body_prefix(webhook, id)).await?;
    let erased = journal.update(keys::webhook_event(webhook, id)).set(EventItem::BODY, StoredText::from(""));
    let erased = erased.set(EventItem::HEADERS, BTreeMap::<String, String>::new()).require_exists();
    journal.write(erased).await.map(drop)
}

/// The prefix of the objects that have the body of a call.
fn body_prefix(webhook: WebhookId, id: WebhookEventId) -> String {
    format!("webhook-events/{webhook}/{id}")
}

impl WebhookEvents {
    pub fn new(context: &Context) -> Result<Self> {
        let journal = Table::new(context, config::TABLE_JOURNAL)?;
        Ok(Self { journal, bucket: Bucket::new(context, config::BUCKET_FILES)? })
    }

    pub async fn record(&self, webhook: WebhookId, event: WebhookEvent) -> Result<()> {
        let put = put(&self.journal, &self.bucket, webhook, event).await?;
        self.journal.write(put).await.map(drop)
    }

    /// Corrects the status of the response, if it was not known when the event was stored.
    pub async fn set_status(&self, webhook: WebhookId, id: WebhookEventId, status: u16) -> Result<()> {
        let update = self.journal.update(keys::webhook_event(webhook, id)).set(EventItem::STATUS, status);
        self.journal.write(update.require_exists()).await.map(drop)
    }

    /// Lists events without their bodies, newest first. A filtered page may be short and still have a next page.
    pub async fn list(
        &self,
        webhook: WebhookId,
        outcomes: &[WebhookOutcome],
        limit: u32,
        after: Option<String>,
    ) -> Result<Slice<WebhookEvent>> {
        let filter = listing::one_of(EventItem::OUTCOME, outcomes);
        let shard = |shard| TableQuery {
            filter: filter.clone(),
            ..TableQuery::partition(keys::webhook_events(webhook, shard))
        };
        let list = ShardedList {
            table: &self.journal,
            shards: (0..keys::EVENT_SHARDS).map(shard).collect(),
            id: SK.path(),
            order: Order::Desc,
            from: Uuid::nil(),
            to: Uuid::max(),
            drops_most: filter.is_some(),
        };
        let load = |found: Vec<(Uuid, Item)>| {
            ready(found.into_iter().map(|(id, item)| Ok((id, event(item)?.0))).collect::<Result<Vec<_>>>())
        };
        list.page(limit, after, load).await
    }

    pub async fn get(&self, webhook: WebhookId, id: WebhookEventId) -> Result<WebhookEvent> {
        let item = self.journal.get(&keys::webhook_event(webhook, id)).await?;
        let (event, body) = event(item.ok_or(Error::NotFound { kind: WebhookEventId::KIND })?)?;
        let body = body.read(&self.bucket).await?.unwrap_or_default();
        Ok(WebhookEvent { body: String::from_utf8_lossy(&body).into_owned(), ..event })
    }
}
