//! The state that all processes of a history share: the true time, the tables, and the oracles' accounts.

use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use domain::time::Time;
use fastrand::Rng;
use tokio::time::Instant;

use crate::accounting::Accounting;
use crate::database::Database;
use crate::rules::Rule;
use crate::scenario::Scenario;

static HISTORIES: AtomicU64 = AtomicU64::new(0);

pub struct World {
    pub scenario: Scenario,
    /// The rule that is switched off.
    pub disabled_rule: Option<Rule>,
    pub database: Database,
    unique: u64,
    began: Instant,
    state: Mutex<State>,
}

pub struct State {
    pub random: Rng,
    pub accounting: Accounting,
    /// Items that transactions in flight have locked.
    pub held: BTreeSet<String>,
    /// The idempotency tokens of committed transactions.
    pub tokens: HashSet<String>,
    pub trace: Vec<String>,
}

impl World {
    pub fn new(seed: u64, disabled_rule: Option<Rule>) -> Arc<Self> {
        let scenario = Scenario::from_seed(seed);
        let state = State {
            random: Rng::with_seed(seed),
            accounting: Accounting::new(&scenario),
            held: BTreeSet::new(),
            tokens: HashSet::new(),
            trace: Vec::new(),
        };
        let world = Self {
            disabled_rule,
            database: Database::new(),
            unique: HISTORIES.fetch_add(1, Ordering::Relaxed),
            began: Instant::now(),
            state: Mutex::new(state),
            scenario,
        };
        Arc::new(world)
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// The true time. The clocks of processes are skewed.
    pub fn now(&self) -> Time {
        self.scenario.starts_at.plus(self.began.elapsed())
    }

    /// A number that no other history of this test has.
    pub fn unique(&self) -> u64 {
        self.unique
    }

    pub fn began(&self) -> Instant {
        self.began
    }

    pub fn note(&self, what: impl FnOnce() -> String) {
        let after_ms = self.began.elapsed().as_millis();
        self.state().trace.push(format!("{after_ms:>8} ms  {}", what()));
    }
}
