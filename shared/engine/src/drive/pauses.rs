//! Pauses of long computations, and the end of a run that exceeds a limit.

use tokio::task::yield_now;

use super::state::{Driver, MARGIN};
use super::{Departure, Effects, Journal};
use crate::run::{StepEvent, check_value};
use domain::Result;
use domain::run::{Hold, RunEnd};

impl<E: Effects> Driver<'_, E> {
    /// How the run ends: by itself, or because it exceeds a limit.
    pub fn end(&self) -> Option<RunEnd> {
        let configs = || self.active.values().map(|active| active.bytes).sum();
        let exceeded = || match self.now() >= self.ends_by {
            true => Some(self.limits.time_error()),
            false => self.limits.exceeded_by(&self.execution, configs()),
        };
        self.execution.end().cloned().or_else(|| exceeded().map(RunEnd::Failed))
    }

    /// Whether the process has worked on this run for so long that others come first.
    pub fn needs_pause(&self) -> bool {
        self.execution.work() >= self.pause_at
    }

    /// Lets the other tasks of the process go on, and stores the progress of a long computation. Returns how the run was
    /// left, if the shift ends.
    pub async fn pause<J: Journal>(&mut self, journal: &mut J) -> Result<Option<Departure>> {
        yield_now().await;
        self.pause_at = self.execution.work() + self.limits.slice;
        if !self.execution.has_more() {
            return Ok(None);
        }
        self.collect_results();
        if !self.pending.is_empty() && self.commit(journal).await? == Hold::Lost {
            return Ok(Some(Departure::Lost));
        }
        if self.now().plus(MARGIN) < self.shift.ends_at {
            return Ok(None);
        }
        match self.store_results(journal).await? {
            Hold::Held => self.hand_over(journal).await.map(Some),
            Hold::Lost => Ok(Some(Departure::Lost)),
        }
    }

    /// Waits for the effects in progress, and stores all results that no step has used yet. Without this, the next process
    /// would repeat these effects.
    async fn store_results<J: Journal>(&mut self, journal: &mut J) -> Result<Hold> {
        while !self.in_progress.is_empty() && !self.is_out_of_patience() {
            self.wait_for_result(None).await;
        }
        while let Some((path, result)) = self.results.pop_front() {
            self.apply(&path, result);
        }
        let reported = self.execution.take_reported().into_iter();
        let events = reported.map(|(path, result)| {
            match result.and_then(|outcome| check_value(&outcome.value).map(|()| outcome)) {
                Ok(outcome) => StepEvent::Completed { path, outcome },
                Err(error) => StepEvent::Failed { path, error },
            }
        });
        let events = events.collect();
        self.record_events(events);
        if self.pending.is_empty() { Ok(Hold::Held) } else { self.commit(journal).await }
    }
}
