//! The driver's journal, stored in the tables.

use std::collections::BTreeMap;

use domain::Result;
use domain::run::{ReviewAnswer, RunEnd, RunEvent};
use domain::time::Time;
use engine::drive::{Commit, Hold, Journal, OpenedReview, Parking};
use shared::store::Runs;
use shared::store::runs::{self, NewReview, RunHold};

pub struct RunJournal<'a> {
    pub runs: &'a Runs,
    pub hold: RunHold,
}

impl Journal for RunJournal<'_> {
    async fn commit(&mut self, commit: &Commit) -> Result<Hold> {
        let opened: Vec<NewReview> = commit.opened.iter().map(new_review).collect();
        self.runs.commit(&mut self.hold, &commit.events, &opened, &commit.canceled).await.map(hold)
    }

    async fn end(&mut self, events: &[RunEvent], end: &RunEnd) -> Result<Hold> {
        self.runs.end(&mut self.hold, events, end).await.map(hold)
    }

    async fn park(&mut self, wake_at: Option<Time>) -> Result<Parking> {
        Ok(match self.runs.park(&self.hold, wake_at).await? {
            runs::Parking::Parked => Parking::Parked,
            runs::Parking::Woken => Parking::Woken,
            runs::Parking::Lost => Parking::Lost,
        })
    }

    async fn hand_over(&mut self) -> Result<Hold> {
        self.runs.hand_over(&self.hold).await.map(hold)
    }

    async fn answers(&mut self) -> Result<BTreeMap<String, ReviewAnswer>> {
        self.runs.answers(&mut self.hold).await
    }

    async fn expire(&mut self, step: &str) -> Result<Option<ReviewAnswer>> {
        self.runs.expire(&self.hold, step).await
    }
}

fn new_review(review: &OpenedReview) -> NewReview {
    let OpenedReview { step, expires_at, request } = review.clone();
    NewReview { step, closes_at: expires_at, request }
}

fn hold(hold: runs::Hold) -> Hold {
    match hold {
        runs::Hold::Held => Hold::Held,
        runs::Hold::Lost => Hold::Lost,
    }
}
