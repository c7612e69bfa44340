//! The answers that steps wait for: those of people, and the ends of runs that steps have started.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::state::{Driver, Stage};
use super::{EffectError, Effects, Journal, RetryHint, TIMEOUT};
use crate::nodes::OUT;
use crate::run::{StepError, StepOutcome, StepPath};
use domain::Result;
use domain::id::RunId;
use domain::language::Language;
use domain::run::{Answer, RunEnd};

/// How often the driver looks for answers while other effects are in progress.
const LOOK_EVERY: Duration = Duration::from_secs(2);

impl<E: Effects> Driver<'_, E> {
    pub fn is_waiting(&self) -> bool {
        self.active.values().any(|active| active.stage.is_waiting())
    }

    /// Applies the answers that have arrived. Returns whether there are any.
    pub async fn read_answers<J: Journal>(&mut self, journal: &mut J) -> Result<bool> {
        let waiting = self.active.iter().filter(|(_, active)| active.stage.is_waiting());
        let waiting: BTreeSet<String> = waiting.map(|(path, _)| self.display(path)).collect();
        let answers = self.wait_for(journal.answers(&waiting)).await?;
        self.next_look = self.now().plus(LOOK_EVERY);
        let mut has_advanced = false;
        for (step, answer) in answers {
            if let Some(path) = StepPath::parse(&step, self.execution.plan()) {
                has_advanced |= self.apply_answer(&path, answer);
            }
        }
        Ok(has_advanced)
    }

    fn apply_answer(&mut self, path: &StepPath, answer: Answer) -> bool {
        match (self.active.get(path).map(|active| active.stage.clone()), answer) {
            (Some(Stage::Review { uncertain, .. }), Answer::Review(answer)) => {
                self.apply_review(path, uncertain, answer);
            }
            (Some(Stage::Call { attempt, .. }), Answer::Run(mut end)) => {
                end.unmask(&mut |part| self.masks.learn(part));
                self.conclude(path, attempt, result_of(end));
            }
            _ => return false,
        }
        true
    }

    /// Ends the wait for another run whose time is over. If that run has ended before, its end counts.
    pub async fn expire_call<J: Journal>(
        &mut self,
        path: &StepPath,
        attempt: u32,
        run_id: RunId,
        journal: &mut J,
    ) -> Result<()> {
        self.read_answers(journal).await?;
        let stage = self.active.get(path).map(|active| &active.stage);
        if !matches!(stage, Some(Stage::Call { run_id: waits_for, .. }) if *waits_for == run_id) {
            return Ok(());
        }
        self.pending.stopped.push(run_id);
        let timeout = self.execution.plan().steps[path.step].policy.timeout_ms.unwrap_or_default();
        let message = format!("the run of the workflow did not end within {timeout} ms");
        let error = StepError::new(TIMEOUT, message);
        self.conclude(path, attempt, Err(EffectError { error, retry: RetryHint::After(Duration::ZERO) }));
        Ok(())
    }
}

/// The result of a step whose run has ended. Only a failed run is tried again; a cancelled one was stopped on purpose.
fn result_of(end: RunEnd) -> Result<StepOutcome, EffectError> {
    let retry = match &end {
        RunEnd::Failed(_) => RetryHint::After(Duration::ZERO),
        RunEnd::Completed { .. } | RunEnd::Cancelled => RetryHint::Never,
    };
    let output = describe_end(end).map_err(|error| EffectError { error, retry })?;
    Ok(StepOutcome::new(OUT, output))
}

/// The output of a run that another one or an agent has started, or its error.
pub fn describe_end(end: RunEnd) -> Result<Arc<Value>, StepError> {
    match end {
        RunEnd::Completed { output } => Ok(output),
        RunEnd::Failed(error) => {
            let message = error.describe("the run of the workflow", Language::English);
            Err(StepError::new(error.code, message))
        }
        RunEnd::Cancelled => Err(StepError::new("run_cancelled", "the run of the workflow was stopped")),
    }
}
