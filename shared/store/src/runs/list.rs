//! The lists of runs, newest first: those of a workflow, and those of all workflows that a user sees. Global indexes list all
//! runs of a workflow, those of a state, of an origin, of a messaging provider and of a participant, all runs of an account,
//! and those of an account that have failed or wait. An index lags, so the heads of the runs are read and decide.

use std::collections::HashMap;
use std::time::Duration;

use uuid::Uuid;

use super::Runs;
use super::items::RunItem;
use crate::item::{Item, parse};
use crate::keys::{AccountList, Key, RunList};
use crate::query::{TableIndex, TableQuery};
use crate::run_statistics::RunPlace;
use crate::sharded_list::ShardedList;
use crate::sharing::{Seen, SeenWorkflows};
use crate::write::Write;
use domain::Result;
use domain::id::{ParticipantId, ReleaseId, RunId, WorkflowId};
use domain::identity::Account;
use domain::page::{Order, Slice, SliceRequest};
use domain::run::{Run, RunChannel, RunError, RunOrigin, RunState};
use domain::time::Time;

/// How much the clocks of two processes may differ.
const CLOCK_SKEW: Duration = Duration::from_secs(60);

/// Which runs a list has. An empty list of values selects all.
#[derive(Clone, Debug, Default)]
pub struct RunFilter {
    pub states: Vec<RunState>,
    pub origins: Vec<RunOrigin>,
    pub channels: Vec<RunChannel>,
    /// The runs that messages of this participant have started.
    pub participant: Option<ParticipantId>,
    pub release: Option<ReleaseId>,
    /// Runs that failed with this code.
    pub error_code: Option<String>,
    /// Runs that failed at this node.
    pub failed_node: Option<String>,
    /// Runs that were queued at this time or later.
    pub from: Option<Time>,
    /// Runs that were queued before this time.
    pub to: Option<Time>,
}

impl RunFilter {
    /// The lists of an account that select at least these runs, and whether they may have mostly others.
    fn account_lists(&self) -> (Vec<AccountList>, bool) {
        let has_others = !self.origins.is_empty()
            || !self.channels.is_empty()
            || self.participant.is_some()
            || self.release.is_some()
            || self.selects_failures();
        let by_state: Option<Vec<_>> = self.states.iter().map(|state| AccountList::of_state(*state)).collect();
        match by_state {
            // The runs of these lists are in the order in which they failed or began to wait.
            Some(lists) if !lists.is_empty() => (lists, has_others || self.to.is_some()),
            _ if self.states.is_empty() && self.selects_failures() => (vec![AccountList::FailedRuns], true),
            _ => (vec![AccountList::Runs], has_others || !self.states.is_empty()),
        }
    }

    fn matches(&self, run: &Run) -> bool {
        let participant = run.thread.as_ref().map(|thread| thread.participant);
        (self.states.is_empty() || self.states.contains(&run.state))
            && (self.origins.is_empty() || self.origins.contains(&run.origin))
            && (self.channels.is_empty() || self.channels.contains(&run.channel()))
            && (self.participant.is_none() || self.participant == participant)
            && (self.first_id()..=self.last_id()).contains(&run.id.uuid())
            && self.release.is_none_or(|release| release == run.release)
            && (!self.selects_failures() || run.error.as_ref().is_some_and(|error| self.matches_error(error)))
    }

    fn matches_error(&self, error: &RunError) -> bool {
        let (code, node) = (self.error_code.as_ref(), self.failed_node.as_ref());
        code.is_none_or(|code| *code == error.code) && node.is_none_or(|node| error.node_id.as_ref() == Some(node))
    }

    /// Whether only failed runs match.
    fn selects_failures(&self) -> bool {
        self.error_code.is_some() || self.failed_node.is_some()
    }

    /// The queries that select at least these runs. Other filters are applied to what they find.
    fn shards(&self, workflow: WorkflowId) -> Vec<TableQuery> {
        let shards = self.lists().into_iter().flat_map(|list| (0..list.shards()).map(move |shard| (list, shard)));
        let queries = shards.map(|(list, shard)| TableQuery {
            index: Some(index(list)),
            ..TableQuery::partition(list.partition(workflow, shard))
        });
        queries.collect()
    }

    /// The lists of the filter that presumably selects the fewest runs.
    fn lists(&self) -> Vec<RunList> {
        // Most runs of a workflow may have the same origin, and a channel without a provider is a group of origins.
        let are_providers =
            !self.channels.is_empty() && self.channels.iter().all(|channel| channel.provider().is_some());
        match self.participant {
            Some(participant) => vec![RunList::OfParticipant(participant)],
            None if are_providers => self.lists_of_channels(),
            None if self.selects_failures() => vec![RunList::OfState(RunState::Failed)],
            None if !self.states.is_empty() => self.states.iter().copied().map(RunList::OfState).collect(),
            None if !self.channels.is_empty() => self.lists_of_channels(),
            None if !self.origins.is_empty() => self.origins.iter().copied().map(RunList::OfOrigin).collect(),
            None => vec![RunList::All],
        }
    }

    /// The largest id of a run of the period.
    fn last_id(&self) -> Uuid {
        self.to.map_or(Uuid::max(), Time::last_uuid_before)
    }

    fn lists_of_channels(&self) -> Vec<RunList> {
        let lists = self.channels.iter().flat_map(|channel| match channel.provider() {
            Some(provider) => vec![RunList::OfChannel(provider)],
            None => channel.origins().iter().copied().map(RunList::OfOrigin).collect(),
        });
        lists.collect()
    }

    /// Whether several filters are combined, so that the queries may find mostly other runs.
    fn drops_most(&self) -> bool {
        let are_set =
            [!self.states.is_empty(), !self.origins.is_empty(), !self.channels.is_empty(), self.participant.is_some()];
        // No index lists the runs of a release or of an error.
        let has_no_index = self.release.is_some() || self.selects_failures();
        has_no_index || are_set.into_iter().filter(|is_set| *is_set).count() > 1
    }

    /// The first id of the list. A release has no runs before its publication, whose time is in its id.
    fn first_id(&self) -> Uuid {
        let published_at = self.release.map(|release| Time::from_uuid(release.uuid()).minus(CLOCK_SKEW));
        self.from.max(published_at).map_or(Uuid::nil(), Time::first_uuid)
    }
}

impl Runs {
    /// Lists the runs of a workflow, newest first. A page with several filters may be short although another one
    /// follows.
    pub async fn list(
        &self,
        workflow: WorkflowId,
        filter: &RunFilter,
        limit: u32,
        after: Option<String>,
    ) -> Result<Slice<Run>> {
        let list = ShardedList {
            table: &self.entities,
            shards: filter.shards(workflow),
            id: RunItem::RUN_ID.path(),
            order: Order::Desc,
            from: filter.first_id(),
            to: filter.last_id(),
            drops_most: filter.drops_most(),
        };
        list.page(limit, after, |found| self.load_listed(filter, found, |run| Some(run.run_id.uuid()))).await
    }

    /// Lists the runs of all workflows that a user sees. A filtered page may be short although another one follows.
    pub async fn list_seen(
        &self,
        seen: &SeenWorkflows,
        filter: &RunFilter,
        SliceRequest { order, limit, after }: SliceRequest,
    ) -> Result<Slice<Seen<Run>>> {
        let (lists, has_others) = filter.account_lists();
        let are_all = lists.contains(&AccountList::Runs);
        let (index, id) = match are_all {
            true => (TableIndex::global("of_account", RunItem::LISTED_OF), RunItem::LISTED_AT),
            false => (TableIndex::global("attention", RunItem::ATTENTION_OF), RunItem::ATTENTION_AT),
        };
        let place = |run: &RunItem| if are_all { run.listed_at } else { run.attention_at };
        // A run that failed after a time may have been queued before it.
        let (from, to) = if are_all { (filter.first_id(), filter.last_id()) } else { (Uuid::nil(), Uuid::max()) };
        let list = ShardedList {
            table: &self.entities,
            shards: seen.shards(&lists, &index),
            id: id.path(),
            order,
            from,
            to,
            drops_most: has_others || (!are_all && filter.from.is_some()) || seen.has_several_homes(),
        };
        list.page(limit, after, async |found| {
            let runs = self.load_listed(filter, found, place).await?;
            seen.keep(runs, |run| (run.account, run.workflow)).await
        })
        .await
    }

    /// Reads the heads of listed runs. An entry is left out if its run has another place by now.
    async fn load_listed(
        &self,
        filter: &RunFilter,
        found: Vec<(Uuid, Item)>,
        place: impl Fn(&RunItem) -> Option<Uuid>,
    ) -> Result<Vec<(Uuid, Run)>> {
        let keys: Vec<_> = found.iter().filter_map(|(_, item)| Key::from_item(item)).collect();
        let mut runs = HashMap::new();
        for item in self.entities.batch_get(&keys).await? {
            let item: RunItem = parse(item)?;
            if let Some(place) = place(&item).filter(|_| !item.has_expired(self.now())) {
                runs.insert(place, Run::from(item));
            }
        }
        let runs = found.into_iter().filter_map(|(place, _)| Some((place, runs.remove(&place)?)));
        Ok(runs.filter(|(_, run)| filter.matches(run)).collect())
    }
}

/// The index that has a list.
fn index(list: RunList) -> TableIndex {
    match list {
        RunList::All => TableIndex::global("runs", RunItem::LISTED_IN),
        RunList::OfOrigin(_) => TableIndex::global("runs_by_origin", RunItem::LISTED_BY_ORIGIN),
        RunList::OfState(_) => TableIndex::global("runs_by_state", RunItem::LISTED_BY_STATE),
        RunList::OfChannel(_) => TableIndex::global("runs_by_channel", RunItem::LISTED_BY_CHANNEL),
        RunList::OfParticipant(_) => TableIndex::global("runs_by_participant", RunItem::LISTED_BY_PARTICIPANT),
    }
}

/// Sets the state of a run, and moves it to the lists of that state.
pub(super) fn show_state(head: Write, run: RunPlace, state: RunState) -> Write {
    let list = RunList::OfState(state).partition_of(run.workflow, run.id);
    let (attention_of, attention_at) = attention_place(run.account, run.id, state).unzip();
    head.set(RunItem::STATE, state)
        .set(RunItem::LISTED_BY_STATE, list)
        .set_or_remove(RunItem::ATTENTION_OF, attention_of)
        .set_or_remove(RunItem::ATTENTION_AT, attention_at)
}

/// The place of a run in the list of failed or paused runs of its account: the part of the list, and an id of now, so that
/// the list has the order in which the runs failed or began to wait.
pub(super) fn attention_place(account: Account, id: RunId, state: RunState) -> Option<(String, Uuid)> {
    AccountList::of_state(state).map(|list| (list.partition_of(account, id.uuid()), Uuid::now_v7()))
}
