//! Translates the events of an execution into those of the log, and recognizes those that the log already has.

use std::collections::HashSet;
use std::mem::{Discriminant, discriminant};

use crate::compile::ExecutionPlan;
use crate::nodes::ERROR;
use crate::run::{Decision, StepEvent, StepPath, is_effect};
use domain::run::{RunEventKind, RunValue};

/// The outputs of steps without effects are left out, because they are computed again from those of the effects. The log
/// of a preview has no outputs, because nobody continues it.
pub fn to_log(plan: &ExecutionPlan, events: Vec<StepEvent>) -> Vec<RunEventKind> {
    let (mut log, mut chosen, mut failed) = (Vec::new(), HashSet::new(), HashSet::new());
    for event in events {
        match event {
            // The driver writes when each attempt of an effect begins. Other steps complete as soon as they start.
            // What scripts write is computed again for the trace.
            StepEvent::Started { .. } | StepEvent::Printed { .. } => {}
            StepEvent::Decided { path, decision: Decision::Port(_) } => drop(chosen.insert(path)),
            StepEvent::Decided { path, decision: Decision::Winner(connection) } => {
                log.push(RunEventKind::BranchWon { step: path.display(plan), connection });
            }
            StepEvent::Completed { path, outcome } => {
                let is_stored = is_effect(plan, &path) && !plan.is_preview();
                let has_result = is_stored && !failed.contains(&path) && outcome.port != ERROR;
                log.push(RunEventKind::StepCompleted {
                    step: path.display(plan),
                    port: outcome.port,
                    output: has_result.then(|| RunValue::Value((*outcome.value).clone())),
                    chosen: chosen.contains(&path),
                });
            }
            StepEvent::Failed { path, error } => {
                log.push(RunEventKind::StepFailed { step: path.display(plan), error });
                failed.insert(path);
            }
            StepEvent::Skipped { path } => log.push(RunEventKind::StepSkipped { step: path.display(plan) }),
            StepEvent::Canceled { path } => log.push(RunEventKind::StepCanceled { step: path.display(plan) }),
        }
    }
    log
}

/// Identifies an event that an execution computes. It happens at most once in a run.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct EventKey(Discriminant<RunEventKind>, String);

impl EventKey {
    /// None for the events that only the driver records.
    pub fn new(kind: &RunEventKind) -> Option<Self> {
        match kind {
            RunEventKind::StepCompleted { step, .. }
            | RunEventKind::StepFailed { step, .. }
            | RunEventKind::StepSkipped { step }
            | RunEventKind::StepCanceled { step }
            | RunEventKind::BranchWon { step, .. } => Some(Self(discriminant(kind), step.clone())),
            _ => None,
        }
    }
}

/// The steps that the events cancel.
pub fn canceled(events: &[StepEvent]) -> Vec<StepPath> {
    let canceled = events.iter().filter_map(|event| match event {
        StepEvent::Canceled { path } => Some(path.clone()),
        _ => None,
    });
    canceled.collect()
}
