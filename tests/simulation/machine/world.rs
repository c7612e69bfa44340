//! The state that all processes of a history share: the true time, the tables, the queue, the random
//! generator and the trace.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use domain::time::Time;
use fastrand::Rng;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::database::Database;
use super::faults::Faults;
use super::protocol::Protocol;
use super::queue::Queue;

static HISTORIES: AtomicU64 = AtomicU64::new(0);

pub struct World {
    pub protocol: Arc<dyn Protocol>,
    /// The faults of requests and messages.
    pub faults: Faults,
    pub database: Database,
    pub queue: Queue,
    /// Suspended processes wake up.
    pub alarm: Notify,
    unique: u64,
    starts_at: Time,
    began: Instant,
    state: Mutex<State>,
}

pub struct State {
    pub random: Rng,
    /// Items that transactions in flight have locked.
    pub held: BTreeSet<String>,
    /// The idempotency tokens of committed transactions.
    pub tokens: HashSet<String>,
    pub trace: Vec<String>,
    /// The objects of the bucket, by their paths.
    pub objects: BTreeMap<String, Vec<u8>>,
}

impl World {
    /// A world whose true time is `starts_at` now. The same seed draws the same faults.
    pub fn new(seed: u64, starts_at: Time, faults: Faults, protocol: Arc<dyn Protocol>) -> Arc<Self> {
        let state = State {
            random: Rng::with_seed(seed),
            held: BTreeSet::new(),
            tokens: HashSet::new(),
            trace: Vec::new(),
            objects: BTreeMap::new(),
        };
        let world = Self {
            protocol,
            faults,
            database: Database::default(),
            queue: Queue::default(),
            alarm: Notify::new(),
            unique: HISTORIES.fetch_add(1, Ordering::Relaxed),
            starts_at,
            began: Instant::now(),
            state: Mutex::new(state),
        };
        Arc::new(world)
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// The true time. The clocks of processes are skewed.
    pub fn now(&self) -> Time {
        self.starts_at.plus(self.began.elapsed())
    }

    /// A number that no other history of this test has.
    pub fn unique(&self) -> u64 {
        self.unique
    }

    pub fn began(&self) -> Instant {
        self.began
    }

    pub fn note(&self, what: impl FnOnce() -> String) {
        let line = format!("{:>8} ms  {}", self.began.elapsed().as_millis(), what());
        self.state().trace.push(line);
    }

    pub fn take_trace(&self) -> Vec<String> {
        std::mem::take(&mut self.state().trace)
    }
}
