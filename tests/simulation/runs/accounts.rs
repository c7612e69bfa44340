//! What really happened: the committed logs, the effects that took place, and the answers that people received.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use domain::id::RunId;
use domain::run::{RunEvent, RunEventKind};
use engine::nodes::Operation;
use serde_json::Value;

use super::oracle::Oracle;
use crate::machine::report::Findings;

#[derive(Default)]
pub struct Accounts {
    pub findings: Findings<Oracle>,
    pub runs: BTreeMap<RunId, RunAccount>,
}

#[derive(Default)]
pub struct RunAccount {
    /// The committed events, each with the true time of its commit.
    pub log: Vec<(Duration, RunEvent)>,
    /// The head as it is stored.
    pub head: Value,
    pub performed: Vec<Performed>,
    /// The number of events when the run was stopped and the stop acknowledged.
    pub stopped_after: Option<usize>,
    /// When answers to reviews were stored, by step.
    pub answers: BTreeMap<String, Vec<Duration>>,
    /// The steps whose reviews are open.
    pub open_reviews: BTreeSet<String>,
    pub has_poison: bool,
    /// A client started the run, or a step of another run.
    pub is_started: bool,
}

/// An attempt that a worker began.
#[derive(Clone, Debug)]
pub struct Performed {
    pub step: String,
    pub attempt: u32,
    pub key: String,
    pub operation: Arc<Operation>,
}

impl RunAccount {
    pub fn is_stored(&self) -> bool {
        self.head.is_object()
    }

    pub fn epoch(&self) -> u64 {
        self.head["epoch"].as_u64().unwrap_or_default()
    }

    pub fn state(&self) -> &str {
        self.head["state"].as_str().unwrap_or_default()
    }

    pub fn has_ended(&self) -> bool {
        matches!(self.state(), "completed" | "failed" | "cancelled")
    }

    pub fn kinds(&self) -> impl Iterator<Item = &RunEventKind> {
        self.log.iter().map(|(_, event)| &event.kind)
    }

    /// The run and the step that wait for this one.
    pub fn parent(&self) -> Option<(RunId, &str)> {
        let parent = self.head["parent"].as_object()?;
        Some((parent["run"].as_str()?.parse().ok()?, parent["step"].as_str()?))
    }

    /// When a run that a step has started is no longer needed.
    pub fn dropped_at(&self, run: RunId) -> Option<Duration> {
        let mut of_step = None;
        for (at, event) in &self.log {
            match &event.kind {
                RunEventKind::StepCalled { step, run_id, .. } if *run_id == run => of_step = Some(step),
                RunEventKind::StepCanceled { step } | RunEventKind::StepFailed { step, .. }
                    if of_step == Some(step) =>
                {
                    return Some(*at);
                }
                RunEventKind::StepRetried { step, .. } if of_step == Some(step) => return Some(*at),
                RunEventKind::RunFailed { .. } | RunEventKind::RunCancelled => return Some(*at),
                _ => {}
            }
        }
        None
    }

    /// Whether the intent of an attempt is in the log.
    pub fn has_intent(&self, of: &str, number: u32) -> bool {
        self.kinds().any(
            |kind| matches!(kind, RunEventKind::StepStarted { step, attempt, .. } if step == of && *attempt == number),
        )
    }

    /// Whether the result of a step is in the log.
    pub fn has_result(&self, of: &str) -> bool {
        self.kinds().any(|kind| match kind {
            RunEventKind::StepCompleted { step, .. } | RunEventKind::StepFailed { step, .. } => step == of,
            _ => false,
        })
    }
}
