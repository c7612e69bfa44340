//! Finds overdue runs and sends their messages again.

use std::time::Duration;

use serde::Deserialize;

use super::Runs;
use crate::store::item::parse;
use crate::store::keys;
use domain::id::{Id, RunId};
use domain::run::RunState;
use domain::time::Time;
use domain::{Error, Result};

/// A tick sends the hints of runs that become due before the next tick.
const AHEAD: Duration = Duration::from_secs(60);
/// The maximum number of runs of each shard in one tick. The next tick sends the rest.
const LIMIT: u32 = 500;
/// The ticker looks at a run again after this time, unless somebody claims it.
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
        for run in &due {
            // The message is sent first. A crash between the two calls then duplicates the message instead of losing it.
            self.try_send_hint(run.id, now.until(run.due_at)).await?;
            self.postpone(*run, now).await?;
        }
        Ok(due.len())
    }

    /// Ends the claims of all runs. It is for a platform of one process that has just started: its predecessor, which held
    /// them, has ended. Returns the number of claims.
    pub async fn end_claims(&self, now: Time) -> Result<usize> {
        let mut ended = 0;
        for DueRun { id, .. } in self.due(now.plus(LONGEST_CLAIM), LIMIT).await? {
            let Some(item) = self.item(id).await?.filter(|item| item.state == RunState::Running) else { continue };
            let claim = self.entities.update(keys::run(id)).require_same("epoch", Some(item.epoch));
            let claim = claim.require_same("state", Some(item.state)).set("claimed_until", Time::from_millis(0));
            if self.entities.write(claim.set("due_at", now)).await?.is_written() {
                self.send_hint(id, Duration::ZERO).await;
                ended += 1;
            }
        }
        Ok(ended)
    }

    async fn due(&self, by: Time, limit: u32) -> Result<Vec<DueRun>> {
        let mut due = Vec::new();
        for shard in 0..keys::RUN_SHARDS {
            for item in self.entities.query_due(keys::run_shard_at(shard), by, limit).await? {
                let DueItem { pk, due_at } = parse(item)?;
                let id = pk.strip_prefix(keys::RUN).and_then(|id| id.parse().ok());
                let id = id.ok_or_else(|| Error::internal(format!("the due index has no {} in {pk}", RunId::KIND)))?;
                due.push(DueRun { id, due_at });
            }
        }
        Ok(due)
    }

    /// Notes that a hint was sent, so that the next tick does not send it again.
    async fn postpone(&self, due: DueRun, now: Time) -> Result<()> {
        let later = self.entities.update(keys::run(due.id)).require_same("due_at", Some(due.due_at));
        let at = due.due_at.max(now).plus(AGAIN_AFTER);
        self.entities.write(later.set("due_at", at)).await.map(drop)
    }
}
