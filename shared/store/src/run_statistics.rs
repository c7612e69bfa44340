//! The statistics of the runs of workflows: counters that the transactions of starts, ends and charges add to. So the
//! counters always agree with the runs, even after a crash.
//!
//! An item of a day has these numbers: `c<n>`, `f<n>` and `x<n>` count the runs that completed, failed and were cancelled in
//! the n-th quarter of an hour; `d<n>` counts the durations in a bucket; `millis` is their sum; `n:<node>` counts the runs that
//! failed at a node.

use std::collections::{BTreeMap, HashMap};

use attributes::Attributes;
use aws_sdk_dynamodb::types::AttributeValue;
use futures::future::try_join_all;
use serde::Deserialize;

use super::attribute::{Attribute, SK};
use super::item::{Item, parse};
use super::keys::{self, Key};
use super::query::{Range, TableQuery};
use super::table::Table;
use super::usage::{Figures, add_figures, sum_figures};
use super::write::Write;
use domain::id::{RunId, WorkflowId};
use domain::identity::Account;
use domain::ledger::Charge;
use domain::retention::RunRetention;
use domain::run::RunState;
use domain::statistics::{DayStatistics, EndedRun, RunCounts, RunTotals};
use domain::time::Time;
use domain::{Error, Result};
use platform::{Context, config};

/// The sum of the durations of a day, in milliseconds.
const MILLIS: Attribute<u64> = Attribute::new("millis");

#[derive(Clone)]
pub struct RunStatistics {
    counters: Table,
}

/// What a workflow's runs did on a UTC day.
#[derive(Clone, Debug, Default)]
pub struct WorkflowDay {
    pub ended: DayStatistics,
    pub usage: Figures,
}

impl RunStatistics {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { counters: Table::new(context, config::TABLE_COUNTERS)? })
    }

    /// The days with runs from `first` to `last`, by their dates.
    pub async fn read(&self, workflow: WorkflowId, first: &str, last: &str) -> Result<BTreeMap<String, WorkflowDay>> {
        let shards = (0..keys::STATISTICS_SHARDS).map(|shard| {
            let range = Some(Range::beginning_between(first, last));
            self.counters
                .query_all(TableQuery { range, ..TableQuery::partition(keys::run_statistics(workflow, shard)) })
        });
        let mut days: BTreeMap<String, WorkflowDay> = BTreeMap::new();
        for item in try_join_all(shards).await?.into_iter().flatten() {
            let Key { sk, .. } = Key::from_item(&item).ok_or_else(|| Error::internal("statistics have no key"))?;
            let (day, kind) = sk.split_once('#').unwrap_or((&sk, ""));
            let day = days.entry(day.to_owned()).or_default();
            match kind {
                keys::ENDED => day.ended.add(&read_day(&item)),
                keys::USED => day.usage += parse(item)?,
                _ => return Err(Error::internal(format!("unknown statistics {sk}"))),
            }
        }
        Ok(days)
    }

    /// The totals of the workflows of an account that have started runs.
    pub async fn totals(&self, account: Account) -> Result<BTreeMap<WorkflowId, RunTotals>> {
        self.read_totals(account, None).await
    }

    /// The totals of the workflows whose ids are between these two.
    pub async fn totals_between(
        &self,
        account: Account,
        first: WorkflowId,
        last: WorkflowId,
    ) -> Result<BTreeMap<WorkflowId, RunTotals>> {
        self.read_totals(account, Some(Range::between(SK, first.to_string(), last.to_string()))).await
    }

    async fn read_totals(&self, account: Account, range: Option<Range>) -> Result<BTreeMap<WorkflowId, RunTotals>> {
        let query =
            |shard| TableQuery { range: range.clone(), ..TableQuery::partition(keys::run_totals(account, shard)) };
        let shards = (0..keys::STATISTICS_SHARDS).map(|shard| self.counters.query_all(query(shard)));
        let mut totals: BTreeMap<WorkflowId, RunTotals> = BTreeMap::new();
        for item in try_join_all(shards).await?.into_iter().flatten() {
            let TotalItem { sk, started, completed, failed, cancelled, last_ended_at } = parse(item)?;
            let ended = RunCounts { completed, failed, cancelled };
            *totals.entry(sk).or_default() += RunTotals { started, ended, last_ended_at };
        }
        Ok(totals)
    }
}

#[derive(Deserialize, Attributes)]
struct TotalItem {
    sk: WorkflowId,
    #[serde(default)]
    started: u64,
    #[serde(default)]
    completed: u64,
    #[serde(default)]
    failed: u64,
    #[serde(default)]
    cancelled: u64,
    #[serde(default)]
    last_ended_at: Option<Time>,
}

/// A run with what determines where it is counted and listed, and how long it is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct RunPlace {
    pub id: RunId,
    pub account: Account,
    pub workflow: WorkflowId,
    pub retention: RunRetention,
}

/// The writes that count the starts of runs. A transaction may start several, and has one write for each item.
pub(super) fn count_starts(counters: &Table, runs: &[RunPlace]) -> Vec<Write> {
    let mut started: HashMap<Key, u64> = HashMap::new();
    for RunPlace { id, account, workflow, .. } in runs {
        *started.entry(keys::run_total(*account, *workflow, *id)).or_default() += 1;
    }
    started.into_iter().map(|(key, started)| counters.update(key).add(TotalItem::STARTED, started)).collect()
}

/// The writes that count the end of a run. A run without effects starts and ends in one transaction.
pub(super) fn count_end(counters: &Table, run: RunPlace, has_just_started: bool, ended: &EndedRun) -> Vec<Write> {
    let RunPlace { id, account, workflow, .. } = run;
    let mut total = counters.update(keys::run_total(account, workflow, id));
    if has_just_started {
        total = total.add(TotalItem::STARTED, 1);
    }
    let (of_state, quarters) = match ended.state {
        RunState::Completed => (TotalItem::COMPLETED, "c"),
        RunState::Failed => (TotalItem::FAILED, "f"),
        _ => (TotalItem::CANCELLED, "x"),
    };
    let total = total.add(of_state, 1).set(TotalItem::LAST_ENDED_AT, ended.ended_at);
    let day = counters.update(keys::ended_runs(workflow, id, &ended.ended_at.day()));
    let counter = |name: String| Attribute::<u64>::named(name);
    let mut day = day.add(counter(format!("{quarters}{}", ended.quarter())), 1);
    if let Some((bucket, millis)) = ended.duration {
        day = day.add(counter(format!("d{bucket}")), 1).add(MILLIS, millis);
    }
    if let Some(node) = &ended.failed_node {
        day = day.add(counter(format!("n:{node}")), 1);
    }
    vec![total, day]
}

/// The writes that add charges to the usage of their workflows. A call that was not made for a workflow has none.
pub(super) fn count_charges(counters: &Table, charges: &[&Charge]) -> Vec<Write> {
    let of_workflows = charges.iter().filter_map(|charge| {
        let workflow = charge.step.as_ref()?.workflow?;
        Some((keys::usage_of_workflow(workflow, charge.id, &charge.created_at.day()), *charge))
    });
    let used = sum_figures(of_workflows).into_iter();
    used.map(|(key, figures, _)| add_figures(counters.update(key), figures)).collect()
}

fn read_day(item: &Item) -> DayStatistics {
    let mut day = DayStatistics::default();
    for (name, value) in item {
        let AttributeValue::N(number) = value else { continue };
        let Ok(number) = number.parse() else { continue };
        if name == MILLIS.name() {
            day.millis = number;
        } else if let Some(node) = name.strip_prefix("n:") {
            day.failed_nodes.insert(node.to_owned(), number);
        } else if let Some((kind, place)) = name.split_at_checked(1)
            && let Ok(place) = place.parse::<u16>()
        {
            if kind == "d" {
                day.durations.add(place, number);
                continue;
            }
            let quarter = day.quarters.entry(place as u8).or_default();
            match kind {
                "c" => quarter.completed = number,
                "f" => quarter.failed = number,
                "x" => quarter.cancelled = number,
                _ => {}
            }
        }
    }
    day
}

#[cfg(test)]
#[test]
fn reads_stored_days() {
    super::stored_items::require("run_statistics", &[MILLIS.path()]);
}
