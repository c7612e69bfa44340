//! An in-memory journal for previews. It stores nothing. It waits for retries in the process; an open review or
//! a delay ends the preview.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::Result;
use domain::run::{Answer, Commit, Hold, Parking, ReviewAnswer, RunEnd, RunEvent, RunEventKind};
use domain::time::{Clock, Time};
use engine::drive::Journal;
use tokio::time::sleep;

/// The events so far. They can be read while the journal is in use.
#[derive(Clone, Default)]
pub struct MemoryLog(Arc<Mutex<Vec<RunEvent>>>);

impl MemoryLog {
    fn lock(&self) -> MutexGuard<'_, Vec<RunEvent>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn take(&self) -> Vec<RunEvent> {
        std::mem::take(&mut self.lock())
    }
}

pub struct MemoryJournal {
    log: MemoryLog,
    clock: Clock,
    /// The open reviews, by the path of the step. Nobody can answer them.
    reviews: BTreeMap<String, Time>,
    /// The ends of the delays in progress, by the path of the step.
    delays: BTreeMap<String, Time>,
}

impl MemoryJournal {
    pub fn new(log: MemoryLog, clock: Clock) -> Self {
        Self { log, clock, reviews: BTreeMap::new(), delays: BTreeMap::new() }
    }

    fn note_delays(&mut self, events: &[RunEvent]) {
        for event in events {
            match &event.kind {
                // The delays of a preview end at once.
                RunEventKind::StepDelayed { step, until } if *until > self.clock.now() => {
                    self.delays.insert(step.clone(), *until);
                }
                RunEventKind::StepCompleted { step, .. } | RunEventKind::StepCanceled { step } => {
                    self.delays.remove(step);
                }
                _ => {}
            }
        }
    }
}

impl Journal for MemoryJournal {
    async fn commit(&mut self, commit: &Commit) -> Result<Hold> {
        // The steps of a preview start no runs.
        let Commit { events, opened, canceled, started: _, stopped: _ } = commit;
        self.log.lock().extend_from_slice(events);
        self.note_delays(events);
        self.reviews.extend(opened.iter().map(|review| (review.step.clone(), review.expires_at)));
        self.reviews.retain(|step, _| !canceled.contains(step));
        Ok(Hold::Held)
    }

    async fn end(&mut self, events: &[RunEvent], _: &RunEnd) -> Result<Hold> {
        self.log.lock().extend_from_slice(events);
        Ok(Hold::Held)
    }

    async fn park(&mut self, wake_at: Option<Time>) -> Result<Parking> {
        match wake_at {
            // Sleeps only if a retry is due before any review expires and any delay ends.
            Some(at) if self.reviews.values().chain(self.delays.values()).all(|ends_at| at < *ends_at) => {
                sleep(self.clock.now().until(at)).await;
                Ok(Parking::Woken)
            }
            _ => Ok(Parking::Parked),
        }
    }

    async fn hand_over(&mut self) -> Result<Hold> {
        Ok(Hold::Held)
    }

    async fn answers(&mut self, _: &BTreeSet<String>) -> Result<BTreeMap<String, Answer>> {
        Ok(BTreeMap::new())
    }

    async fn expire(&mut self, step: &str) -> Result<Option<ReviewAnswer>> {
        self.reviews.remove(step);
        Ok(None)
    }
}
