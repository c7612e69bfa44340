//! Statistics of the runs of a workflow. They are kept as counters per UTC day, so that reading them costs the same for ten
//! runs and for ten million.

mod durations;
mod period;

use std::collections::BTreeMap;
use std::time::Duration;

use crate::run::{RunEnd, RunState};
use crate::time::Time;

pub use durations::{Durations, bucket_of};
pub use period::Period;

/// A day is counted in quarters of an hour, because that is how exactly the offsets of time zones are given.
const QUARTER: Duration = Duration::from_secs(15 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// What the end of a run adds to the statistics.
#[derive(Clone, Debug, PartialEq)]
pub struct EndedRun {
    pub state: RunState,
    pub ended_at: Time,
    /// The bucket of the duration and its milliseconds. A cancelled run has none, because it did not do its work.
    pub duration: Option<(u16, u64)>,
    /// The node at which the run failed.
    pub failed_node: Option<String>,
}

impl EndedRun {
    pub fn new(end: &RunEnd, started_at: Option<Time>, ended_at: Time) -> Self {
        let duration = started_at.filter(|_| *end != RunEnd::Cancelled).map(|started_at| started_at.until(ended_at));
        Self {
            state: end.state(),
            ended_at,
            duration: duration.map(|duration| (bucket_of(duration), duration.as_millis() as u64)),
            failed_node: end.error().and_then(|error| error.node_id),
        }
    }

    /// The quarter of an hour of its UTC day in which the run ended, from 0 to 95.
    pub fn quarter(&self) -> u8 {
        let millis = self.ended_at.as_millis().rem_euclid(DAY.as_millis() as i64);
        (millis / QUARTER.as_millis() as i64) as u8
    }
}

/// The numbers of runs that ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunCounts {
    pub completed: u64,
    pub failed: u64,
    pub cancelled: u64,
}

impl RunCounts {
    pub fn total(self) -> u64 {
        self.completed + self.failed + self.cancelled
    }
}

impl std::ops::AddAssign for RunCounts {
    fn add_assign(&mut self, other: Self) {
        self.completed += other.completed;
        self.failed += other.failed;
        self.cancelled += other.cancelled;
    }
}

/// The runs that ended on one UTC day.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DayStatistics {
    /// By the quarter of an hour in which they ended.
    pub quarters: BTreeMap<u8, RunCounts>,
    pub durations: Durations,
    /// The sum of the durations.
    pub millis: u64,
    /// How many runs failed at each node.
    pub failed_nodes: BTreeMap<String, u64>,
}

impl DayStatistics {
    pub fn add(&mut self, other: &Self) {
        for (quarter, counts) in &other.quarters {
            *self.quarters.entry(*quarter).or_default() += *counts;
        }
        self.durations.add_all(&other.durations);
        self.millis += other.millis;
        for (node, runs) in &other.failed_nodes {
            *self.failed_nodes.entry(node.clone()).or_default() += runs;
        }
    }
}

/// How many runs a workflow has started, and how they ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunTotals {
    pub started: u64,
    pub ended: RunCounts,
    /// When a run last ended.
    pub last_ended_at: Option<Time>,
}

impl RunTotals {
    pub fn in_progress(&self) -> u64 {
        self.started.saturating_sub(self.ended.total())
    }
}

impl std::ops::AddAssign for RunTotals {
    fn add_assign(&mut self, other: Self) {
        self.started += other.started;
        self.ended += other.ended;
        self.last_ended_at = self.last_ended_at.max(other.last_ended_at);
    }
}
