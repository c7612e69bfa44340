//! Starts runs of schedules.

use std::time::Duration;

use uuid::Uuid;

use super::Runs;
use crate::run_statistics;
use crate::schedules::{ActiveSchedule, ScheduleItem, ScheduleProgress, progress_write};
use crate::table::{RefusedWrite, WriteOutcome};
use domain::Result;
use domain::run::NewRun;

const SCHEDULE: &str = "schedule";

impl Runs {
    /// Stores a new run and moves its schedule on, in one transaction, and sends the hint of the run. Returns false if
    /// the schedule has changed since it was read; then nothing is stored.
    pub async fn start_scheduled(
        &self,
        new: NewRun,
        schedule: &ActiveSchedule,
        progress: &ScheduleProgress,
    ) -> Result<bool> {
        let id = new.id;
        // The writes of the run come first. If they are refused, an earlier attempt of this transaction has written them.
        let (item, mut writes) = self.new_run(new, Vec::new(), None).await?;
        writes.extend(run_statistics::count_starts(&self.counters, &[item.place()]));
        let moved_on = progress_write(&self.entities, schedule, progress).set(ScheduleItem::LAST_RUN, id);
        writes.push(moved_on.labeled(SCHEDULE));
        match self.entities.transact(Uuid::now_v7(), &writes).await? {
            WriteOutcome::Refused(RefusedWrite { label: SCHEDULE, .. }) => return Ok(false),
            WriteOutcome::Written | WriteOutcome::Refused(_) => {}
        }
        self.send_hint(id, Duration::ZERO).await;
        Ok(true)
    }
}
