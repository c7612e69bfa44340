//! A run that is carried out where it arrives. Nothing of it is stored before the first write of its holder, which stores it
//! already claimed. A crash before that loses nothing: the caller has no answer, and nothing has happened outside.

use uuid::Uuid;

use super::Runs;
use super::hold::{Arrival, RunHold};
use super::items::RunItem;
use super::parts::Part;
use super::start::{Started, new_item};
use super::start_key::{StartKey, first_run};
use crate::keys;
use crate::run_statistics;
use domain::Result;
use domain::run::{Commit, ExchangeDetector, Hold, NewRun, Run, RunState};
use domain::time::Time;

impl Runs {
    /// Holds a new run until a time. It is not stored yet.
    pub fn hold_new(&self, new: NewRun, start_key: Option<StartKey>, until: Time) -> (Run, RunHold) {
        let now = self.now();
        let run = RunItem { started_at: Some(now), ..new_item(new.clone(), 0, RunState::Running) };
        let hold = RunHold {
            epoch: 1,
            next_event: 1,
            seen_wakes: 0,
            until,
            place: run.place(),
            started_at: now,
            parent: new.parent.clone(),
            thread: new.thread.as_ref().map(|thread| thread.id),
            has_calls: false,
            sealed_key: None,
            key: None,
            exchanges: ExchangeDetector::default(),
            arrival: Some(Arrival::New(Box::new(new), start_key)),
        };
        (run.into(), hold)
    }

    /// Stores a run that its holder has not stored yet, without further events.
    pub(super) async fn store_arrival(&self, hold: &mut RunHold) -> Result<Hold> {
        match hold.arrival {
            Some(_) => self.store_commit(hold, &Commit::default()).await,
            None => Ok(Hold::Held),
        }
    }

    /// Stores a new run with its first events, already claimed. The storage is asked only once: if it does not answer, the
    /// caller of the run gets the error, and may try again.
    pub(super) async fn store_first_part(
        &self,
        hold: &mut RunHold,
        new: NewRun,
        start_key: Option<StartKey>,
        part: Part,
    ) -> Result<Hold> {
        let RunHold { place, until, started_at, .. } = *hold;
        let mut writes = self.log_items(place, 1, &part.events);
        writes.extend(self.webhook_call(&new).await?);
        writes.extend(start_key.as_ref().map(|start_key| self.claim_key(start_key, place.id, started_at)));
        writes.extend(part.others);
        writes.extend(run_statistics::count_starts(&self.counters, &[&[place][..], &part.started].concat()));
        hold.has_calls = !part.started.is_empty();
        let events = part.events.len() as u64;
        writes.push(self.entities.put_new(&RunItem {
            epoch: hold.epoch,
            claimed_until: Some(until),
            due_shard: Some(keys::RUNS_DUE.of(place.id.uuid())),
            due_at: Some(until),
            started_at: Some(started_at),
            exchanges: part.exchanges,
            calls: hold.has_calls.then_some(true),
            secrets: hold.key.as_ref().map(|key| key.sealed.clone()),
            masked: hold.key.as_ref().map(|_| true),
            ..new_item(new, events, RunState::Running)
        }));
        let outcome = self.entities.transact(Uuid::now_v7(), &writes).await?;
        if let Some(first) = first_run(place.id, start_key.as_ref(), outcome)? {
            hold.arrival = Some(Arrival::Before(first));
            return Ok(Hold::Lost);
        }
        hold.arrival = None;
        hold.next_event += events;
        Ok(Hold::Held)
    }

    /// Leaves a new run that is not stored yet to the workers.
    pub(super) async fn queue_arrival(
        &self,
        hold: &mut RunHold,
        new: NewRun,
        start_key: Option<StartKey>,
    ) -> Result<Hold> {
        match self.start(new, start_key).await? {
            Started::Now(_) => {
                hold.arrival = None;
                Ok(Hold::Held)
            }
            Started::Before(first) => {
                hold.arrival = Some(Arrival::Before(first));
                Ok(Hold::Lost)
            }
        }
    }
}
