//! Finds overdue runs and sends their messages again.

use std::time::Duration;

use serde::Deserialize;

use super::items::RunItem;
use super::{RunHint, Runs};
use crate::due::send_all;
use crate::item::parse;
use crate::keys;
use domain::Result;
use domain::id::RunId;
use domain::run::RunState;
use domain::time::Time;

/// A tick sends the hints of runs that become due before the next tick.
const AHEAD: Duration = Duration::from_secs(60);
/// The maximum number of runs of each shard in one tick. The next tick sends the rest.
const LIMIT: u32 = 500;
/// The ticker inspects a run again after this time, unless somebody claims it.
const AGAIN_AFTER: Duration = Duration::from_secs(5 * 60);
/// No claim lasts longer.
const LONGEST_CLAIM: Duration = Duration::from_secs(20 * 60);

#[derive(Clone, Copy, Debug)]
struct DueRun {
    id: RunId,
    due_at: Time,
}

#[derive(Deserialize)]
struct DueItem {
    pk: String,
    due_at: Time,
}

impl Runs {
    /// Sends the hints of all runs that are due within a minute. The index lags, so a run may have gone on since: then its
    /// claim is refused. Returns the number of hints.
    pub async fn send_due(&self, now: Time) -> Result<usize> {
        let due = self.due(now.plus(AHEAD), LIMIT).await?;
        send_all(due, async |run| {
            let sent = self.send_again(run, now).await;
            sent.inspect_err(|error| tracing::warn!(?error, run_id = %run.id, "the hint of a due run was not sent"))
        })
        .await
    }

    async fn send_again(&self, run: DueRun, now: Time) -> Result<()> {
        // The message is sent first. A crash between the two calls then duplicates the message instead of losing it.
        self.queue.send_after(&RunHint { run_id: run.id }, now.until(run.due_at)).await?;
        self.entities.postpone(keys::run(run.id), run.due_at, run.due_at.max(now).plus(AGAIN_AFTER)).await
    }

    /// Resumes runs after a crash. It is for a platform of one process that has just started: its predecessor, which held
    /// all claims, has ended, and the last messages of its queue may be lost. Ends the claims, and sends the hints of all runs
    /// that are due soon; the claim of a run that still waits sends its hint again. Returns the number of claims.
    pub async fn resume(&self, now: Time) -> Result<usize> {
        let mut ended = 0;
        for DueRun { id, .. } in self.due(now.plus(LONGEST_CLAIM), LIMIT).await? {
            if let Some(item) = self.item(id).await?.filter(|item| item.state == RunState::Running) {
                let claim = self.entities.update(keys::run(id)).require_is(RunItem::EPOCH, item.epoch);
                let claim =
                    claim.require_is(RunItem::STATE, item.state).set(RunItem::CLAIMED_UNTIL, Time::from_millis(0));
                ended += usize::from(self.entities.write(claim.set(RunItem::DUE_AT, now)).await?.is_written());
            }
            self.send_hint(id, Duration::ZERO).await;
        }
        Ok(ended)
    }

    async fn due(&self, by: Time, limit: u32) -> Result<Vec<DueRun>> {
        let due = self.entities.query_due(keys::RUNS_DUE, by, limit).await?.into_iter().map(parse::<DueItem>);
        let read = |DueItem { pk, due_at }| Ok(DueRun { id: keys::read_id(keys::RUN, &pk)?, due_at });
        due.map(|item| read(item?)).collect()
    }
}
