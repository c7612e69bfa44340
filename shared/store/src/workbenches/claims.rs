//! The protocol of the workers.
//!
//! 1. `claim` gives a due workbench to one worker for [`CLAIM`]. A duplicate or early message claims nothing and is deleted,
//!    so each workbench has one chain of messages.
//! 2. The worker makes one step and calls `conclude`. That writes the result only if the worker still has the workbench
//!    and no user has changed it meanwhile.
//!    If one of its calls may still take effect, the worker keeps its claim until it expires.
//! 3. `send_due` sends the hints of due workbenches. It finds those whose message was lost or whose worker crashed.

use std::time::Duration;

use attributes::Attributes;
use futures::stream::{self, StreamExt};
use serde::Deserialize;
use uuid::Uuid;

use super::item::WorkbenchItem;
use super::{WorkbenchHint, Workbenches, capacity, item};
use crate::attribute::EXPIRES_AT;
use crate::item::Item;
use crate::keys::{self, Key};
use crate::revision;
use crate::table::WriteOutcome;
use crate::write::Write;
use domain::time::Time;
use domain::workbench::{Change, Observed, Workbench, WorkbenchStatus};
use domain::{Error, Result};

/// The duration of a claim. A step takes at most 60 s, and a call that its sender has given up takes effect at most 60 s after
/// it was sent.
pub const CLAIM: Duration = Duration::from_secs(150);

/// No step is planned later than this.
const LONGEST_PAUSE: Duration = Duration::from_secs(15 * 60);
/// The maximum number of workbenches of each shard that continue at the start of the platform.
const RESUMED: u32 = 500;
/// The maximum number of hints that a tick sends at the same time.
const SENT_AT_ONCE: usize = 16;
/// How long a deleted workbench stays in the table. It is in no list, and no route finds it.
const TOMBSTONE_KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// A workbench that belongs to one worker for [`CLAIM`].
#[derive(Clone, Debug)]
pub struct Claimed {
    pub workbench: Workbench,
    /// The number of the claim. It grows with each claim of a workbench.
    pub attempt: u64,
}

/// The worker that has a workbench, by the id of its claim.
#[derive(Deserialize, Attributes)]
struct ClaimItem {
    claim_id: Option<Uuid>,
}

/// How a step has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepEnd {
    /// None of its calls can take effect any more.
    Complete,
    /// One of its calls may still take effect: its answer was lost, or a timeout ended the step.
    Uncertain,
}

impl Workbenches {
    /// Gives a workbench to a worker. None if no step is due, or if another worker has it.
    pub async fn claim(&self, WorkbenchHint { org, id }: WorkbenchHint) -> Result<Option<Claimed>> {
        let key = keys::workbench(org, id);
        let Some(found) = self.entities.get(&key).await?.map(item::read).transpose()?.flatten() else {
            return Ok(None);
        };
        let now = self.clock.now();
        let is_due = found.due_at.is_some_and(|due_at| due_at <= now);
        if !is_due || found.owned_until.is_some_and(|until| until > now) {
            return Ok(None);
        }
        let (attempt, claim_id) = (found.attempt + 1, Uuid::now_v7());
        let claim = self
            .entities
            .update(key)
            .set(WorkbenchItem::ATTEMPT, attempt)
            .set(ClaimItem::CLAIM_ID, claim_id)
            .set(WorkbenchItem::OWNED_UNTIL, now.plus(CLAIM))
            .require_is(WorkbenchItem::ATTEMPT, found.attempt)
            .require(WorkbenchItem::DELETED_AT.is_missing());
        let is_claimed = match self.entities.write(claim).await? {
            WriteOutcome::Written => true,
            // The answer to the first attempt of this write was lost.
            WriteOutcome::Refused(refused) => {
                refused.parse_item::<ClaimItem>()?.is_some_and(|item| item.claim_id == Some(claim_id))
            }
        };
        // A user may have changed the workbench after it was read. Then `conclude` refuses the result.
        Ok(is_claimed.then_some(Claimed { workbench: found.workbench, attempt }))
    }

    /// Writes the result of a step and releases the claim. Returns the workbench as it is now, or None if a user has
    /// changed it or another worker has claimed it: then the result is discarded.
    pub async fn conclude(&self, claimed: &Claimed, observed: &Observed, end: StepEnd) -> Result<Option<Workbench>> {
        let Workbench { org, id, revision, .. } = claimed.workbench;
        let next_in = match end {
            StepEnd::Complete => observed.next_in,
            // Nobody can claim the workbench before.
            StepEnd::Uncertain => Some(CLAIM),
        };
        // At most half of a short pause, so that a duplicate of the message is still early.
        let early = |next_in: Duration| item::CLOCK_SKEW.min(next_in / 2);
        let next_at = next_in.map(|next_in| self.clock.now().plus(next_in).minus(early(next_in)));
        let write_id = Uuid::now_v7();
        let (update, others) = match &observed.change {
            None => (self.entities.update(keys::workbench(org, id)).set(WorkbenchItem::WRITE_ID, write_id), Vec::new()),
            Some(change) => (self.update(change, write_id), self.consequences(change)),
        };
        let update = match &observed.change {
            Some(change) if change.after.status == WorkbenchStatus::Deleted => {
                let deleted_at = change.after.updated_at;
                update
                    .set(WorkbenchItem::DELETED_AT, deleted_at)
                    .set(EXPIRES_AT, deleted_at.plus(TOMBSTONE_KEPT).as_seconds())
            }
            _ => update,
        };
        let update = item::set_due(update, id, next_at);
        let update = match end {
            StepEnd::Complete => release(update),
            StepEnd::Uncertain => update,
        };
        let update = revision::require(require_claim(update, claimed), revision);
        let writes = [vec![update], others].concat();
        if !revision::was_written(&self.entities.write_all(write_id, writes).await?, write_id)? {
            if end == StepEnd::Complete {
                self.release_without_result(claimed).await?;
            }
            return Ok(None);
        }
        if let Some(next_in) = next_in {
            self.hints.send_hint(&WorkbenchHint { org, id }, next_in).await;
        }
        let changed = observed.change.as_ref().map(|change| change.after.clone());
        Ok(Some(changed.unwrap_or_else(|| claimed.workbench.clone())))
    }

    /// The writes that belong to a change: its events, and at the end of a deletion the return of everything reserved.
    fn consequences(&self, Change { after, events }: &Change) -> Vec<Write> {
        let Workbench { org, id, owner, ref editors, .. } = *after;
        let mut writes = item::events_write(&self.journal, id, events);
        if after.status == WorkbenchStatus::Deleted {
            writes.push(self.entities.delete(keys::workbench_name(org, &after.name)));
            writes.push(self.entities.delete(keys::workbench_variables(org, id)));
            writes.push(self.entities.delete(keys::workbench_key(org, id)));
            let users = [owner].into_iter().chain(editors.iter().copied());
            writes.extend(users.map(|user| self.entities.delete(keys::listed_workbench(org, user, id))));
            writes.extend(capacity::return_capacity(&self.counters, after));
        }
        writes
    }

    /// Releases the claim without a result, so that the next worker can claim it at once.
    async fn release_without_result(&self, claimed: &Claimed) -> Result<()> {
        let Workbench { org, id, .. } = claimed.workbench;
        let release = release(self.entities.update(keys::workbench(org, id)));
        if self.entities.write(require_claim(release, claimed)).await?.is_written() {
            // The hint of the user's change may have arrived while this worker had the workbench.
            self.hints.send_hint(&WorkbenchHint { org, id }, Duration::ZERO).await;
        }
        Ok(())
    }

    /// Sends the hints of the workbenches that are due, at most `limit` in each shard, and returns how many were due. They
    /// are not postponed: a hint of a workbench that is not claimed must find it due.
    pub async fn send_due(&self, now: Time, limit: u32) -> Result<usize> {
        let due = self.entities.query_due(keys::WORKBENCHES_DUE, now, limit).await?;
        let total = due.len();
        let send = async |item| match read_hint(&item) {
            Ok(hint) => self.hints.send_hint(&hint, Duration::ZERO).await,
            Err(error) => tracing::error!(?error, "a due workbench has an invalid key"),
        };
        stream::iter(due).for_each_concurrent(SENT_AT_ONCE, send).await;
        Ok(total)
    }
}

impl Workbenches {
    /// Makes the next step of a workbench due now, if it waits for one, and sends its hint. It is for a backend that learns by
    /// itself that the environment has changed.
    pub async fn make_due(&self, hint: WorkbenchHint) -> Result<()> {
        let update =
            self.entities.update(keys::workbench(hint.org, hint.id)).set(WorkbenchItem::DUE_AT, self.clock.now());
        if self.entities.write(update.require(WorkbenchItem::DUE_AT.exists())).await?.is_written() {
            self.hints.send_hint(&hint, Duration::ZERO).await;
        }
        Ok(())
    }

    /// Resumes workbenches after a crash. It is for a platform of one process that has just started: its predecessor has
    /// ended, with its claims and the environments that it provided. Ends the claims and makes all workbenches due that
    /// wait for a step, and sends their hints. Returns their number.
    pub async fn resume(&self, now: Time) -> Result<usize> {
        let waiting = self.entities.query_due(keys::WORKBENCHES_DUE, now.plus(LONGEST_PAUSE), RESUMED).await?;
        let total = waiting.len();
        for item in waiting {
            let hint = read_hint(&item)?;
            let release = release(self.entities.update(keys::workbench(hint.org, hint.id)));
            let release = release.set(WorkbenchItem::DUE_AT, now).require(WorkbenchItem::DUE_AT.exists());
            if self.entities.write(release).await?.is_written() {
                self.hints.send_hint(&hint, Duration::ZERO).await;
            }
        }
        Ok(total)
    }
}

fn read_hint(item: &Item) -> Result<WorkbenchHint> {
    let key = Key::from_item(item).ok_or_else(|| Error::internal("a due workbench has no key"))?;
    Ok(WorkbenchHint { org: keys::workbench_org(&key)?, id: key.sk.parse().map_err(Error::internal)? })
}

fn release(write: Write) -> Write {
    write.remove(WorkbenchItem::OWNED_UNTIL)
}

fn require_claim(write: Write, claimed: &Claimed) -> Write {
    require_attempt(write, claimed.attempt)
}

/// Requires that the claim with this number is the last one, and that it was not released.
pub fn require_attempt(write: Write, attempt: u64) -> Write {
    write.require_is(WorkbenchItem::ATTEMPT, attempt).require(WorkbenchItem::OWNED_UNTIL.exists())
}
