//! The loop of the driver: collect events, store them, perform effects, wait for one to end.

use std::collections::{BTreeMap, VecDeque};

use futures::future::FutureExt;
use futures::stream::{FuturesUnordered, StreamExt};

use super::events::{EventKey, canceled, to_log};
use super::limits::Limits;
use super::masks::Masks;
use super::restore::{Begun, restore};
use super::state::{Driver, Stage};
use super::{ClaimedRun, Commit, Departure, Effects, Journal, Shift};
use crate::compile::ExecutionPlan;
use crate::run::{Execution, RunStart, StepError, StepEvent, StepOutcome, StepPath};
use domain::Result;
use domain::run::{Hold, MAX_CRASHES, RunEnd, RunError, RunEvent, RunEventKind};
use domain::time::Time;

/// Carries out a run until it ends or must wait, or until the shift ends.
pub async fn drive<J: Journal, E: Effects>(
    run: ClaimedRun,
    shift: Shift,
    journal: &mut J,
    effects: &E,
) -> Result<Departure> {
    drive_within(Limits::RUN, run, shift, journal, effects).await
}

pub async fn drive_within<J: Journal, E: Effects>(
    limits: Limits,
    run: ClaimedRun,
    shift: Shift,
    journal: &mut J,
    effects: &E,
) -> Result<Departure> {
    let ClaimedRun { facts, plan, trigger, log, crashes } = run;
    if !plan.can_execute() {
        // The run needs a process that runs scripts.
        return leave_to_next(journal).await;
    }
    let restored = restore(&plan, log)?;
    if crashes > MAX_CRASHES {
        let attempt = restored.begun.iter().find(|(_, begun)| matches!(begun, Begun::Attempt { .. }));
        let step = attempt.map_or(trigger, |(path, _)| path.step);
        let message = format!("the platform stopped {crashes} times in a row while the run was in progress here");
        let node_id = Some(plan.steps[step].id.clone());
        let end = RunEnd::Failed(RunError { code: "crashed".to_owned(), message, node_id });
        let mut follow_up = restored.follow_up;
        follow_up.stopped.extend(restored.begun.values().filter_map(Begun::run_id));
        let reviews = restored.begun.iter().filter(|(_, begun)| matches!(begun, Begun::Review { .. }));
        follow_up.canceled.extend(reviews.map(|(path, _)| path.display(&plan)));
        if !follow_up.is_empty() && journal.commit(&follow_up).await? == Hold::Lost {
            return Ok(Departure::Lost);
        }
        return end_run(journal, &plan, &restored.masks, Vec::new(), &end, shift.clock.now()).await;
    }
    let (id, queued_at) = (facts.id.clone(), facts.queued_at);
    let start = RunStart { facts, trigger, input: restored.input };
    let execution = Execution::new(plan, start, restored.history);
    let mut driver = Driver {
        run_id: id,
        next_look: shift.clock.now(),
        shift,
        limits,
        ends_by: queued_at.plus(limits.time),
        pause_at: limits.slice,
        execution,
        effects,
        begun: restored.begun,
        stored: restored.stored,
        active: BTreeMap::new(),
        in_progress: FuturesUnordered::new(),
        results: VecDeque::new(),
        masks: restored.masks,
        interrupts_at: None,
        suspect_permit: None,
        // A process that did not crash has followed up itself.
        pending: if crashes > 0 { restored.follow_up } else { Commit::default() },
    };
    driver.carry_out(journal).await
}

impl<'a, E: Effects> Driver<'a, E> {
    async fn carry_out<J: Journal>(&mut self, journal: &mut J) -> Result<Departure> {
        loop {
            self.notice_stop();
            self.collect();
            if let Some(end) = self.end() {
                if self.execution.end().is_none() {
                    // The run exceeds a limit, so nobody waits for the runs that it was about to start.
                    self.pending.stopped.extend(self.pending.started.iter().map(|new| new.id));
                }
                // Nobody holds the run after its end, so the changes of other runs and of reviews are stored before it.
                if self.pending.concerns_others() && self.commit(journal).await? == Hold::Lost {
                    return Ok(Departure::Lost);
                }
                let events = std::mem::take(&mut self.pending.events);
                return end_run(journal, self.execution.plan(), &self.masks, events, &end, self.now()).await;
            }
            if self.needs_pause() {
                if let Some(departure) = self.pause(journal).await? {
                    return Ok(departure);
                }
                continue;
            }
            self.open_reviews();
            if self.execution.has_more() || self.execution.end().is_some() {
                continue;
            }
            let ready = self.record_intents();
            if ready.is_empty() && self.has_ready() && journal.is_new() {
                // Nothing has happened outside, so the next process begins again.
                self.pending = Commit::default();
                return self.hand_over(journal).await;
            }
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

    pub(super) fn record(&mut self, mut kind: RunEventKind) {
        self.masks.mask_event(self.execution.plan(), &mut kind);
        let at = self.now();
        self.pending.events.push(RunEvent { at, kind });
    }

    pub(super) fn display(&self, path: &StepPath) -> String {
        path.display(self.execution.plan())
    }

    /// Runs steps until the next pause, and processes the new events and the due effects of the execution.
    fn collect(&mut self) {
        loop {
            self.execution.settle(self.pause_at);
            self.collect_events();
            // An effect that fails at once may cancel others, so all of them are known first.
            let due = self.execution.take_due();
            let failed: Vec<_> = due.into_iter().filter_map(|effect| self.activate(effect).err()).collect();
            if failed.is_empty() {
                return;
            }
            for (path, error) in failed {
                self.execution.finish(&path, Err(error));
            }
        }
    }

    fn collect_events(&mut self) {
        let events = self.execution.take_events();
        self.effects.observe(self.execution.plan(), &events);
        for path in canceled(&events) {
            match self.active.remove(&path).map(|active| active.stage) {
                Some(Stage::InProgress { abort, .. }) => abort.abort(),
                Some(Stage::Review { .. }) => self.cancel_review(self.display(&path)),
                Some(Stage::Call { run_id, .. }) => self.pending.stopped.push(run_id),
                Some(_) => {}
                None => self.cancel_begun(&path),
            }
        }
        self.record_events(events);
    }

    /// Records the events that the log does not have.
    pub(super) fn record_events(&mut self, events: Vec<StepEvent>) {
        self.masks.observe(self.execution.plan(), &events);
        for kind in to_log(self.execution.plan(), events) {
            let is_stored = !self.stored.is_empty() && EventKey::new(&kind).is_some_and(|key| self.stored.remove(&key));
            if !is_stored {
                self.record(kind);
            }
        }
    }

    /// Cancels what an earlier process began, if it stopped before it could cancel it itself.
    fn cancel_begun(&mut self, path: &StepPath) {
        match self.begun.remove(path) {
            Some(Begun::Review { .. }) => self.cancel_review(self.display(path)),
            Some(Begun::Call { run_id, .. }) => self.pending.stopped.push(run_id),
            _ => {}
        }
    }

    pub(super) fn finish(&mut self, path: &StepPath, mut result: Result<StepOutcome, StepError>) {
        if let Err(error) = &mut result {
            // The next process reads the error from the log, so this one passes on the same.
            self.masks.hide_in_error(error);
        }
        self.active.remove(path);
        let is_settled = !self.execution.has_more();
        self.execution.finish(path, result);
        if is_settled {
            self.collect();
        }
    }

    pub(super) fn set_stage(&mut self, path: &StepPath, stage: Stage) {
        if let Some(active) = self.active.get_mut(path) {
            active.stage = stage;
        }
    }

    /// Stores the pending events. Effects in progress go on meanwhile.
    pub(super) async fn commit<J: Journal>(&mut self, journal: &mut J) -> Result<Hold> {
        let pending = std::mem::take(&mut self.pending);
        self.wait_for(journal.commit(&pending)).await
    }

    /// Waits for the journal. Effects in progress go on meanwhile, so that none of them misses its timeout.
    pub(super) async fn wait_for<T>(&mut self, work: impl Future<Output = T>) -> T {
        let work = work.fuse();
        futures::pin_mut!(work);
        loop {
            futures::select_biased! {
                done = work => return done,
                result = self.in_progress.select_next_some() => self.results.extend(result.ok()),
            }
        }
    }
}

/// Leaves the run to the next process.
pub(super) async fn leave_to_next<J: Journal>(journal: &mut J) -> Result<Departure> {
    Ok(match journal.hand_over().await? {
        Hold::Held => Departure::HandedOver,
        Hold::Lost => Departure::Lost,
    })
}

async fn end_run<J: Journal>(
    journal: &mut J,
    plan: &ExecutionPlan,
    masks: &Masks,
    mut events: Vec<RunEvent>,
    end: &RunEnd,
    at: Time,
) -> Result<Departure> {
    let end = masks.hide_in_end(end);
    events.push(RunEvent { at, kind: masks.end_event(plan, &end) });
    Ok(match journal.end(&events, &end).await? {
        Hold::Held => Departure::Ended,
        Hold::Lost => Departure::Lost,
    })
}
