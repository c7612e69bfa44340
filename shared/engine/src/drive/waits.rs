//! Delays and reviews: what a step waits for, and the value it gets.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::nodes::delay::DelayNode;
use crate::nodes::form_page::{self, SUBMITTED};
use crate::nodes::review::Question;
use crate::run::{DueEffect, StepError, StepOutcome};
use crate::value_size::measure;
use domain::run::{NewReview, QuestionKind, ReviewAnswer};
use domain::time::Time;

/// A step waits at most this long.
const MAX_WAIT: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// A review is one item of a table.
const MAX_REVIEW_BYTES: usize = 64 * 1024;
/// How long a review stays open, if the node sets no time.
const DEFAULT_REVIEW_TIME: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The end of a `delay`. A time in the past ends it at once.
pub fn delay_until(delay: &DelayNode<Value>, now: Time) -> Result<Time, StepError> {
    if let Some(seconds) = delay.seconds {
        return Ok(now.plus(Duration::from_secs(seconds)));
    }
    let until = delay.until.as_ref().unwrap_or(&Value::Null);
    let until = Time::deserialize(until).map_err(|_| {
        StepError::new("invalid_value", "config.until: the value must be a time, such as timestamp(input.dueAt)")
    })?;
    if until > now.plus(MAX_WAIT) {
        return Err(StepError::new("delay_too_long", "config.until: the time is more than 30 days from now"));
    }
    Ok(until)
}

pub fn open_review(step: String, question: &Question, now: Time) -> Result<NewReview, StepError> {
    let Question { kind, request, expires_in_seconds } = question;
    let expires_at = now.plus(expires_in_seconds.map_or(DEFAULT_REVIEW_TIME, Duration::from_secs));
    if measure(request).is_none_or(|bytes| bytes > MAX_REVIEW_BYTES) {
        let message = "the texts and the fields that a person sees have at most 64 KiB as JSON";
        return Err(StepError::new("review_too_large", message));
    }
    Ok(NewReview { kind: *kind, step, expires_at, request: request.clone() })
}

/// Asks a person whether an attempt took place.
pub fn ask_about(step: String, now: Time) -> NewReview {
    let title = format!("Did the step {step} take place?");
    let message =
        "The outcome of the last attempt is unknown. Approve to perform the step again, or reject to let it fail.";
    let request = Map::from_iter([("title".to_owned(), title.into()), ("message".to_owned(), message.into())]);
    NewReview { kind: QuestionKind::Review, step, expires_at: now.plus(DEFAULT_REVIEW_TIME), request }
}

pub fn outcome_of(kind: QuestionKind, answer: ReviewAnswer) -> StepOutcome {
    if kind == QuestionKind::FormPage {
        return StepOutcome::new(SUBMITTED, Value::Object(answer.fields));
    }
    let decision = if answer.approved { "approved" } else { "rejected" };
    let ReviewAnswer { fields, comment, reviewer, .. } = answer;
    StepOutcome::new(
        decision,
        json!({"decision": decision, "fields": fields, "comment": comment, "reviewer": reviewer}),
    )
}

pub fn expired(kind: QuestionKind) -> StepOutcome {
    if kind == QuestionKind::FormPage {
        return StepOutcome::new(form_page::EXPIRED, Value::Null);
    }
    StepOutcome::new("expired", json!({"decision": "expired", "fields": {}, "comment": null, "reviewer": null}))
}

pub fn outcome_unknown() -> StepError {
    let message = "it is unknown whether the step took place";
    StepError::new("outcome_unknown", message)
}

pub fn pass_through(effect: &DueEffect) -> StepOutcome {
    StepOutcome::new(crate::nodes::OUT, Arc::clone(&effect.input))
}
