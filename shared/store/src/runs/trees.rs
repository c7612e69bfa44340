//! The limit of the runs that one run causes: those that its steps start, those that these start, and so on. Without it,
//! loops of workflows that run themselves would multiply.

use crate::attribute::{Attribute, EXPIRES_AT};
use crate::keys;
use crate::table::Table;
use domain::Result;
use domain::id::RunId;
use domain::retention::RunRetention;
use domain::time::Clock;
use platform::{Context, config};

/// The number of runs that a run has caused.
const CAUSED_RUNS: Attribute<u64> = Attribute::new("caused_runs");

/// The maximum number of runs that one run causes.
pub const MAX_CAUSED_RUNS: u64 = 10_000;

pub struct RunTrees {
    entities: Table,
    clock: Clock,
}

impl RunTrees {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { entities: Table::new(context, config::TABLE_ENTITIES)?, clock: context.clock.clone() })
    }

    /// Counts a run that is about to start below a root. Returns false if the root has caused as many runs as it may. A start
    /// that is repeated after a crash counts again, so there are never more runs than this number.
    pub async fn count_start(&self, root: RunId) -> Result<bool> {
        let expires_at = RunRetention::LONGEST.latest_expiry(self.clock.now());
        let count = self.entities.update(keys::run_tree(root)).add(CAUSED_RUNS, 1);
        let count = count.set(EXPIRES_AT, expires_at.as_seconds());
        let count = count.require(CAUSED_RUNS.is_missing().or(CAUSED_RUNS.is_less_than(MAX_CAUSED_RUNS)));
        Ok(self.entities.write(count).await?.is_written())
    }
}

#[cfg(test)]
#[test]
fn reads_stored_counts() {
    crate::stored_items::require("runs::trees", &[CAUSED_RUNS.path()]);
}
