//! The list of a workflow's runs, newest first. Global indexes list all runs, those of a state, of an origin, of a
//! messaging provider and of a participant. An index lags, so the heads of the runs are read and decide.

use std::collections::HashMap;
use std::time::Duration;

use uuid::Uuid;

use super::Runs;
use super::items::RunItem;
use crate::item::{Item, parse};
use crate::keys::{self, RunList};
use crate::query::{TableIndex, TableQuery};
use crate::run_statistics::RunPlace;
use crate::sharded_list::ShardedList;
use crate::write::Write;
use domain::Result;
use domain::id::{ParticipantId, ReleaseId, RunId, WorkflowId};
use domain::page::Slice;
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
    fn matches(&self, run: &Run) -> bool {
        let participant = run.thread.as_ref().map(|thread| thread.participant);
        (self.states.is_empty() || self.states.contains(&run.state))
            && (self.origins.is_empty() || self.origins.contains(&run.origin))
            && (self.channels.is_empty() || self.channels.contains(&run.channel()))
            && (self.participant.is_none() || self.participant == participant)
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
        let last_before = |time: Time| Uuid::from_u128(time.first_uuid().as_u128() - 1);
        let list = ShardedList {
            table: &self.entities,
            shards: filter.shards(workflow),
            id: RunItem::RUN_ID.path(),
            from: filter.first_id(),
            to: filter.to.map_or(Uuid::max(), last_before),
            drops_most: filter.drops_most(),
        };
        list.page(limit, after, |found| self.load_listed(filter, found)).await
    }

    async fn load_listed(&self, filter: &RunFilter, found: Vec<(Uuid, Item)>) -> Result<Vec<(Uuid, Run)>> {
        let keys: Vec<_> = found.iter().map(|(id, _)| keys::run(RunId::from(*id))).collect();
        let items = self.entities.batch_get(&keys).await?;
        let items = items.into_iter().map(parse::<RunItem>).collect::<Result<Vec<_>>>()?;
        let kept = items.into_iter().filter(|item| !item.has_expired(self.now())).map(Run::from);
        let mut runs: HashMap<Uuid, Run> = kept.map(|run| (run.id.uuid(), run)).collect();
        let runs = found.into_iter().filter_map(|(id, _)| Some((id, runs.remove(&id)?)));
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

/// Sets the state of a run, and moves it to the list of that state.
pub(super) fn show_state(head: Write, run: RunPlace, state: RunState) -> Write {
    let list = RunList::OfState(state).partition_of(run.workflow, run.id);
    head.set(RunItem::STATE, state).set(RunItem::LISTED_BY_STATE, list)
}
