//! The participants of a workflow.

use uuid::Uuid;

use super::Threads;
use super::item::{ParticipantItem, ThreadLinkItem};
use crate::item::parse;
use crate::keys;
use crate::query::TableQuery;
use crate::slice::slice;
use domain::id::{Id, ParticipantId, ThreadId, WorkflowId};
use domain::messaging::MessagingProvider;
use domain::page::{Order, Slice};
use domain::time::Time;
use domain::{Error, Result};

#[derive(Clone, Debug, PartialEq)]
pub struct ParticipantSummary {
    pub id: ParticipantId,
    pub name: Option<String>,
    pub provider: MessagingProvider,
    /// The id of the person at the provider.
    pub sender: String,
    /// When they last wrote, exact to a day.
    pub seen_at: Time,
}

impl ParticipantItem {
    fn is_shown(&self, now: Time) -> bool {
        self.erased_at.is_none() && self.expires_at > now.as_seconds()
    }
}

impl From<ParticipantItem> for ParticipantSummary {
    fn from(item: ParticipantItem) -> Self {
        let ParticipantItem { sk: id, name, provider, sender, seen_at, .. } = item;
        Self { id, name, provider, sender, seen_at }
    }
}

impl Threads {
    /// Lists the participants of a workflow, in the order of their ids.
    pub async fn participants(
        &self,
        workflow: WorkflowId,
        limit: u32,
        after: Option<String>,
    ) -> Result<Slice<ParticipantSummary>> {
        let page = slice(&self.entities, keys::participants(workflow), "", Order::Asc, limit, after).await?;
        let items = page.items.into_iter().map(parse::<ParticipantItem>).collect::<Result<Vec<_>>>()?;
        let now = self.now();
        let items = items.into_iter().filter(|item| item.is_shown(now)).map(ParticipantSummary::from);
        Ok(Slice { items: items.collect(), next: page.next })
    }

    /// Reads participants of a workflow. Those who are unknown are left out.
    pub async fn participants_of(
        &self,
        workflow: WorkflowId,
        ids: &[ParticipantId],
    ) -> Result<Vec<ParticipantSummary>> {
        let keys: Vec<_> = ids.iter().map(|id| keys::participant(workflow, *id)).collect();
        let items = self.entities.batch_get(&keys).await?.into_iter().map(parse::<ParticipantItem>);
        let items = items.collect::<Result<Vec<_>>>()?;
        let now = self.now();
        Ok(items.into_iter().filter(|item| item.is_shown(now)).map(ParticipantSummary::from).collect())
    }

    pub async fn participant(&self, workflow: WorkflowId, id: ParticipantId) -> Result<ParticipantSummary> {
        let item: Option<ParticipantItem> =
            self.entities.get(&keys::participant(workflow, id)).await?.map(parse).transpose()?;
        let item = item.filter(|item| item.is_shown(self.now()));
        item.map(Into::into).ok_or(Error::NotFound { kind: ParticipantId::KIND })
    }

    /// The threads to which a participant has written.
    pub async fn threads_of(&self, participant: ParticipantId) -> Result<Vec<ThreadId>> {
        Ok(self.links_of(participant).await?.into_iter().map(|link| link.thread).collect())
    }

    /// The threads of a participant, as they are stored now.
    pub async fn links_of(&self, participant: ParticipantId) -> Result<Vec<ThreadLink>> {
        let links = self.entities.query_all(TableQuery::partition(keys::threads_of(participant))).await?;
        let links = links.into_iter().map(|item| Ok(parse::<ThreadLinkItem>(item)?.into()));
        links.collect()
    }
}

/// A thread of a participant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadLink {
    pub thread: ThreadId,
    /// The write of the stored item.
    pub(super) write_id: Option<Uuid>,
}

impl From<ThreadLinkItem> for ThreadLink {
    fn from(ThreadLinkItem { sk: thread, write_id, .. }: ThreadLinkItem) -> Self {
        Self { thread, write_id }
    }
}
