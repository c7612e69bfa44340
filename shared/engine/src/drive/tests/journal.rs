//! A journal in memory, which can lose its claim or crash at a write.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use super::text::open_attempts;
use super::*;

/// What is stored of a run. All its processes share it.
#[derive(Default)]
pub struct Store {
    pub log: Vec<RunEvent>,
    /// The events of each write.
    pub writes: Vec<Vec<RunEvent>>,
    pub reviews: BTreeMap<String, (NewReview, ReviewState)>,
    /// How many reviews each write opened, if any.
    pub opened: Vec<usize>,
    pub end: Option<RunEnd>,
    /// The runs that steps have started.
    pub started: Vec<NewRun>,
    pub stopped: Vec<RunId>,
    /// The ends of those runs.
    pub ends: BTreeMap<RunId, RunEnd>,
    pub faults: Faults,
    /// Whether the process that has the run stops here.
    pub has_crashed: bool,
    /// How many processes in a row crashed, since the last write of one that still had the run.
    pub crashes: u32,
    /// Whether the last process ended without leaving the run, so its attempts may have taken place.
    pub has_doubts: bool,
    /// How many answers were given.
    wakes: u64,
    /// The number of writes of events, of which a crash may have prevented some.
    event_writes: usize,
    /// The number of all writes, among them those that leave the run.
    all_writes: usize,
    /// How often a process tried to park the run.
    parks: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ReviewState {
    Open,
    Answered(ReviewAnswer),
    Expired,
    Canceled,
}

#[derive(Default)]
pub struct Faults {
    /// Whether the process crashes at a write of events, by its number from 1.
    pub crash: Option<Box<dyn Fn(usize) -> Option<Crash> + Send>>,
    /// No attempt begins more often than it may, and the run does not crash more often in a row than it may.
    pub spares: bool,
    /// The number of the first write that finds the claim lost, from 1.
    pub lost_from: Option<usize>,
    /// How long a commit takes.
    pub latency: Duration,
    /// The answers that arrive immediately before a review is closed.
    pub before_expiry: BTreeMap<String, ReviewAnswer>,
    /// The answers that arrive immediately before the run is parked.
    pub before_parking: BTreeMap<String, ReviewAnswer>,
    /// The run of a step ends immediately before this one is parked.
    pub ends_before_parking: Option<RunEnd>,
    /// The process crashes after a transaction, before it stops other runs and cancels reviews.
    pub skips_follow_up: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crash {
    BeforeWrite,
    AfterWrite,
    /// The write has several parts, and the first of them, with this many events, is stored.
    AfterFirst(usize),
}

/// The maximum number of writes in a transaction.
const MAX_WRITES: usize = 100;

impl Store {
    /// A person answers a review, if it is open.
    pub fn answer(&mut self, step: &str, answer: ReviewAnswer) {
        if let Some((_, state @ ReviewState::Open)) = self.reviews.get_mut(step) {
            *state = ReviewState::Answered(answer);
            self.wakes += 1;
        }
    }

    /// The run that a step has started last ends.
    pub fn end_call(&mut self, step: &str, end: RunEnd) {
        let id = self.run_of(step).unwrap_or_else(|| panic!("{step} has started no run"));
        self.ends.insert(id, end);
        self.wakes += 1;
    }

    fn run_of(&self, step: &str) -> Option<RunId> {
        let of_step = |new: &&NewRun| new.parent.as_ref().is_some_and(|parent| parent.step == step);
        self.started.iter().rev().find(of_step).map(|new| new.id)
    }

    fn answer_of(&self, step: &str) -> Option<Answer> {
        match self.reviews.get(step) {
            Some((_, ReviewState::Answered(answer))) => Some(Answer::Review(answer.clone())),
            _ => self.ends.get(&self.run_of(step)?).cloned().map(Answer::Run),
        }
    }

    fn is_lost(&mut self) -> bool {
        self.all_writes += 1;
        self.faults.lost_from.is_some_and(|lost_from| self.all_writes >= lost_from)
    }

    fn next_crash(&mut self) -> Option<Crash> {
        self.event_writes += 1;
        let crash = self.faults.crash.as_ref().and_then(|crash| crash(self.event_writes));
        let crash = crash.filter(|_| !self.faults.spares || self.can_crash());
        self.has_crashed = crash.is_some();
        crash
    }

    /// Whether the run and each of its attempts are still repeated after another crash.
    fn can_crash(&self) -> bool {
        self.crashes < MAX_CRASHES && open_attempts(&self.log).values().all(|(_, times)| *times < MAX_CRASHES)
    }

    fn append(&mut self, events: &[RunEvent]) {
        assert_eq!(self.end, None, "the run has ended: {events:?}");
        self.writes.push(events.to_vec());
        self.log.extend_from_slice(events);
    }

    fn apply(&mut self, commit: &Commit) {
        let writes = 2 + commit.opened.len() + 3 * commit.started.len();
        self.crashes = 0;
        assert!(writes <= MAX_WRITES, "{writes} writes in one transaction");
        if !commit.has_no_writes() {
            self.append(&commit.events);
        }
        self.started.extend(commit.started.iter().cloned());
        self.opened.extend(Some(commit.opened.len()).filter(|opened| *opened > 0));
        for review in &commit.opened {
            assert!(!commit.canceled.contains(&review.step), "{} is opened and canceled in one write", review.step);
            self.reviews.insert(review.step.clone(), (review.clone(), ReviewState::Open));
        }
        if !self.faults.skips_follow_up {
            self.stopped.extend(&commit.stopped);
            commit.canceled.iter().for_each(|step| self.cancel(step));
        }
    }

    fn cancel(&mut self, step: &str) {
        if let Some((_, state @ ReviewState::Open)) = self.reviews.get_mut(step) {
            *state = ReviewState::Canceled;
        }
    }
}

/// The first part of a write: at most all events but the last.
fn first_events(events: &[RunEvent], most: usize) -> Vec<RunEvent> {
    events[..most.min(events.len().saturating_sub(1))].to_vec()
}

/// The first part of a commit. A review or a run is stored together with its event.
fn first_part(commit: &Commit, most: usize) -> Commit {
    let events = first_events(&commit.events, most);
    let asks =
        |of: &str| events.iter().any(|event| matches!(&event.kind, RunEventKind::StepAsked { step, .. } if step == of));
    let calls = |id: RunId| {
        events.iter().any(|event| matches!(event.kind, RunEventKind::StepCalled { run_id, .. } if run_id == id))
    };
    let opened = commit.opened.iter().filter(|review| asks(&review.step)).cloned().collect();
    let started = commit.started.iter().filter(|new| calls(new.id)).cloned().collect();
    Commit { opened, started, events, ..Commit::default() }
}

/// The journal of one process.
pub struct MemoryJournal {
    store: Arc<Mutex<Store>>,
    /// How many answers there were at the last look at them.
    wakes: u64,
    /// The steps whose answers were returned.
    read: BTreeSet<String>,
}

impl MemoryJournal {
    pub fn claim(store: &Arc<Mutex<Store>>) -> Self {
        Self { store: store.clone(), wakes: store.lock().unwrap().wakes, read: BTreeSet::new() }
    }

    /// A process that crashed writes nothing.
    async fn check_alive(&self) {
        let has_crashed = self.store.lock().unwrap().has_crashed;
        if has_crashed {
            std::future::pending().await
        }
    }
}

impl Journal for MemoryJournal {
    async fn commit(&mut self, commit: &Commit) -> Result<Hold> {
        let latency = self.store.lock().unwrap().faults.latency;
        if !latency.is_zero() {
            tokio::time::sleep(latency).await;
        }
        self.check_alive().await;
        let crash = {
            let mut store = self.store.lock().unwrap();
            if store.is_lost() {
                return Ok(Hold::Lost);
            }
            let crash = store.next_crash();
            let stored = match crash {
                Some(Crash::BeforeWrite) => None,
                Some(Crash::AfterFirst(events)) => Some(first_part(commit, events)).filter(|part| !part.is_empty()),
                Some(Crash::AfterWrite) | None => Some(commit.clone()),
            };
            if let Some(stored) = stored {
                store.apply(&stored);
                let is_new = |step: &String| {
                    commit.opened.iter().any(|review| review.step == *step)
                        || commit
                            .started
                            .iter()
                            .any(|new| new.parent.as_ref().is_some_and(|parent| parent.step == *step))
                };
                self.read.retain(|step| !is_new(step));
            }
            crash
        };
        match crash {
            Some(_) => std::future::pending().await,
            None => Ok(Hold::Held),
        }
    }

    async fn end(&mut self, events: &[RunEvent], end: &RunEnd) -> Result<Hold> {
        self.check_alive().await;
        let crash = {
            let mut store = self.store.lock().unwrap();
            if store.is_lost() {
                return Ok(Hold::Lost);
            }
            // A crash after the end of a run has no consequences.
            let crash = store.next_crash().filter(|crash| *crash != Crash::AfterWrite);
            store.has_crashed = crash.is_some();
            if let Some(Crash::AfterFirst(most)) = crash {
                store.crashes = 0;
                store.append(&first_events(events, most));
            }
            if crash.is_none() {
                store.append(events);
                store.end = Some(end.clone());
            }
            crash
        };
        match crash {
            Some(_) => std::future::pending().await,
            None => Ok(Hold::Held),
        }
    }

    async fn park(&mut self, _: Option<Time>) -> Result<Parking> {
        self.check_alive().await;
        let mut store = self.store.lock().unwrap();
        store.parks += 1;
        assert!(store.parks < 1_000, "the process tries to park again and again");
        for (step, answer) in std::mem::take(&mut store.faults.before_parking) {
            store.answer(&step, answer);
        }
        if let Some(end) = store.faults.ends_before_parking.take() {
            store.end_call("call", end);
        }
        Ok(match store.is_lost() {
            true => Parking::Lost,
            false if store.wakes > self.wakes => Parking::Woken,
            false => {
                store.crashes = 0;
                Parking::Parked
            }
        })
    }

    async fn hand_over(&mut self) -> Result<Hold> {
        self.check_alive().await;
        let mut store = self.store.lock().unwrap();
        if store.is_lost() {
            return Ok(Hold::Lost);
        }
        store.crashes = 0;
        Ok(Hold::Held)
    }

    async fn answers(&mut self, waiting: &BTreeSet<String>) -> Result<BTreeMap<String, Answer>> {
        let store = self.store.lock().unwrap();
        self.wakes = store.wakes;
        let answers = waiting.iter().filter_map(|step| Some((step.clone(), store.answer_of(step)?)));
        Ok(answers.filter(|(step, _)| self.read.insert(step.clone())).collect())
    }

    async fn expire(&mut self, step: &str) -> Result<Option<ReviewAnswer>> {
        let mut store = self.store.lock().unwrap();
        if let Some(answer) = store.faults.before_expiry.remove(step) {
            store.answer(step, answer);
        }
        match store.reviews.get_mut(step) {
            Some((_, ReviewState::Answered(answer))) => Ok(Some(answer.clone())),
            Some((_, state)) => {
                *state = ReviewState::Expired;
                Ok(None)
            }
            None => panic!("{step} has no review"),
        }
    }
}
