//! Reads a run's log: the results of its effects, its decisions, how far each other effect has come, and which of the
//! events that the execution computes again are stored.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use super::events::EventKey;
use super::masks::Masks;
use super::{Commit, TIMEOUT};
use crate::compile::ExecutionPlan;
use crate::run::{Decision, History, StepError, StepOutcome, StepPath, is_effect};
use domain::id::RunId;
use domain::run::{RunEvent, RunEventKind, RunValue};
use domain::time::Time;
use domain::{Error, Result};

#[derive(Default)]
pub struct Restored {
    pub input: Value,
    pub history: History,
    /// The effects that have begun and have no result.
    pub begun: BTreeMap<StepPath, Begun>,
    /// The runs to stop and the reviews to cancel, because their steps have ended. A process may have crashed after it
    /// stored those ends and before it did this.
    pub follow_up: Commit,
    /// The masked parts of the values of the log.
    pub masks: Masks,
    /// The computed events that the log has. A result may be stored without the events that follow from it.
    pub stored: HashSet<EventKey>,
}

/// How far an effect without a result has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Begun {
    /// This attempt may have taken place. It has begun this many times, without those that an orderly stop interrupted.
    Attempt {
        attempt: u32,
        times: u32,
    },
    /// This attempt begins at a time.
    Retry {
        attempt: u32,
        at: Time,
    },
    Delay {
        until: Time,
    },
    /// A person is asked: for a review, or whether an attempt took place.
    Review {
        expires_at: Time,
        uncertain: Option<u32>,
    },
    /// Another run is in progress.
    Call {
        attempt: u32,
        run_id: RunId,
        until: Option<Time>,
    },
}

impl Begun {
    /// The run that the effect waits for.
    pub fn run_id(&self) -> Option<RunId> {
        match self {
            Self::Call { run_id, .. } => Some(*run_id),
            _ => None,
        }
    }
}

pub fn restore(plan: &ExecutionPlan, log: Vec<RunEvent>) -> Result<Restored> {
    let mut restored = Restored::default();
    let mut done = HashSet::new();
    for event in log {
        if let RunEventKind::RunQueued { input } = event.kind {
            restored.input = restored.load(input)?;
            continue;
        }
        restored.stored.extend(EventKey::new(&event.kind));
        restored.read(plan, event.kind, &mut done)?;
    }
    restored.begun.retain(|path, _| !done.contains(path));
    Ok(restored)
}

impl Restored {
    /// A value of the log. The journal has loaded it, if it is large.
    fn load(&mut self, value: RunValue) -> Result<Value> {
        match value {
            RunValue::Value(mut value) => {
                self.masks.unmask(&mut value);
                Ok(value)
            }
            RunValue::Object(object) => Err(Error::internal(format!("the value {object} was not loaded"))),
        }
    }

    /// With any other error, the run that the step waited for has ended.
    fn stop_after_timeout(&mut self, begun: Option<Begun>, error: &StepError) {
        self.follow_up.stopped.extend(begun.and_then(|begun| begun.run_id()).filter(|_| error.code == TIMEOUT));
    }

    fn read(&mut self, plan: &ExecutionPlan, kind: RunEventKind, done: &mut HashSet<StepPath>) -> Result<()> {
        let find = |step: &str| find_path(plan, step);
        match kind {
            RunEventKind::StepStarted { step, attempt, .. } => {
                let path = find(&step)?;
                let times = match self.begun.get(&path) {
                    Some(Begun::Attempt { attempt: before, times }) if *before == attempt => times + 1,
                    _ => 1,
                };
                self.begun.insert(path, Begun::Attempt { attempt, times });
            }
            RunEventKind::StepInterrupted { step, .. } => {
                if let Some(Begun::Attempt { times, .. }) = self.begun.get_mut(&find(&step)?) {
                    *times = times.saturating_sub(1);
                }
            }
            RunEventKind::StepRetried { step, attempt, error, next_at } => {
                let begun = self.begun.insert(find(&step)?, Begun::Retry { attempt: attempt + 1, at: next_at });
                self.stop_after_timeout(begun, &error);
            }
            RunEventKind::StepDelayed { step, until } => {
                self.begun.insert(find(&step)?, Begun::Delay { until });
            }
            RunEventKind::StepAsked { step, expires_at, .. } => {
                let path = find(&step)?;
                let uncertain = match self.begun.get(&path) {
                    Some(Begun::Attempt { attempt, .. }) => Some(*attempt),
                    _ => None,
                };
                self.begun.insert(path, Begun::Review { expires_at, uncertain });
            }
            RunEventKind::StepCalled { step, attempt, run_id, until } => {
                self.begun.insert(find(&step)?, Begun::Call { attempt, run_id, until });
            }
            RunEventKind::StepCompleted { step, port, output, chosen } => {
                let path = find(&step)?;
                if chosen {
                    self.history.decisions.insert(path, Decision::Port(port));
                } else if let Some(output) = output
                    && done.insert(path.clone())
                {
                    let output = self.load(output)?;
                    self.history.results.push((path, Ok(StepOutcome::new(port, output))));
                }
            }
            RunEventKind::StepFailed { step, error } => {
                let path = find(&step)?;
                let begun = self.begun.remove(&path);
                self.stop_after_timeout(begun, &error);
                if is_effect(plan, &path) && done.insert(path.clone()) {
                    self.history.results.push((path, Err(error)));
                }
            }
            RunEventKind::BranchWon { step, connection } => {
                self.history.decisions.insert(find(&step)?, Decision::Winner(connection));
            }
            RunEventKind::StepCanceled { step } => match self.begun.remove(&find(&step)?) {
                Some(Begun::Review { .. }) => self.follow_up.canceled.push(step),
                Some(Begun::Call { run_id, .. }) => self.follow_up.stopped.push(run_id),
                _ => {}
            },
            RunEventKind::RunQueued { .. }
            | RunEventKind::StepSkipped { .. }
            | RunEventKind::RunCompleted { .. }
            | RunEventKind::RunFailed { .. }
            | RunEventKind::RunCancelled => {}
        }
        Ok(())
    }
}

pub fn find_path(plan: &ExecutionPlan, step: &str) -> Result<StepPath> {
    StepPath::parse(step, plan).ok_or_else(|| Error::internal(format!("the log names an unknown step {step}")))
}
