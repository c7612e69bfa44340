//! The reviews of a run: opens them, reads their answers, and closes those that nobody answered.

use std::time::Duration;

use super::state::{Driver, Ready, Stage};
use super::waits::{ask_about, expired, open_review, outcome_of, outcome_unknown};
use super::{Effects, Journal};
use crate::run::StepPath;
use domain::Result;
use domain::run::{ReviewAnswer, RunEventKind};

/// How often the driver looks for answers while other effects are in progress.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// The maximum number of reviews that one commit opens. A transaction has at most 100 writes.
const MAX_OPENED: usize = 50;

impl<E: Effects> Driver<'_, E> {
    pub fn open_reviews(&mut self) {
        let unasked = self.active.iter().filter_map(|(path, active)| match active.stage {
            Stage::Unasked { uncertain } => Some((path.clone(), uncertain)),
            _ => None,
        });
        let unasked: Vec<_> = unasked.take(MAX_OPENED).collect();
        for (path, uncertain) in unasked {
            let Some(active) = self.active.get(&path) else { continue };
            let (step, now) = (self.display(&path), self.now());
            let review = match uncertain {
                None => open_review(step.clone(), &active.effect, now),
                Some(_) => Ok(ask_about(step.clone(), now)),
            };
            let review = match review {
                Ok(review) => review,
                Err(error) => {
                    self.finish(&path, Err(error));
                    continue;
                }
            };
            let expires_at = review.expires_at;
            self.record(RunEventKind::StepAsked { step, expires_at });
            self.pending.opened.push(review);
            self.set_stage(&path, Stage::Review { expires_at, uncertain });
        }
    }

    /// Whether a question is left for the next commit.
    pub fn has_unasked(&self) -> bool {
        self.active.values().any(|active| matches!(active.stage, Stage::Unasked { .. }))
    }

    pub fn has_open_review(&self) -> bool {
        self.active.values().any(|active| matches!(active.stage, Stage::Review { .. }))
    }

    pub fn cancel_review(&mut self, step: String) {
        let opened = self.pending.opened.len();
        self.pending.opened.retain(|review| review.step != step);
        if self.pending.opened.len() == opened {
            self.pending.canceled.push(step);
        }
    }

    /// Applies the answers of people. Returns whether there are any.
    pub async fn read_answers<J: Journal>(&mut self, journal: &mut J) -> Result<bool> {
        let answers = journal.answers().await?;
        self.next_look = self.now().plus(LOOK_EVERY);
        let mut has_advanced = false;
        for (step, answer) in answers {
            if let Some(path) = StepPath::parse(&step, self.execution.plan()) {
                has_advanced |= self.apply_answer(&path, answer);
            }
        }
        Ok(has_advanced)
    }

    fn apply_answer(&mut self, path: &StepPath, answer: ReviewAnswer) -> bool {
        let Some(Stage::Review { uncertain, .. }) = self.active.get(path).map(|active| active.stage.clone()) else {
            return false;
        };
        match uncertain {
            None => self.finish(path, Ok(outcome_of(answer))),
            Some(attempt) if answer.approved => {
                self.set_stage(path, Stage::Ready(Ready::new(attempt + 1)));
            }
            Some(_) => self.finish(path, Err(outcome_unknown())),
        }
        true
    }

    /// Ends a review whose time is over. An answer that came before counts.
    pub async fn expire_review<J: Journal>(
        &mut self,
        path: &StepPath,
        uncertain: Option<u32>,
        journal: &mut J,
    ) -> Result<()> {
        match (journal.expire(&self.display(path)).await?, uncertain) {
            (Some(answer), _) => drop(self.apply_answer(path, answer)),
            (None, None) => self.finish(path, Ok(expired())),
            (None, Some(_)) => self.finish(path, Err(outcome_unknown())),
        }
        Ok(())
    }
}
