//! Attempts of effects: their intents, their performance, and what their results mean.

use std::sync::Arc;
use std::time::Duration;

use futures::future::{AbortHandle, Abortable, FutureExt};
use serde_json::json;
use tokio::time;

use super::state::{AttemptResult, Driver, MARGIN, Ready, Stage};
use super::{Effect, EffectError, EffectOutcome, Effects, RetryHint, TIMEOUT};
use crate::nodes::policy::Retry;
use crate::nodes::{DueWork, Operation};
use crate::run::{StepError, StepOutcome, StepPath};
use domain::graph::hash;
use domain::run::{NewRun, OnUncertain, RunEventKind};

/// The maximum number of attempts in progress at once.
const MAX_IN_PROGRESS: usize = 100;
/// How long a suspect waits while another run of the process performs one.
const SUSPECT_PAUSE: Duration = Duration::from_secs(60);
/// The longest wait that a `Retry-After` can cause; a longer one is shortened.
const LONGEST_BACKOFF: Duration = Duration::from_secs(24 * 60 * 60);

impl<E: Effects> Driver<'_, E> {
    /// Records the intents of the attempts that can begin, and returns their paths.
    pub fn record_intents(&mut self) -> Vec<StepPath> {
        if self.needs_other_process() {
            return Vec::new();
        }
        let ready = self.active.iter().filter_map(|(path, active)| match active.stage {
            Stage::Ready(ready) => Some((path.clone(), ready)),
            _ => None,
        });
        let mut ready: Vec<_> = ready.filter(|(path, _)| self.has_time(path, MARGIN)).collect();
        let suspect = ready.iter().position(|(_, ready)| ready.is_suspect);
        if let Some(suspect) = suspect {
            ready.swap(0, suspect);
        }
        let room = self.room(suspect.is_some());
        if suspect.is_some() && room > 0 && !self.may_perform_suspect() {
            let (path, Ready { attempt, .. }) = ready.swap_remove(0);
            self.set_stage(&path, Stage::Retry { attempt, at: self.now().plus(SUSPECT_PAUSE), is_suspect: true });
            return self.record_intents();
        }
        ready.truncate(room);
        for (path, Ready { attempt, .. }) in ready.iter().filter(|(_, ready)| !ready.is_stored) {
            let (step, attempt) = (self.display(path), *attempt);
            let action = self.active.get(path).and_then(|active| active.effect.action.clone());
            self.record(RunEventKind::StepStarted { step, attempt, action });
        }
        ready.into_iter().map(|(path, _)| path).collect()
    }

    /// Whether an effect is ready that this process cannot perform. No other effect begins then, so that the run is soon left.
    fn needs_other_process(&self) -> bool {
        self.active.values().any(|active| match (&active.stage, &active.effect.work) {
            (Stage::Ready(_), DueWork::Perform(operation)) => !self.effects.can_perform(operation),
            _ => false,
        })
    }

    /// How many attempts may begin. A suspect is performed alone, so that the next crash is not blamed on others.
    fn room(&self, is_for_suspect: bool) -> usize {
        let in_progress = self.active.values().filter_map(|active| match active.stage {
            Stage::InProgress { is_suspect, .. } => Some(is_suspect),
            _ => None,
        });
        let in_progress: Vec<bool> = in_progress.collect();
        match in_progress.contains(&true) || is_for_suspect {
            true => usize::from(in_progress.is_empty()),
            false => MAX_IN_PROGRESS.saturating_sub(in_progress.len()),
        }
    }

    /// Whether no other run of this process performs a suspect.
    fn may_perform_suspect(&mut self) -> bool {
        if self.suspect_permit.is_none() {
            // A canceled suspect keeps its permit until its result is collected.
            self.collect_results();
            self.suspect_permit = self.shift.suspects.try_enter();
        }
        self.suspect_permit.is_some()
    }

    /// Whether the shift is long enough for an attempt.
    fn has_time(&self, path: &StepPath, margin: Duration) -> bool {
        self.now().plus(self.timeout_of(path) + margin) <= self.shift.ends_at
    }

    fn timeout_of(&self, path: &StepPath) -> Duration {
        let step = &self.execution.plan().steps[path.step];
        let Some(operation) = self.operation_of(path) else { return Duration::ZERO };
        let default = operation.defaults().timeout;
        match &**operation {
            // The timeout of the node limits the wait for the run that the attempt starts.
            Operation::Workflow(_) => default,
            _ => step.policy.timeout_ms.map_or(default, Duration::from_millis),
        }
    }

    /// What follows if it is unknown whether an attempt took place.
    pub fn on_uncertain(&self, path: &StepPath, work: &DueWork) -> OnUncertain {
        match work {
            DueWork::Perform(operation) => {
                operation.on_uncertain(self.execution.plan().steps[path.step].policy.on_uncertain)
            }
            DueWork::Delay(_) | DueWork::Ask(_) => OnUncertain::Retry,
        }
    }

    /// The operation of an effect that is due; none if it waits.
    fn operation_of(&self, path: &StepPath) -> Option<&Arc<Operation>> {
        match &self.active.get(path)?.effect.work {
            DueWork::Perform(operation) => Some(operation),
            DueWork::Delay(_) | DueWork::Ask(_) => None,
        }
    }

    fn retry_of(&self, path: &StepPath) -> Retry {
        let step = &self.execution.plan().steps[path.step];
        let default = Retry { max_attempts: step.node_type.attempts, ..Retry::default() };
        step.policy.retry.unwrap_or(default)
    }

    pub fn perform(&mut self, path: StepPath) {
        // Storing the intent may have taken so long that the claim expires before the timeout.
        let has_time = self.has_time(&path, MARGIN / 2);
        let (step, timeout, retry) = (self.display(&path), self.timeout_of(&path), self.retry_of(&path));
        let Some(operation) = self.operation_of(&path).cloned() else { return };
        let Some(active) = self.active.get_mut(&path) else { return };
        let Stage::Ready(ready) = &mut active.stage else { return };
        let Ready { attempt, is_suspect, .. } = *ready;
        if !has_time {
            ready.is_stored = true;
            return;
        }
        let idempotency_key = hash(&json!([self.run_id, step, attempt]));
        let call = self.effects.perform(Effect {
            step,
            operation,
            attempt,
            is_last_attempt: retry.wait_after(attempt).is_none(),
            timeout,
            idempotency_key,
        });
        let (abort, registration) = AbortHandle::new_pair();
        active.stage = Stage::InProgress { attempt, abort, is_suspect };
        let permit = if is_suspect { self.suspect_permit.take() } else { None };
        let attempt = async move {
            let _permit = permit;
            let result = time::timeout(timeout, call).await.unwrap_or_else(|_| Err(timed_out(timeout)));
            (path, result)
        };
        self.in_progress.push(Abortable::new(attempt.boxed(), registration));
    }

    /// Applies the result of an attempt.
    pub fn apply(&mut self, path: &StepPath, result: AttemptResult) {
        let Some(Stage::InProgress { attempt, .. }) = self.active.get(path).map(|active| active.stage.clone()) else {
            return;
        };
        match result {
            Ok(EffectOutcome::Completed(outcome)) => self.conclude(path, attempt, Ok(outcome)),
            Ok(EffectOutcome::Call(new)) => self.call(path, attempt, *new),
            Err(error) => self.conclude(path, attempt, Err(error)),
        }
    }

    /// Starts another run, for whose end the step waits. A timeout of the node limits the whole wait.
    fn call(&mut self, path: &StepPath, attempt: u32, mut new: NewRun) {
        self.masks.mask_value(&mut new.input);
        let timeout = self.execution.plan().steps[path.step].policy.timeout_ms;
        let until = timeout.map(|timeout| self.now().plus(Duration::from_millis(timeout)));
        let (step, run_id) = (self.display(path), new.id);
        self.record(RunEventKind::StepCalled { step, attempt, run_id, until });
        self.pending.started.push(new);
        self.set_stage(path, Stage::Call { attempt, run_id, until });
    }

    /// Ends an attempt. A failed one may be followed by another.
    pub fn conclude(&mut self, path: &StepPath, attempt: u32, result: Result<StepOutcome, EffectError>) {
        let Some(active) = self.active.get(path) else { return };
        let result = match result {
            Ok(outcome) => Ok(outcome),
            Err(EffectError { error, retry }) => {
                let retry = match retry {
                    RetryHint::Uncertain => match self.on_uncertain(path, &active.effect.work) {
                        OnUncertain::Retry => RetryHint::After(Duration::ZERO),
                        OnUncertain::Fail => RetryHint::Never,
                        OnUncertain::Ask => {
                            return self.set_stage(path, Stage::Unasked { uncertain: Some(attempt) });
                        }
                    },
                    retry => retry,
                };
                if let (RetryHint::After(least), Some(wait)) = (retry, self.retry_of(path).wait_after(attempt)) {
                    let (step, next_at) = (self.display(path), self.now().plus(wait.max(least.min(LONGEST_BACKOFF))));
                    self.record(RunEventKind::StepRetried { step, attempt, error, next_at });
                    return self.set_stage(path, Stage::Retry { attempt: attempt + 1, at: next_at, is_suspect: false });
                }
                Err(error)
            }
        };
        self.finish(path, result);
    }
}

fn timed_out(timeout: Duration) -> EffectError {
    let message = format!("the attempt took longer than {} ms", timeout.as_millis());
    EffectError { error: StepError::new(TIMEOUT, message), retry: RetryHint::Uncertain }
}
