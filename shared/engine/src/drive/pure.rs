//! Runs that need no effect. They end at once, so nothing about them has to be stored before their end.

use std::sync::Arc;

use super::events::to_log;
use super::limits::Limits;
use super::masks::Masks;
use crate::compile::ExecutionPlan;
use crate::run::{Execution, History, RunStart};
use crate::value_size::measure;
use domain::run::{RunEnd, RunEventKind};

/// The caller of the webhook waits. A worker carries out a longer run.
const LIMITS: Limits = Limits { bytes: 32 * 1024 * 1024, ..Limits::SHOWN };

/// The end of a run, and what happened from its beginning to its end. All is masked, except the output in `end`.
#[derive(Debug)]
pub struct PureRun {
    pub events: Vec<RunEventKind>,
    pub end: RunEnd,
}

/// What became of a run without effects. Nothing has happened outside, so any process can carry it out from the beginning.
#[derive(Debug)]
pub enum PureOutcome {
    Ended(PureRun),
    /// A step needs an effect.
    NeedsEffect,
    /// The run needs too much work or memory, or an interpreter.
    NeedsWorker,
}

/// Carries out a run from its beginning to its end, if it needs no effect.
pub fn carry_out_pure(plan: Arc<ExecutionPlan>, start: RunStart) -> PureOutcome {
    carry_out_within(LIMITS, plan, start)
}

pub fn carry_out_within(limits: Limits, plan: Arc<ExecutionPlan>, mut start: RunStart) -> PureOutcome {
    if !plan.can_execute() {
        return PureOutcome::NeedsWorker;
    }
    let mut masks = Masks::default();
    masks.unmask(&mut start.input);
    let mut execution = Execution::new(plan, start, History::default());
    if !limits.settle(&mut execution) {
        return PureOutcome::NeedsWorker;
    }
    let Some(end) = execution.end().cloned() else { return PureOutcome::NeedsEffect };
    let events = execution.take_events();
    let plan = execution.plan();
    masks.observe(plan, &events);
    let end = masks.hide_in_end(&end).into_owned();
    let mut events = to_log(plan, events);
    events.iter_mut().for_each(|event| masks.mask_event(plan, event));
    events.push(masks.end_event(plan, &end));
    // The events are stored in one transaction, so they are limited to the size of a value.
    match measure(&events) {
        Some(_) => PureOutcome::Ended(PureRun { events, end }),
        None => PureOutcome::NeedsWorker,
    }
}
