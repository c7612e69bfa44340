//! Takes over the effects that become due, in a new run and after a crash.

use super::Effects;
use super::restore::Begun;
use super::state::{Active, Driver, Ready, Stage};
use super::waits::{delay_until, outcome_unknown};
use crate::nodes::DueWork;
use crate::run::{DueEffect, StepError, StepPath};
use domain::run::{MAX_CRASHES, OnUncertain, RunEventKind};

/// An attempt that has begun this many times is suspected of crashing its processes.
const SUSPECT_AFTER: u32 = 3;

impl<E: Effects> Driver<'_, E> {
    /// Takes over an effect that became due. Returns an error if the effect fails before its first attempt.
    pub fn activate(&mut self, effect: DueEffect) -> Result<(), (StepPath, StepError)> {
        let path = effect.path.clone();
        let stage = match self.begun.remove(&path) {
            None => self.first_stage(&effect),
            Some(Begun::Attempt { attempt, times }) => self.uncertain_stage(&effect, attempt, times),
            Some(Begun::Retry { attempt, at }) => Ok(Stage::Retry { attempt, at, is_suspect: false }),
            Some(Begun::Delay { until }) => Ok(Stage::Delay { until }),
            Some(Begun::Review { expires_at, uncertain }) => Ok(Stage::Review { expires_at, uncertain }),
            Some(Begun::Call { attempt, run_id, until }) => Ok(Stage::Call { attempt, run_id, until }),
        };
        let stage = stage.map_err(|error| (path.clone(), error))?;
        let bytes = 2 * effect.work.memory();
        self.active.insert(path, Active { effect, bytes, stage });
        Ok(())
    }

    fn first_stage(&mut self, effect: &DueEffect) -> Result<Stage, StepError> {
        match &effect.work {
            DueWork::Delay(delay) => {
                let (step, until) = (self.display(&effect.path), delay_until(delay, self.now())?);
                let until = if self.execution.plan().skips_delays() { self.now() } else { until };
                self.record(RunEventKind::StepDelayed { step, until });
                Ok(Stage::Delay { until })
            }
            DueWork::Ask(_) => Ok(Stage::Unasked { uncertain: None }),
            DueWork::Perform(_) => Ok(Stage::Ready(Ready::new(1))),
        }
    }

    /// A crash left in doubt whether an attempt took place.
    fn uncertain_stage(&self, effect: &DueEffect, attempt: u32, times: u32) -> Result<Stage, StepError> {
        match self.on_uncertain(&effect.path, &effect.work) {
            OnUncertain::Retry if times > MAX_CRASHES => {
                let message = format!("the platform stopped {times} times while the step was in progress");
                Err(StepError::new("crashed", message))
            }
            // `times` comes from the log, so commits of other branches do not reset it.
            OnUncertain::Retry => Ok(Stage::Ready(Ready { is_suspect: times >= SUSPECT_AFTER, ..Ready::new(attempt) })),
            OnUncertain::Fail => Err(outcome_unknown()),
            OnUncertain::Ask => Ok(Stage::Unasked { uncertain: Some(attempt) }),
        }
    }
}
