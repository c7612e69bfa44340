//! The limit of the runs that one run causes: those that its steps start, those that these start, and so on. Without it,
//! loops of workflows that run themselves would multiply.

use crate::keys;
use crate::table::Table;
use domain::Result;
use domain::id::RunId;
use domain::retention::RunRetention;
use domain::time::Clock;
use platform::{Context, config};

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
        let count = self.entities.update(keys::run_tree(root)).add("caused_runs", 1);
        let count = count.set("expires_at", expires_at.as_seconds());
        let count =
            count.require("attribute_not_exists(caused_runs) OR caused_runs < :most").bind(":most", MAX_CAUSED_RUNS);
        Ok(self.entities.write(count).await?.is_written())
    }
}
