//! Runs that need no effect. They end at once, so nothing about them has to be stored before their end.

use std::sync::Arc;

use super::events::to_log;
use crate::compile::ExecutionPlan;
use crate::run::{Execution, History, RunStart};
use domain::run::{RunEnd, RunEventKind};

/// The end of a run, and what happened from its beginning to its end.
#[derive(Debug)]
pub struct PureRun {
    pub events: Vec<RunEventKind>,
    pub end: RunEnd,
}

/// Carries out a run from its beginning to its end. Returns `None` if the run needs an effect: nothing has happened then,
/// and a worker can carry it out from the beginning.
pub fn carry_out_pure(plan: Arc<ExecutionPlan>, start: RunStart) -> Option<PureRun> {
    let mut execution = Execution::new(plan, start, History::default());
    let events = execution.take_events();
    let end = execution.end().cloned()?;
    Some(PureRun { events: to_log(execution.plan(), events), end })
}
