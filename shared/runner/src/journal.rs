//! The driver's journal, stored in the tables.

use std::collections::{BTreeMap, BTreeSet};

use domain::Result;
use domain::run::{Answer, Commit, Hold, Parking, ReviewAnswer, RunEnd, RunEvent};
use domain::time::Time;
use engine::drive::Journal;
use store::Runs;
use store::runs::RunHold;

pub struct RunJournal<'a> {
    pub runs: &'a Runs,
    pub hold: RunHold,
}

impl Journal for RunJournal<'_> {
    async fn commit(&mut self, commit: &Commit) -> Result<Hold> {
        self.runs.commit(&mut self.hold, commit).await
    }

    async fn end(&mut self, events: &[RunEvent], end: &RunEnd) -> Result<Hold> {
        self.runs.end(&mut self.hold, events, end).await
    }

    async fn park(&mut self, wake_at: Option<Time>) -> Result<Parking> {
        self.runs.park(&mut self.hold, wake_at).await
    }

    async fn hand_over(&mut self) -> Result<Hold> {
        self.runs.hand_over(&mut self.hold).await
    }

    async fn answers(&mut self, waiting: &BTreeSet<String>) -> Result<BTreeMap<String, Answer>> {
        self.runs.answers(&mut self.hold, waiting).await
    }

    async fn expire(&mut self, step: &str) -> Result<Option<ReviewAnswer>> {
        self.runs.expire(&self.hold, step).await
    }
}
