//! The lists of threads: those of a workflow, those with the newest messages first, and those of all workflows that a user
//! sees, those in which something happened last first.

use std::collections::HashMap;

use uuid::Uuid;

use super::Threads;
use super::item::ThreadItem;
use crate::item::{Item, parse};
use crate::keys::{self, AccountList, Key};
use crate::query::{TableIndex, TableQuery};
use crate::sharded_list::ShardedList;
use crate::sharing::{Seen, SeenWorkflows};
use domain::Result;
use domain::id::{OrgId, ParticipantId, ThreadId, WorkflowId};
use domain::page::{Order, Slice, SliceRequest};
use domain::thread::{Thread, ThreadState};

/// Which threads a list has.
#[derive(Clone, Debug, Default)]
pub struct ThreadFilter {
    /// All states, if it is empty.
    pub states: Vec<ThreadState>,
    pub participant: Option<ParticipantId>,
    /// Whether a participant waits for an operator. Both, if it is none.
    pub waiting_for_operator: Option<bool>,
}

impl ThreadFilter {
    fn is_set(&self) -> bool {
        self.waiting_for_operator.is_some() || self.is_set_besides_waiting()
    }

    fn is_set_besides_waiting(&self) -> bool {
        !self.states.is_empty() || self.participant.is_some()
    }

    fn matches(&self, thread: &Thread) -> bool {
        let has_written = |id| thread.participants.iter().any(|participant| participant.id == id);
        (self.states.is_empty() || self.states.contains(&thread.control.state()))
            && self.participant.is_none_or(has_written)
            && self.waiting_for_operator.is_none_or(|waits| waits == thread.control.waits_for_operator())
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
            order: Order::Desc,
            from: Uuid::nil(),
            to: Uuid::max(),
            drops_most: filter.is_set(),
        };
        let place = |head: &ThreadItem| Some(head.last_message.uuid());
        list.page(limit, after, |found| self.load_listed(filter, found, place)).await
    }

    /// Lists the threads of all workflows that a user sees. A filtered page may be short although another one follows.
    pub async fn list_seen(
        &self,
        seen: &SeenWorkflows,
        filter: &ThreadFilter,
        SliceRequest { order, limit, after }: SliceRequest,
    ) -> Result<Slice<Seen<Thread>>> {
        let are_waiting = filter.waiting_for_operator == Some(true);
        let (list, index, id) = match are_waiting {
            true => (
                AccountList::WaitingThreads,
                TableIndex::global("attention", ThreadItem::ATTENTION_OF),
                ThreadItem::ATTENTION_AT,
            ),
            false => {
                (AccountList::Threads, TableIndex::global("of_account", ThreadItem::LISTED_OF), ThreadItem::LISTED_AT)
            }
        };
        let has_others = if are_waiting { filter.is_set_besides_waiting() } else { filter.is_set() };
        let list = ShardedList {
            table: &self.entities,
            shards: seen.shards(&[list], &index),
            id: id.path(),
            order,
            from: Uuid::nil(),
            to: Uuid::max(),
            drops_most: has_others || seen.has_several_homes(),
        };
        let place = |head: &ThreadItem| head.listed_at;
        list.page(limit, after, async |found| {
            let threads = self.load_listed(filter, found, place).await?;
            seen.keep(threads, |thread| (thread.account, thread.workflow)).await
        })
        .await
    }

    /// Reads the heads of listed threads. The index lags: an entry is left out if its thread has another place by now,
    /// because the thread is listed there.
    async fn load_listed(
        &self,
        filter: &ThreadFilter,
        found: Vec<(Uuid, Item)>,
        place: impl Fn(&ThreadItem) -> Option<Uuid>,
    ) -> Result<Vec<(Uuid, Thread)>> {
        let keys: Vec<Key> = found.iter().filter_map(|(_, item)| Key::from_item(item)).collect();
        let mut heads = HashMap::new();
        for item in self.entities.batch_get(&keys).await? {
            let item: ThreadItem = parse(item)?;
            if let Some(place) = place(&item).filter(|_| item.is_shown(self.now())) {
                heads.insert(place, Thread::from(item));
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
