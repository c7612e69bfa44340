//! The writes of the process that holds a run.

use std::borrow::Cow;
use std::time::Duration;

use uuid::Uuid;

use super::items::{ReviewItem, ReviewState, RunItem};
use super::list::show_state;
use super::sealing::RunKey;
use super::start_key::StartKey;
use super::{RESEND_AFTER, Runs};
use crate::keys;
use crate::run_statistics::RunPlace;
use crate::table::WriteOutcome;
use crate::write::Write;
use domain::Result;
use domain::id::{RunId, ThreadId};
use domain::run::{
    Commit, ExchangeDetector, Hold, NewRun, ParentStep, Parking, RunEvent, RunEventKind, RunState, RunValue,
};
use domain::time::Time;
use platform::secrets::Sealed;

/// What the first write of a holder stores.
#[derive(Clone, Debug)]
pub(super) enum Arrival {
    New(Box<NewRun>, Option<StartKey>),
    /// An earlier request with the same key has started this run, so the new one is not stored.
    Before(RunId),
}

/// A run that this process holds.
#[derive(Clone, Debug)]
pub struct RunHold {
    pub(super) epoch: u64,
    pub(super) next_event: u64,
    /// The number of wakes when the answers were read.
    pub(super) seen_wakes: u64,
    pub(super) until: Time,
    pub(super) place: RunPlace,
    pub(super) started_at: Time,
    /// The step that waits for this run.
    pub(super) parent: Option<ParentStep>,
    /// The conversation of the message that started the run.
    pub(super) thread: Option<ThreadId>,
    /// Whether the run has started others.
    pub(super) has_calls: bool,
    /// The key of its masked parts as the head has it.
    pub(super) sealed_key: Option<Sealed>,
    /// The key, once the log was read or a part was masked.
    pub(super) key: Option<RunKey>,
    /// Has seen all events of the log, once it was read.
    pub(super) exchanges: ExchangeDetector,
    /// What the first write stores, if the run is new.
    pub(super) arrival: Option<Arrival>,
}

impl RunHold {
    pub fn id(&self) -> RunId {
        self.place.id
    }

    pub fn is_stored(&self) -> bool {
        self.arrival.is_none()
    }

    /// The run that an earlier request with the same key has started.
    pub fn first_run(&self) -> Option<RunId> {
        match self.arrival {
            Some(Arrival::Before(first)) => Some(first),
            _ => None,
        }
    }

    /// The events of a commit. Those of a new run begin with its input.
    pub(super) fn events_to_store<'a>(&self, events: &'a [RunEvent]) -> Cow<'a, [RunEvent]> {
        match &self.arrival {
            Some(Arrival::New(new, _)) => {
                let kind = RunEventKind::RunQueued { input: RunValue::Value(new.input.clone()) };
                Cow::Owned([&[RunEvent { at: self.started_at, kind }], events].concat())
            }
            _ => Cow::Borrowed(events),
        }
    }
}

impl Runs {
    /// Stores events, opens reviews and starts runs, in as few transactions as possible. Then it cancels reviews and stops
    /// runs. An answer that is stored after the commit and before the cancellation is ignored.
    pub async fn commit(&self, hold: &mut RunHold, commit: &Commit) -> Result<Hold> {
        if !commit.has_no_writes() && self.store_commit(hold, commit).await? == Hold::Lost {
            return Ok(Hold::Lost);
        }
        self.retry_while_unavailable(hold, || self.stop_all(&commit.stopped)).await?;
        for run in commit.started.iter().filter(|run| !commit.stopped.contains(&run.id)) {
            self.send_hint(run.id, Duration::ZERO).await;
        }
        for step in &commit.canceled {
            let review =
                self.entities.update(keys::review(hold.id(), step)).set(ReviewItem::STATE, ReviewState::Canceled);
            let review = ReviewItem::unlist(review).require_is(ReviewItem::STATE, ReviewState::Open);
            let _ = self.persist(hold, &[review]).await?;
        }
        Ok(Hold::Held)
    }

    /// Leaves the run until a time, or until somebody wakes it.
    pub async fn park(&self, hold: &mut RunHold, wake_at: Option<Time>) -> Result<Parking> {
        if self.store_arrival(hold).await? == Hold::Lost {
            return Ok(Parking::Lost);
        }
        let head = self
            .held(hold)
            .require_is(RunItem::WAKES, hold.seen_wakes)
            .set(RunItem::SEEN_WAKES, hold.seen_wakes)
            .set(RunItem::CRASHES, 0)
            .remove(RunItem::CLAIMED_UNTIL);
        let head = show_state(head, hold.place, RunState::Paused);
        let head = match wake_at {
            Some(at) => head.set(RunItem::WAKE_AT, at).set(RunItem::DUE_AT, at),
            None => head.remove(RunItem::DUE_AT).remove(RunItem::DUE_SHARD),
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
    pub async fn hand_over(&self, hold: &mut RunHold) -> Result<Hold> {
        if let Some(Arrival::New(new, start_key)) = hold.arrival.clone() {
            return self.queue_arrival(hold, *new, start_key).await;
        }
        // For a person the run goes on, so its lists keep it as running.
        let head = self
            .held(hold)
            .set(RunItem::STATE, RunState::Queued)
            .set(RunItem::DUE_AT, self.now().plus(RESEND_AFTER))
            .remove(RunItem::CLAIMED_UNTIL);
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
        self.send_hint(hold.id(), Duration::ZERO).await;
        Ok(Hold::Held)
    }

    /// A write of the run's head that only its holder can make.
    pub(super) fn held(&self, hold: &RunHold) -> Write {
        let head = self
            .entities
            .update(keys::run(hold.id()))
            .require_is(RunItem::EPOCH, hold.epoch)
            .require_is(RunItem::STATE, RunState::Running)
            .require_is(RunItem::NEXT_EVENT, hold.next_event)
            .require(RunItem::STOP.is_missing());
        // This holder has made the key.
        match hold.key.as_ref().filter(|_| hold.sealed_key.is_none()) {
            Some(key) => head.set(RunItem::SECRETS, &key.sealed).set(RunItem::MASKED, true),
            None => head,
        }
    }

    pub(super) async fn persist(&self, hold: &RunHold, writes: &[Write]) -> Result<WriteOutcome> {
        let token = Uuid::now_v7();
        self.retry_while_unavailable(hold, || self.entities.write_all(token, writes.to_vec())).await
    }
}
