//! Evaluations through the queue: of chats with `guard: true` after their answer, and of input whose check failed.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::model::{Evaluated, GuardModel};
use super::{EventOrigin, PATIENCE};
use crate::guard::GuardInput;
use crate::{Gateway, GatewayCaller, ProviderFailure};
use domain::guard::{GuardMessage, GuardOutcome, GuardRole};
use domain::{Error, Result};
use platform::telemetry;
use store::leases::CallEnd;

/// A larger conversation is stored as an object.
const MAX_INLINE_BYTES: usize = 128 * 1_024;
/// SQS accepts the characters that XML allows. JSON escapes all others except these two.
const REFUSED: [char; 2] = ['\u{FFFE}', '\u{FFFF}'];
/// The number of times that an evaluation is tried.
const MAX_ATTEMPTS: u32 = 6;
/// The time before the second attempt. It doubles before each later one.
const FIRST_PAUSE: Duration = Duration::from_secs(30);

/// An evaluation to make: the content of a message of `QUEUE_GUARD`. It has the conversation, or the key of an object if
/// the conversation is long. A table has only what the event keeps.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GuardTask {
    #[serde(flatten)]
    origin: EventOrigin,
    input: TaskInput,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum TaskInput {
    Messages(Vec<GuardMessage>),
    /// The key of an object that has the messages.
    Object(String),
}

/// The evaluation of a chat that has no answer yet.
pub(in crate::calls) struct PendingEvaluation {
    origin: EventOrigin,
    messages: Vec<GuardMessage>,
}

impl Gateway {
    /// Prepares the evaluation of a chat with `guard: true`. `evaluate_later` sends it with the texts of the answer.
    pub(in crate::calls) async fn prepare_evaluation(
        &self,
        caller: &GatewayCaller,
        messages: Vec<GuardMessage>,
    ) -> Result<PendingEvaluation> {
        let unsupported = |missing| ProviderFailure::unsupported("guard", missing).into();
        let guard = self.find_default_guard(caller, unsupported).await?;
        Ok(PendingEvaluation { origin: self.make_call_origin(caller, &guard), messages })
    }

    /// Sends an evaluation to the queue. A failure never fails the chat: the event says that the evaluation failed.
    pub(in crate::calls) async fn evaluate_later(&self, pending: Option<PendingEvaluation>, answers: Vec<String>) {
        if let Some(pending) = pending {
            // Boxed, so that other calls do not have its size.
            Box::pin(self.send_evaluation(pending, answers)).await;
        }
    }

    async fn send_evaluation(
        &self,
        PendingEvaluation { origin, mut messages }: PendingEvaluation,
        answers: Vec<String>,
    ) {
        messages.extend(answers.into_iter().map(|content| GuardMessage { role: GuardRole::Assistant, content }));
        if !messages.iter().any(GuardMessage::has_text) {
            return;
        }
        let pending = origin.event(&messages, GuardOutcome::Pending);
        // The pending event is stored too, so that a lost task can be seen.
        let (stored, sent) =
            futures::join!(self.inner.guard_events.put(&pending), self.send_first(&origin, &messages, Duration::ZERO));
        let recorded = match sent {
            Ok(()) => Ok(()),
            Err(error) => {
                tracing::error!(?error, "an evaluation could not be sent to the queue");
                self.inner.guard_events.put(&origin.failed_event(&messages, &error, 1)).await
            }
        };
        if let Err(error) = stored.and(recorded) {
            tracing::error!(?error, "the event of an evaluation could not be stored");
        }
    }

    /// Records the first failure of an evaluation, and sends the evaluation to the queue. Errors are only logged, because
    /// they must not fail the call.
    pub(super) async fn record_first_failure(&self, origin: EventOrigin, messages: &[GuardMessage], error: &Error) {
        let recorded = match self.record_failure(&origin, messages, error, 1).await {
            Ok(()) => self.send_first(&origin, messages, FIRST_PAUSE).await,
            Err(error) => Err(error),
        };
        if let Err(error) = recorded {
            tracing::error!(?error, "the failure of an evaluation could not be recorded");
        }
    }

    /// Makes an evaluation of the queue. A completed one is not repeated. A failed one is tried again, at most 6 times in
    /// all.
    pub async fn handle_guard_task(&self, task: GuardTask) -> Result<()> {
        let found = self.inner.guard_events.find(task.origin.event).await?;
        if found.as_ref().is_some_and(|event| event.verdict().is_some()) {
            return Ok(());
        }
        let messages = match &task.input {
            TaskInput::Messages(messages) => messages.clone(),
            TaskInput::Object(object) => match self.inner.files.get(object).await? {
                Some(content) => serde_json::from_slice(&content).map_err(Error::internal)?,
                // It was deleted after the evaluation, or has expired.
                None => return Ok(()),
            },
        };
        if let Err(error) = self.evaluate_task(&task.origin, messages.clone()).await {
            let failures = found.map_or(0, |event| event.failures) + 1;
            self.record_failure(&task.origin, &messages, &error, failures).await?;
            return match failures < MAX_ATTEMPTS {
                true => self.inner.guard_tasks.send_after(&task, FIRST_PAUSE * 2u32.pow(failures - 1)).await,
                false => Ok(()),
            };
        }
        if let TaskInput::Object(object) = &task.input {
            self.inner.files.discard(object).await;
        }
        Ok(())
    }

    async fn evaluate_task(&self, origin: &EventOrigin, messages: Vec<GuardMessage>) -> Result<()> {
        let guard = GuardModel::new(self.models().find_for_job(&origin.model).await?)?;
        let input = GuardInput::Conversation(messages);
        let Evaluated { verdict, charge, mut slot } =
            self.evaluate_input(origin, None, &guard, &input, PATIENCE).await?;
        let event = origin.completed_event(input.messages(), verdict);
        // Refused if a duplicate of the message was faster.
        if !slot.record_once(&charge, CallEnd::Evaluation(&event, None)).await? {
            slot.put_back();
        }
        slot.close_if_finished().await;
        Ok(())
    }

    async fn record_failure(
        &self,
        origin: &EventOrigin,
        messages: &[GuardMessage],
        error: &Error,
        failures: u32,
    ) -> Result<()> {
        telemetry::log_cause(error);
        tracing::warn!(code = &*error.code(), event_id = %origin.event, failures, "an evaluation failed");
        self.inner.guard_events.put(&origin.failed_event(messages, error, failures)).await
    }

    /// Sends the first task of an evaluation.
    async fn send_first(&self, origin: &EventOrigin, messages: &[GuardMessage], delay: Duration) -> Result<()> {
        let content = serde_json::to_string(messages).map_err(Error::internal)?;
        let input = if !fits_message(&content) {
            let object = format!("tmp/guard/{}.json", origin.event);
            self.inner.files.put(&object, "application/json", content.into_bytes()).await?;
            TaskInput::Object(object)
        } else {
            TaskInput::Messages(messages.to_vec())
        };
        self.inner.guard_tasks.send_after(&GuardTask { origin: origin.clone(), input }, delay).await
    }
}

/// Whether SQS accepts the JSON within a message.
fn fits_message(json: &str) -> bool {
    json.len() <= MAX_INLINE_BYTES && !json.contains(REFUSED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_sqs_refuses_are_found() {
        let fits = |text: &str| fits_message(&serde_json::to_string(text).unwrap());
        assert!(!fits("a\u{FFFE}b") && !fits("\u{FFFF}"));
        assert!(fits("\u{0} \u{1F} \u{FFFD} \u{10FFFF} ñ 日本"));
    }
}
