//! Retries of runs that have ended: what a new run takes over from the log of the one before.

use std::collections::HashSet;

use super::restore::find_path;
use crate::compile::ExecutionPlan;
use crate::run::StepPath;
use domain::Result;
use domain::run::{RunEvent, RunEventKind};

/// The events of a log with which a new run begins: its input, and the results and decisions of the steps that are not
/// repeated. Repeated are the step that failed and what was in progress. With `from`, that step and all that follow it
/// are repeated, too. If one of them is in a loop, it is repeated in each iteration.
pub fn kept_events(plan: &ExecutionPlan, log: Vec<RunEvent>, from: Option<usize>) -> Result<Vec<RunEventKind>> {
    let repeated = from.map(|step| plan.downstream(step)).unwrap_or_default();
    let culprits = culprits(plan, &log)?;
    let mut kept = Vec::new();
    for RunEvent { kind, .. } in log {
        let is_kept = match &kind {
            RunEventKind::RunQueued { .. } => true,
            RunEventKind::StepCompleted { step, .. }
            | RunEventKind::StepFailed { step, .. }
            | RunEventKind::StepSkipped { step }
            | RunEventKind::BranchWon { step, .. } => {
                let path = find_path(plan, step)?;
                !repeated.contains(&path.step) && !culprits.contains(&path.without_call())
            }
            _ => false,
        };
        if is_kept {
            kept.push(kind);
        }
    }
    Ok(kept)
}

/// The steps because of which the run failed: the one at the top, and the ones in it that it did not recover from.
fn culprits(plan: &ExecutionPlan, log: &[RunEvent]) -> Result<HashSet<StepPath>> {
    let failed_node = log.iter().find_map(|event| match &event.kind {
        RunEventKind::RunFailed { error } => error.node_id.as_deref(),
        _ => None,
    });
    let Some(failed) = failed_node.and_then(|id| plan.find_step(id)) else { return Ok(HashSet::new()) };
    let (mut failures, mut completed) = (Vec::new(), HashSet::new());
    for event in log {
        match &event.kind {
            RunEventKind::StepFailed { step, .. } => failures.push(find_path(plan, step)?),
            RunEventKind::StepCompleted { step, .. } => drop(completed.insert(find_path(plan, step)?)),
            _ => {}
        }
    }
    let is_culprit = |path: &StepPath| {
        let steps = path.with_enclosing();
        steps.last().is_some_and(|top| top.step == failed) && steps.iter().all(|step| !completed.contains(step))
    };
    Ok(failures.into_iter().filter(|path| path.call.is_none() && is_culprit(path)).collect())
}
