//! The list of a workflow's threads, those with the newest messages first.

use std::collections::HashMap;

use uuid::Uuid;

use super::Threads;
use super::item::ThreadItem;
use crate::item::{Item, parse};
use crate::keys::{self, Key};
use crate::query::{TableIndex, TableQuery};
use crate::sharded_list::ShardedList;
use domain::Result;
use domain::id::{OrgId, ParticipantId, ThreadId, WorkflowId};
use domain::page::Slice;
use domain::thread::{Thread, ThreadState};

/// Which threads a list has.
#[derive(Clone, Debug, Default)]
pub struct ThreadFilter {
    /// All states, if it is empty.
    pub states: Vec<ThreadState>,
    pub participant: Option<ParticipantId>,
}

impl ThreadFilter {
    fn matches(&self, thread: &Thread) -> bool {
        let has_written = |id| thread.participants.iter().any(|participant| participant.id == id);
        (self.states.is_empty() || self.states.contains(&thread.control.state()))
            && self.participant.is_none_or(has_written)
    }
}

impl Threads {
    /// Lists the threads of a workflow. A filtered page may be short although another one follows.
    pub async fn list(
        &self,
        workflow: WorkflowId,
        filter: &ThreadFilter,
        limit: u32,
        after: Option<String>,
    ) -> Result<Slice<Thread>> {
        let index = Some(TableIndex::global("threads", ThreadItem::THREADS_OF));
        let shard =
            |shard| TableQuery { index: index.clone(), ..TableQuery::partition(keys::listed_threads(workflow, shard)) };
        let list = ShardedList {
            table: &self.entities,
            shards: (0..keys::THREAD_LIST_SHARDS).map(shard).collect(),
            id: ThreadItem::LAST_MESSAGE.path(),
            from: Uuid::nil(),
            to: Uuid::max(),
            drops_most: !filter.states.is_empty() || filter.participant.is_some(),
        };
        list.page(limit, after, |found| self.load_listed(filter, found)).await
    }

    /// Reads the heads of listed threads. The index lags: an entry is left out if its thread has a newer message,
    /// because the thread is listed further up.
    async fn load_listed(&self, filter: &ThreadFilter, found: Vec<(Uuid, Item)>) -> Result<Vec<(Uuid, Thread)>> {
        let keys: Vec<Key> = found.iter().filter_map(|(_, item)| Key::from_item(item)).collect();
        let mut heads = HashMap::new();
        for item in self.entities.batch_get(&keys).await? {
            let item: ThreadItem = parse(item)?;
            if item.is_shown(self.now()) {
                heads.insert(item.last_message.uuid(), Thread::from(item));
            }
        }
        let threads = found.into_iter().filter_map(|(place, _)| Some((place, heads.remove(&place)?)));
        Ok(threads.filter(|(_, thread)| filter.matches(thread)).collect())
    }

    /// Reads threads of an organization. Those that do not exist are left out.
    pub async fn batch(&self, org: OrgId, ids: &[ThreadId]) -> Result<Vec<Thread>> {
        let keys: Vec<Key> = ids.iter().map(|id| keys::thread(*id)).collect();
        let items = self.entities.batch_get(&keys).await?.into_iter().map(parse::<ThreadItem>);
        let items = items.collect::<Result<Vec<_>>>()?.into_iter();
        let own = items.filter(|item| item.account().org == org && item.is_shown(self.now()));
        Ok(own.map(Thread::from).collect())
    }
}
