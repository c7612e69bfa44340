//! The list of a workflow's runs, newest first. Three global indexes list all runs, those of a state, and those of an
//! origin, each in several partitions. An index lags, so the heads of the runs are read and decide.

use std::collections::HashMap;

use uuid::Uuid;

use super::Runs;
use super::items::RunItem;
use crate::store::item::{Item, parse};
use crate::store::keys::{self, RunList};
use crate::store::run_statistics::RunPlace;
use crate::store::sharded_list::ShardedList;
use crate::store::table::{TableIndex, TableQuery};
use crate::store::write::Write;
use domain::Result;
use domain::id::{RunId, WorkflowId};
use domain::page::Slice;
use domain::run::{Run, RunOrigin, RunState};
use domain::time::Time;

/// Which runs a list has. An empty list of values selects all.
#[derive(Clone, Debug, Default)]
pub struct RunFilter {
    pub states: Vec<RunState>,
    pub origins: Vec<RunOrigin>,
    /// Runs that were queued at this time or later.
    pub from: Option<Time>,
    /// Runs that were queued before this time.
    pub to: Option<Time>,
}

impl RunFilter {
    fn matches(&self, run: &Run) -> bool {
        (self.states.is_empty() || self.states.contains(&run.state))
            && (self.origins.is_empty() || self.origins.contains(&run.origin))
    }

    /// The queries that select at least these runs. With states and origins, the index of states is read.
    fn shards(&self, workflow: WorkflowId) -> Vec<TableQuery> {
        let (name, partition, lists): (_, _, Vec<RunList>) = if !self.states.is_empty() {
            ("runs_by_state", "listed_by_state", self.states.iter().copied().map(RunList::OfState).collect())
        } else if !self.origins.is_empty() {
            ("runs_by_origin", "listed_by_origin", self.origins.iter().copied().map(RunList::OfOrigin).collect())
        } else {
            ("runs", "listed_in", vec![RunList::All])
        };
        let index = Some(TableIndex::Global { name, partition });
        let shards = lists.iter().flat_map(|list| (0..list.shards()).map(|shard| list.partition(workflow, shard)));
        shards.map(|shard| TableQuery { index, ..TableQuery::partition(shard) }).collect()
    }
}

impl Runs {
    /// Lists the runs of a workflow, newest first. A page that is filtered by state and by origin may be short although
    /// another one follows.
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
            id: "run_id",
            from: filter.from.map_or(Uuid::nil(), Time::first_uuid),
            to: filter.to.map_or(Uuid::max(), last_before),
            drops_most: !filter.states.is_empty() && !filter.origins.is_empty(),
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

/// Sets the state of a run, and moves it to the list of that state.
pub(super) fn show_state(head: Write, run: RunPlace, state: RunState) -> Write {
    let list = RunList::OfState(state).partition_of(run.workflow, run.id);
    head.set("state", state).set("listed_by_state", list)
}
