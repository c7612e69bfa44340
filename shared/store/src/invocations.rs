//! The invocations of agents, with the retention of the plan: a small item for the list, and an object in the bucket with the
//! conversation and the steps. What an invocation cost is in `RunUsage`, because a canceled call may be charged after the end.

use std::future::ready;

use attributes::Attributes;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::attribute::SK;
use super::item::{Item, parse};
use super::keys::{self, Key};
use super::listing;
use super::query::TableQuery;
use super::sharded_list::ShardedList;
use super::table::Table;
use domain::agent::{InvocationContent, InvocationRecord, InvocationState};
use domain::id::{AgentId, Id, InvocationId, UserId};
use domain::page::{Order, Slice};
use domain::retention::RunRetention;
use domain::run::StepError;
use domain::time::{Clock, Time};
use domain::{Error, Result};
use platform::bucket::Bucket;
use platform::{Context, config};

#[derive(Clone)]
pub struct Invocations {
    journal: Table,
    bucket: Bucket,
    clock: Clock,
}

/// Which invocations a list has. By default it has all.
#[derive(Clone, Debug, Default)]
pub struct InvocationFilter {
    pub states: Vec<InvocationState>,
    /// Those that began at this time or later.
    pub from: Option<Time>,
    /// Those that began before this time.
    pub to: Option<Time>,
}

#[derive(Serialize, Deserialize, Attributes)]
struct InvocationItem {
    pk: String,
    sk: InvocationId,
    invoked_by: UserId,
    state: InvocationState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ended_at: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<StepError>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    erased_at: Option<Time>,
    /// The name of the object with the content, which is stored at the end.
    content: String,
    expires_at: i64,
}

impl InvocationItem {
    fn new(agent: AgentId, record: InvocationRecord, retention: RunRetention) -> Self {
        let started_at = record.started_at();
        let InvocationRecord { id, invoked_by, state, ended_at, error, erased_at } = record;
        let Key { pk, .. } = keys::invocation(agent, id);
        let content = format!("{}/{id}", retention.invocation_prefix());
        let expires_at = retention.expiry(started_at).as_seconds();
        Self { pk, sk: id, invoked_by, state, ended_at, error, erased_at, content, expires_at }
    }

    fn into_record(self, now: Time) -> InvocationRecord {
        let Self { sk: id, invoked_by, state, ended_at, error, erased_at, .. } = self;
        InvocationRecord { id, invoked_by, state, ended_at, error, erased_at }.seen_at(now)
    }
}

impl Invocations {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            journal: Table::new(context, config::TABLE_JOURNAL)?,
            bucket: Bucket::new(context, config::BUCKET_FILES)?,
            clock: context.clock.clone(),
        })
    }

    /// Stores that an invocation has begun.
    pub async fn begin(&self, agent: AgentId, record: InvocationRecord, retention: RunRetention) -> Result<()> {
        let item = InvocationItem::new(agent, record, retention);
        self.journal.write(self.journal.put(&item)).await.map(drop)
    }

    /// Stores the end of an invocation. It replaces the item of its beginning, even if that could not be stored. An invocation
    /// that was interrupted may be erased before its end comes, which then changes nothing.
    pub async fn end(
        &self,
        agent: AgentId,
        record: InvocationRecord,
        content: &InvocationContent,
        retention: RunRetention,
    ) -> Result<()> {
        let item = InvocationItem::new(agent, record, retention);
        let content = serde_json::to_vec(content).map_err(Error::internal)?;
        self.bucket.put(&item.content, "application/json", content).await?;
        let put = self.journal.put(&item).require(InvocationItem::ERASED_AT.is_missing());
        if !self.journal.write(put).await?.is_written() {
            self.bucket.discard(&item.content).await;
        }
        Ok(())
    }

    /// Lists the invocations of an agent, newest first. A filtered page may be short and still have a next page.
    pub async fn list(
        &self,
        agent: AgentId,
        filter: &InvocationFilter,
        limit: u32,
        after: Option<String>,
    ) -> Result<Slice<InvocationRecord>> {
        let stored: Vec<_> = filter.states.iter().map(|state| state.stored()).collect();
        let condition = listing::one_of(InvocationItem::STATE, &stored);
        let shard =
            |shard| TableQuery { filter: condition.clone(), ..TableQuery::partition(keys::invocations(agent, shard)) };
        let list = ShardedList {
            table: &self.journal,
            shards: (0..keys::INVOCATION_SHARDS).map(shard).collect(),
            id: SK.path(),
            order: Order::Desc,
            from: filter.from.map_or(Uuid::nil(), Time::first_uuid),
            to: filter.to.map_or(Uuid::max(), Time::last_uuid_before),
            drops_most: !filter.states.is_empty(),
        };
        let now = self.clock.now();
        let read = |(id, item): (Uuid, Item)| match parse::<InvocationItem>(item) {
            // TTL deletes items late.
            Ok(item) if item.expires_at <= now.as_seconds() => None,
            Ok(item) => {
                let record = item.into_record(now);
                let is_wanted = filter.states.is_empty() || filter.states.contains(&record.state);
                is_wanted.then_some(Ok((id, record)))
            }
            Err(error) => Some(Err(error)),
        };
        let load = |found: Vec<(Uuid, Item)>| ready(found.into_iter().filter_map(read).collect::<Result<Vec<_>>>());
        list.page(limit, after, load).await
    }

    /// An invocation with its content. While it is in progress, or if it was interrupted or erased, it has none.
    pub async fn get(&self, agent: AgentId, id: InvocationId) -> Result<(InvocationRecord, InvocationContent)> {
        let (record, content) = self.find(agent, id).await?;
        let stored = match record.state {
            _ if record.erased_at.is_some() => None,
            InvocationState::Running | InvocationState::Interrupted => None,
            _ => self.bucket.get(&content).await?,
        };
        let content = stored.map(|stored| serde_json::from_slice(&stored).map_err(Error::internal)).transpose()?;
        Ok((record, content.unwrap_or_default()))
    }

    /// Erases the conversation and the steps. That the invocation took place stays. A repeated request deletes what is left.
    pub async fn erase(&self, agent: AgentId, id: InvocationId) -> Result<()> {
        let (record, content) = self.find(agent, id).await?;
        record.check_erasable()?;
        if record.erased_at.is_none() {
            let key = keys::invocation(agent, id);
            let erased = self.journal.update(key).set(InvocationItem::ERASED_AT, self.clock.now());
            let erased = match record.error {
                // The message may have values of the conversation.
                Some(StepError { code, .. }) => {
                    erased.set(InvocationItem::ERROR, StepError::new(code, "the message was erased"))
                }
                None => erased,
            };
            // The end of an interrupted invocation may come between the two calls.
            let erased = erased.require_is(InvocationItem::STATE, record.state.stored());
            self.journal.write(erased).await?.or_error(|_| Error::busy("the invocation has just ended; try again"))?;
        }
        self.bucket.delete(&content).await
    }

    /// The record, and the name of the object with its content.
    async fn find(&self, agent: AgentId, id: InvocationId) -> Result<(InvocationRecord, String)> {
        let item = self.journal.get(&keys::invocation(agent, id)).await?.map(parse::<InvocationItem>).transpose()?;
        let now = self.clock.now();
        let item = item.filter(|item| item.expires_at > now.as_seconds());
        let mut item = item.ok_or(Error::NotFound { kind: InvocationId::KIND })?;
        let content = std::mem::take(&mut item.content);
        Ok((item.into_record(now), content))
    }
}
