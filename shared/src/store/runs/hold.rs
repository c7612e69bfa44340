//! The writes of the process that holds a run.

use std::time::Duration;

use tokio::time::sleep;
use uuid::Uuid;

use super::items::{LogItem, ReviewItem, ReviewState, RunItem};
use super::{PARENT, RESEND_AFTER, Runs};
use crate::store::keys::{self, Key};
use crate::store::table::{RefusedWrite, WriteOutcome};
use crate::store::write::Write;
use domain::id::RunId;
use domain::run::{Commit, Hold, NewReview, ParentStep, Parking, RunEnd, RunEvent, RunState};
use domain::time::Time;
use domain::{Error, Result};

/// The maximum size of one part of a log. A DynamoDB item has at most 400 KB.
const MAX_PART_BYTES: usize = 256 * 1024;

/// A run that this process holds.
#[derive(Clone, Debug)]
pub struct RunHold {
    pub id: RunId,
    pub(super) epoch: u64,
    pub(super) next_event: u64,
    /// The number of wakes when the answers were read.
    pub(super) seen_wakes: u64,
    pub(super) until: Time,
    /// The step that waits for this run.
    pub(super) parent: Option<ParentStep>,
    /// Whether the run has started others.
    pub(super) has_calls: bool,
}

impl Runs {
    /// Stores events, opens reviews and starts runs, in one transaction. Then it cancels reviews and stops runs. An answer
    /// that is stored after the commit and before the cancellation is ignored.
    pub async fn commit(&self, hold: &mut RunHold, commit: &Commit) -> Result<Hold> {
        if !commit.has_no_writes() && !self.store_commit(hold, commit).await?.is_written() {
            return Ok(Hold::Lost);
        }
        self.stop_all(&commit.stopped).await?;
        for run in commit.started.iter().filter(|run| !commit.stopped.contains(&run.id)) {
            self.send_hint(run.id, Duration::ZERO).await;
        }
        for step in &commit.canceled {
            let review = self.entities.update(keys::review(hold.id, step)).set("state", ReviewState::Canceled);
            let _ = self.entities.write(review.require_same("state", Some(ReviewState::Open))).await?;
        }
        Ok(Hold::Held)
    }

    async fn store_commit(&self, hold: &mut RunHold, commit: &Commit) -> Result<WriteOutcome> {
        let Commit { events, opened, started, .. } = commit;
        let head = self.held(hold).set("next_event", hold.next_event + events.len() as u64).set("crashes", 0);
        let head = if started.is_empty() { head } else { head.set("calls", true) };
        let mut others: Vec<Write> =
            opened.iter().map(|review| self.entities.put(&review_item(hold.id, review))).collect();
        for new in started {
            others.extend(self.new_run(new.clone(), Vec::new(), None).await?.1);
        }
        hold.has_calls |= !started.is_empty();
        self.append(hold, head, events, others).await
    }

    /// Ends the run, with its last events, and wakes the run that waits for it.
    pub async fn end(&self, hold: &mut RunHold, events: &[RunEvent], end: &RunEnd) -> Result<Hold> {
        let head = self.ended(self.held(hold), hold.next_event + events.len() as u64, end);
        let leaves_calls = hold.has_calls && !matches!(end, RunEnd::Completed { .. });
        let head = self.due_until_calls_stop(head, hold.id, leaves_calls);
        let parent = hold.parent.clone();
        let wake = self.wake_parent(parent.as_ref(), hold.id);
        let outcome = match self.append(hold, head.clone(), events, wake).await? {
            WriteOutcome::Refused(RefusedWrite { label: PARENT, .. }) => {
                self.append(hold, head, events, Vec::new()).await?
            }
            outcome => outcome,
        };
        if !outcome.is_written() {
            return Ok(Hold::Lost);
        }
        self.send_parent_hint(parent.as_ref()).await;
        if leaves_calls {
            self.stop_calls(hold.id).await?;
        }
        Ok(Hold::Held)
    }

    /// The write of a head, with its end. The caller sets or removes `due_at`.
    pub(super) fn ended(&self, head: Write, next_event: u64, end: &RunEnd) -> Write {
        let head = head.set("state", end.state()).set("next_event", next_event).set("ended_at", self.now());
        let head = end.error().into_iter().fold(head, |head, error| head.set("error", error));
        head.remove("claimed_until").remove("wake_at")
    }

    async fn append(
        &self,
        hold: &mut RunHold,
        head: Write,
        events: &[RunEvent],
        others: Vec<Write>,
    ) -> Result<WriteOutcome> {
        let texts = self.serialize(hold.id, events).await?;
        let mut writes = vec![head];
        writes.extend(self.log_parts(hold.id, hold.next_event, &texts));
        writes.extend(others);
        let outcome = self.persist(hold, &writes).await?;
        if outcome.is_written() {
            hold.next_event += events.len() as u64;
        }
        Ok(outcome)
    }

    pub(super) fn log_parts(&self, id: RunId, first: u64, events: &[String]) -> Vec<Write> {
        let (mut parts, mut from, mut bytes) = (Vec::new(), 0, 0);
        let part = |from: usize, to: usize| self.journal.put(&LogItem::new(id, first + from as u64, &events[from..to]));
        for (place, event) in events.iter().enumerate() {
            if bytes > 0 && bytes + event.len() > MAX_PART_BYTES {
                parts.push(part(from, place));
                (from, bytes) = (place, 0);
            }
            bytes += event.len();
        }
        if from < events.len() {
            parts.push(part(from, events.len()));
        }
        parts
    }

    /// Leaves the run until a time, or until somebody wakes it.
    pub async fn park(&self, hold: &RunHold, wake_at: Option<Time>) -> Result<Parking> {
        let head = self
            .held(hold)
            .require_same("wakes", Some(hold.seen_wakes))
            .set("state", RunState::Paused)
            .set("seen_wakes", hold.seen_wakes)
            .set("crashes", 0)
            .remove("claimed_until");
        let head = match wake_at {
            Some(at) => head.set("wake_at", at).set("due_at", at),
            None => head.remove("due_at").remove("due_shard"),
        };
        match self.persist(hold, &[head]).await? {
            WriteOutcome::Written => Ok(Parking::Parked),
            WriteOutcome::Refused(refused) => {
                let stored: Option<RunItem> = refused.parse_item()?;
                Ok(match stored {
                    Some(item) if item.epoch == hold.epoch && item.state == RunState::Paused => Parking::Parked,
                    Some(item) if item.epoch == hold.epoch && item.state == RunState::Running && !item.is_stopped() => {
                        Parking::Woken
                    }
                    _ => Parking::Lost,
                })
            }
        }
    }

    /// Leaves the run to the next process, and sends its hint.
    pub async fn hand_over(&self, hold: &RunHold) -> Result<Hold> {
        let head = self
            .held(hold)
            .set("state", RunState::Queued)
            .set("due_at", self.now().plus(RESEND_AFTER))
            .remove("claimed_until");
        let is_left = match self.persist(hold, &[head]).await? {
            WriteOutcome::Written => true,
            WriteOutcome::Refused(refused) => {
                let stored: Option<RunItem> = refused.parse_item()?;
                stored.is_some_and(|item| item.epoch == hold.epoch && item.state == RunState::Queued)
            }
        };
        if !is_left {
            return Ok(Hold::Lost);
        }
        self.send_hint(hold.id, Duration::ZERO).await;
        Ok(Hold::Held)
    }

    /// A write of the run's head that only its holder can make.
    fn held(&self, hold: &RunHold) -> Write {
        self.entities
            .update(keys::run(hold.id))
            .require_same("epoch", Some(hold.epoch))
            .require_same("state", Some(RunState::Running))
            .require_same("next_event", Some(hold.next_event))
            .require_same("stop", None::<bool>)
    }

    /// Writes as long as the claim lasts: when the tables do not answer, giving up would repeat effects.
    async fn persist(&self, hold: &RunHold, writes: &[Write]) -> Result<WriteOutcome> {
        let token = Uuid::now_v7();
        loop {
            match self.entities.write_all(token, writes.to_vec()).await {
                Err(Error::Unavailable { cause, .. }) if self.now() < hold.until => {
                    tracing::warn!(run_id = %hold.id, cause, "a run could not be stored; it is tried again");
                    sleep(Duration::from_secs(1)).await;
                }
                outcome => return outcome,
            }
        }
    }
}

fn review_item(run: RunId, review: &NewReview) -> ReviewItem {
    let Key { pk, sk } = keys::review(run, &review.step);
    let NewReview { step, expires_at, request } = review.clone();
    ReviewItem { pk, sk, step, state: ReviewState::Open, request, closes_at: expires_at, answer: None }
}
