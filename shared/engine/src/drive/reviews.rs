//! The reviews of a run: opens them, applies their answers, and closes those that nobody answered.

use super::state::{Driver, Ready, Stage};
use super::waits::{ask_about, expired, open_review, outcome_of, outcome_unknown};
use super::{Effects, Journal};
use crate::nodes::DueWork;
use crate::run::StepPath;
use domain::Result;
use domain::run::{QuestionKind, ReviewAnswer, RunEventKind};
use serde_json::Value;

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
            let review = match (&active.effect.work, uncertain) {
                (DueWork::Ask(question), None) => open_review(step.clone(), question, now),
                _ => Ok(ask_about(step.clone(), now)),
            };
            let review = match review {
                Ok(mut review) => {
                    self.masks.hide_in_fields(&mut review.request);
                    review
                }
                Err(error) => {
                    self.finish(&path, Err(error));
                    continue;
                }
            };
            let (expires_at, action) = (review.expires_at, active.effect.action.clone());
            self.record(RunEventKind::StepAsked { step, expires_at, action });
            self.pending.opened.push(review);
            self.set_stage(&path, Stage::Review { expires_at, uncertain });
        }
    }

    /// Whether a question is left for the next commit.
    pub fn has_unasked(&self) -> bool {
        self.active.values().any(|active| matches!(active.stage, Stage::Unasked { .. }))
    }

    pub fn cancel_review(&mut self, step: String) {
        let opened = self.pending.opened.len();
        self.pending.opened.retain(|review| review.step != step);
        if self.pending.opened.len() == opened {
            self.pending.canceled.push(step);
        }
    }

    /// Applies the answer of a person.
    pub fn apply_review(&mut self, path: &StepPath, uncertain: Option<u32>, answer: ReviewAnswer) {
        match uncertain {
            None => {
                let answer = self.with_hidden_values(path, answer);
                self.finish(path, Ok(outcome_of(self.question_kind(path), answer)));
            }
            Some(attempt) if answer.approved => {
                self.set_stage(path, Stage::Ready(Ready::new(attempt + 1)));
            }
            Some(_) => self.finish(path, Err(outcome_unknown())),
        }
    }

    fn question_kind(&self, path: &StepPath) -> QuestionKind {
        match self.active.get(path).map(|active| &active.effect.work) {
            Some(DueWork::Ask(question)) => question.kind,
            _ => QuestionKind::Review,
        }
    }

    /// Puts the originals in the place of the values that the person did not see and did not change.
    fn with_hidden_values(&self, path: &StepPath, mut answer: ReviewAnswer) -> ReviewAnswer {
        let question = match self.active.get(path).map(|active| &active.effect.work) {
            Some(DueWork::Ask(question)) => question.request.get("fields"),
            _ => None,
        };
        let fields = question.and_then(Value::as_array);
        for field in fields.into_iter().flatten() {
            let (Some(name), Some(original)) = (field["name"].as_str(), field.get("value")) else { continue };
            let mut shown = original.clone();
            self.masks.hide_in_value(&mut shown);
            if let Some(given) = answer.fields.get_mut(name).filter(|given| shown != *original && **given == shown) {
                original.clone_into(given);
            }
        }
        answer
    }

    /// Ends a review whose time is over. An answer that came before counts.
    pub async fn expire_review<J: Journal>(
        &mut self,
        path: &StepPath,
        uncertain: Option<u32>,
        journal: &mut J,
    ) -> Result<()> {
        let step = self.display(path);
        match (self.wait_for(journal.expire(&step)).await?, uncertain) {
            (Some(answer), _) => self.apply_review(path, uncertain, answer),
            (None, None) => self.finish(path, Ok(expired(self.question_kind(path)))),
            (None, Some(_)) => self.finish(path, Err(outcome_unknown())),
        }
        Ok(())
    }
}
