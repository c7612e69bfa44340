//! The loop of the driver: collect events, store them, perform effects, wait for one to end.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use futures::future::FutureExt;
use futures::stream::{FuturesUnordered, StreamExt};
use tokio::time::sleep;

use super::events::{canceled, to_log};
use super::restore::{Begun, restore};
use super::state::{Driver, MARGIN, Ready, Stage};
use super::waits::pass_through;
use super::{ClaimedRun, Commit, Departure, Effects, Journal, Shift};
use crate::run::{Execution, RunStart, StepError, StepOutcome, StepPath};
use domain::Result;
use domain::run::{Hold, MAX_CRASHES, Parking, RunEnd, RunError, RunEvent, RunEventKind};
use domain::time::Time;

/// The process keeps a run for a wait that is not longer than this. Leaving and claiming it again would cost more.
const SHORT_WAIT: Duration = Duration::from_secs(1);
/// The maximum number of results in one commit. Each is stored with its value, and a transaction has at most 4 MB.
const MAX_RESULTS: usize = 50;
/// The maximum number of runs that one commit starts. Each takes three of the 100 writes of a transaction.
const MAX_STARTED: usize = 12;

/// Carries out a run until it ends or must wait, or until the shift ends.
pub async fn drive<J: Journal, E: Effects>(
    run: ClaimedRun,
    shift: Shift,
    journal: &mut J,
    effects: &E,
) -> Result<Departure> {
    let ClaimedRun { id, plan, trigger, now, log, crashes } = run;
    let restored = restore(&plan, log)?;
    if crashes > MAX_CRASHES {
        let attempt = restored.begun.iter().find(|(_, begun)| matches!(begun, Begun::Attempt { .. }));
        let step = attempt.map_or(trigger, |(path, _)| path.step);
        let message = format!("the platform stopped {crashes} times in a row while the run was in progress here");
        let node_id = Some(plan.steps[step].id.clone());
        let end = RunEnd::Failed(RunError { code: "crashed".to_owned(), message, node_id });
        let stopped = restored.stopped.into_iter().chain(restored.begun.values().filter_map(Begun::run_id)).collect();
        let stop = Commit { stopped, ..Commit::default() };
        if !stop.is_empty() && journal.commit(&stop).await? == Hold::Lost {
            return Ok(Departure::Lost);
        }
        return end_run(journal, Vec::new(), &end, shift.clock.now()).await;
    }
    let start = RunStart { run_id: id.clone(), trigger, input: restored.input, now: now.into() };
    let mut execution = Execution::new(plan, start, restored.history);
    if !restored.is_new {
        // The log has these events.
        execution.take_events();
    }
    let mut driver = Driver {
        run_id: id,
        next_look: shift.clock.now(),
        shift,
        execution,
        effects,
        begun: restored.begun,
        active: BTreeMap::new(),
        in_progress: FuturesUnordered::new(),
        results: VecDeque::new(),
        // A process that crashed may have committed without stopping them.
        pending: Commit { stopped: restored.stopped, ..Commit::default() },
    };
    driver.carry_out(journal).await
}

impl<'a, E: Effects> Driver<'a, E> {
    async fn carry_out<J: Journal>(&mut self, journal: &mut J) -> Result<Departure> {
        loop {
            self.collect();
            self.open_reviews();
            if let Some(end) = self.execution.end().cloned() {
                // These runs are stopped before the end, because no holder follows.
                if !self.pending.stopped.is_empty() && self.commit(journal).await? == Hold::Lost {
                    return Ok(Departure::Lost);
                }
                let events = std::mem::take(&mut self.pending.events);
                return end_run(journal, events, &end, self.now()).await;
            }
            let ready = self.record_intents();
            if !self.pending.is_empty() && self.commit(journal).await? == Hold::Lost {
                return Ok(Departure::Lost);
            }
            for path in ready {
                self.perform(path);
            }
            if !self.advance(journal).await?
                && let Some(departure) = self.leave(journal).await?
            {
                return Ok(departure);
            }
        }
    }

    pub(super) fn now(&self) -> Time {
        self.shift.clock.now()
    }

    pub(super) fn record(&mut self, kind: RunEventKind) {
        let at = self.now();
        self.pending.events.push(RunEvent { at, kind });
    }

    pub(super) fn display(&self, path: &StepPath) -> String {
        path.display(self.execution.plan())
    }

    /// Processes the new events and the due effects of the execution.
    fn collect(&mut self) {
        let events = self.execution.take_events();
        self.effects.observe(self.execution.plan(), &events);
        for path in canceled(&events) {
            match self.active.remove(&path).map(|active| active.stage) {
                Some(Stage::InProgress { abort, .. }) => abort.abort(),
                Some(Stage::Review { .. }) => self.cancel_review(self.display(&path)),
                Some(Stage::Call { run_id, .. }) => self.pending.stopped.push(run_id),
                _ => {}
            }
        }
        for kind in to_log(self.execution.plan(), events) {
            self.record(kind);
        }
        // An effect that fails at once may cancel others, so all of them are known first.
        let due = self.execution.take_due();
        let failed: Vec<_> = due.into_iter().filter_map(|effect| self.activate(effect).err()).collect();
        for (path, error) in failed {
            self.execution.finish(&path, Err(error));
            self.collect();
        }
    }

    pub(super) fn finish(&mut self, path: &StepPath, result: Result<StepOutcome, StepError>) {
        self.active.remove(path);
        self.execution.finish(path, result);
        self.collect();
    }

    pub(super) fn set_stage(&mut self, path: &StepPath, stage: Stage) {
        if let Some(active) = self.active.get_mut(path) {
            active.stage = stage;
        }
    }

    /// Stores the pending events. Effects in progress go on meanwhile.
    async fn commit<J: Journal>(&mut self, journal: &mut J) -> Result<Hold> {
        let pending = std::mem::take(&mut self.pending);
        let stored = journal.commit(&pending).fuse();
        futures::pin_mut!(stored);
        loop {
            futures::select_biased! {
                hold = stored => return hold,
                result = self.in_progress.select_next_some() => self.results.extend(result.ok()),
            }
        }
    }

    /// Waits until something happens, and applies it. Returns false if the process should leave the run.
    async fn advance<J: Journal>(&mut self, journal: &mut J) -> Result<bool> {
        let mut has_advanced = false;
        if self.is_waiting() && self.now() >= self.next_look {
            has_advanced = self.read_answers(journal).await?;
        }
        while let Some(Some(result)) = self.in_progress.next().now_or_never() {
            self.results.extend(result.ok());
        }
        for _ in 0..MAX_RESULTS {
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
        let timer = self.next_timer().map(|at| now.until(at));
        if self.in_progress.is_empty() && (self.is_out_of_time() || timer.is_none_or(|wait| wait > SHORT_WAIT)) {
            return Ok(false);
        }
        let look = self.is_waiting().then(|| now.until(self.next_look));
        let wait = timer.into_iter().chain(look).min();
        let alarm = async {
            match wait {
                Some(wait) => sleep(wait).await,
                None => std::future::pending().await,
            }
        };
        let alarm = alarm.fuse();
        futures::pin_mut!(alarm);
        futures::select_biased! {
            result = self.in_progress.select_next_some() => self.results.extend(result.ok()),
            () = alarm => {}
        }
        Ok(true)
    }

    fn next_timer(&self) -> Option<Time> {
        self.active.values().filter_map(|active| active.stage.wakes_at()).min()
    }

    /// Applies every wait that is over.
    async fn fire_timers<J: Journal>(&mut self, journal: &mut J) -> Result<bool> {
        let now = self.now();
        let over = self.active.iter().filter(|(_, active)| active.stage.wakes_at().is_some_and(|at| at <= now));
        let over: Vec<StepPath> = over.map(|(path, _)| path.clone()).collect();
        for path in &over {
            let Some(active) = self.active.get(path) else { continue };
            match active.stage.clone() {
                Stage::Ready(_) | Stage::Unasked { .. } | Stage::InProgress { .. } => {}
                Stage::Retry { attempt, .. } => self.set_stage(path, Stage::Ready(Ready::new(attempt))),
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
    fn is_out_of_time(&self) -> bool {
        self.now().plus(MARGIN) >= self.shift.ends_at || self.has_ready()
    }

    /// Whether an attempt is left that could not begin.
    fn has_ready(&self) -> bool {
        self.active.values().any(|active| matches!(active.stage, Stage::Ready(_)))
    }

    /// Leaves the run, unless an answer has arrived meanwhile.
    async fn leave<J: Journal>(&mut self, journal: &mut J) -> Result<Option<Departure>> {
        if self.has_ready() {
            return Ok(Some(match journal.hand_over().await? {
                Hold::Held => Departure::HandedOver,
                Hold::Lost => Departure::Lost,
            }));
        }
        let wake_at = self.next_timer();
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

async fn end_run<J: Journal>(journal: &mut J, mut events: Vec<RunEvent>, end: &RunEnd, at: Time) -> Result<Departure> {
    events.push(RunEvent { at, kind: end.event() });
    Ok(match journal.end(&events, end).await? {
        Hold::Held => Departure::Ended,
        Hold::Lost => Departure::Lost,
    })
}
