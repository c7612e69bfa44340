//! The end of a round of the driver: it waits for results, answers and times, or leaves the run.

use std::time::Duration;

use futures::future::FutureExt;
use futures::stream::StreamExt;

use super::driver::leave_to_next;
use super::state::{Driver, MARGIN, Ready, Stage};
use super::waits::pass_through;
use super::{Departure, Effects, Journal};
use crate::run::StepPath;
use domain::Result;
use domain::run::{Hold, Parking};
use domain::time::Time;

/// The process keeps a run for a wait that is not longer than this. Leaving and claiming it again would cost more.
const SHORT_WAIT: Duration = Duration::from_secs(1);
/// The maximum number of results that the next commit stores. It bounds the memory of the commit.
const MAX_RESULTS: usize = 50;
/// The maximum number of runs that the next commit starts, so that their hints are sent soon.
const MAX_STARTED: usize = 12;

impl<E: Effects> Driver<'_, E> {
    /// Waits until something happens, and applies it. Returns false if the process should leave the run.
    pub(super) async fn advance<J: Journal>(&mut self, journal: &mut J) -> Result<bool> {
        let mut has_advanced = false;
        if self.is_waiting() && self.now() >= self.next_look {
            has_advanced = self.read_answers(journal).await?;
        }
        self.collect_results();
        for _ in 0..MAX_RESULTS {
            if self.execution.has_more() {
                break;
            }
            // The runs that do not fit are started by the next commit.
            let Some((path, result)) = self.results.pop_front() else { break };
            has_advanced = true;
            self.apply(&path, result);
            if self.pending.started.len() >= MAX_STARTED {
                break;
            }
        }
        if has_advanced || self.fire_timers(journal).await? || self.has_unasked() {
            return Ok(true);
        }
        let now = self.now();
        let timer = self.next_timer();
        let is_idle = self.in_progress.is_empty();
        if is_idle && (self.is_out_of_time() || timer.is_none_or(|at| now.until(at) > SHORT_WAIT)) {
            return Ok(false);
        }
        if self.is_out_of_patience() {
            return Ok(false);
        }
        let look = self.is_waiting().then_some(self.next_look);
        self.wait_for_result(timer.into_iter().chain(look).min()).await;
        Ok(true)
    }

    /// Takes the results that have arrived.
    pub(super) fn collect_results(&mut self) {
        while let Some(Some(result)) = self.in_progress.next().now_or_never() {
            self.results.extend(result.ok());
        }
    }

    pub(super) fn next_timer(&self) -> Option<Time> {
        self.active.values().filter_map(|active| active.stage.wakes_at()).min()
    }

    /// Applies every wait that is over.
    pub(super) async fn fire_timers<J: Journal>(&mut self, journal: &mut J) -> Result<bool> {
        let now = self.now();
        let over = self.active.iter().filter(|(_, active)| active.stage.wakes_at().is_some_and(|at| at <= now));
        let over: Vec<StepPath> = over.map(|(path, _)| path.clone()).collect();
        for path in &over {
            let Some(active) = self.active.get(path) else { continue };
            match active.stage.clone() {
                Stage::Ready(_) | Stage::Unasked { .. } | Stage::InProgress { .. } => {}
                Stage::Retry { attempt, is_suspect, .. } => {
                    self.set_stage(path, Stage::Ready(Ready { is_suspect, ..Ready::new(attempt) }));
                }
                Stage::Delay { .. } => {
                    let outcome = pass_through(&active.effect);
                    self.finish(path, Ok(outcome));
                }
                Stage::Review { uncertain, .. } => self.expire_review(path, uncertain, journal).await?,
                Stage::Call { attempt, run_id, .. } => self.expire_call(path, attempt, run_id, journal).await?,
            }
        }
        Ok(!over.is_empty())
    }

    /// Whether the shift is too short for what comes next.
    pub(super) fn is_out_of_time(&self) -> bool {
        self.now().plus(MARGIN) >= self.shift.ends_at || self.has_ready()
    }

    /// Whether an attempt has no result yet.
    fn is_performing(&self) -> bool {
        self.active.values().any(|active| matches!(active.stage, Stage::InProgress { .. }))
    }

    /// Whether an attempt is left that could not begin.
    pub(super) fn has_ready(&self) -> bool {
        self.active.values().any(|active| matches!(active.stage, Stage::Ready(_)))
    }

    /// Leaves the run to the next process. Attempts without a result are interrupted.
    pub(super) async fn hand_over<J: Journal>(&mut self, journal: &mut J) -> Result<Departure> {
        self.interrupt_attempts();
        if !self.pending.is_empty() && self.commit(journal).await? == Hold::Lost {
            return Ok(Departure::Lost);
        }
        leave_to_next(journal).await
    }

    /// Leaves the run, unless an answer has arrived meanwhile.
    pub(super) async fn leave<J: Journal>(&mut self, journal: &mut J) -> Result<Option<Departure>> {
        if self.has_ready() || self.is_performing() {
            return self.hand_over(journal).await.map(Some);
        }
        let wake_at = self.next_timer().map(|timer| timer.min(self.ends_by));
        Ok(match journal.park(wake_at).await? {
            Parking::Parked => Some(Departure::Parked { wake_at }),
            Parking::Lost => Some(Departure::Lost),
            Parking::Woken => {
                self.read_answers(journal).await?;
                None
            }
        })
    }
}
