//! What a process that holds a run stores together.

use super::{NewReview, NewRun, RunEvent};
use crate::id::RunId;

#[derive(Clone, Debug, Default)]
pub struct Commit {
    pub events: Vec<RunEvent>,
    /// The reviews that begin.
    pub opened: Vec<NewReview>,
    /// The steps whose reviews no longer matter.
    pub canceled: Vec<String>,
    /// The runs that steps start.
    pub started: Vec<NewRun>,
    /// The runs whose ends no longer matter.
    pub stopped: Vec<RunId>,
}

impl Commit {
    pub fn is_empty(&self) -> bool {
        self.events.is_empty() && !self.concerns_others()
    }

    /// Whether it changes more than the run itself.
    pub fn concerns_others(&self) -> bool {
        let Self { events: _, opened, canceled, started, stopped } = self;
        !(opened.is_empty() && canceled.is_empty() && started.is_empty() && stopped.is_empty())
    }

    /// Whether the transaction has nothing to write. Cancellations and stops come after it.
    pub fn has_no_writes(&self) -> bool {
        self.events.is_empty() && self.opened.is_empty() && self.started.is_empty()
    }
}
