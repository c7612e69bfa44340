//! Evaluations through the queue: of chats with `guard: true` after their answer, and of input whose check failed.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::model::{Evaluated, GuardModel};
use super::{EventOrigin, PATIENCE, derive_guard_origin};
use crate::guard::GuardInput;
use crate::{Gateway, GatewayCaller, ProviderFailure};
use domain::guard::{GuardMessage, GuardOutcome, GuardRole, GuardSource};
use domain::id::GuardEventId;
use domain::lease::Payer;
use domain::ledger::CallOrigin;
use domain::time::Time;
use domain::{Error, Result};
use shared::http::code;
use shared::store::leases::CallEnd;

/// A larger conversation is stored as an object.
const MAX_INLINE_BYTES: usize = 128 * 1_024;
/// The number of times that an evaluation is tried.
const MAX_ATTEMPTS: u32 = 6;
/// The time before the second attempt. It doubles before each later one.
const FIRST_PAUSE: Duration = Duration::from_secs(30);

/// An evaluation to make: the content of a message of `QUEUE_GUARD`. It has the conversation, or the key of an object if
/// the conversation is long. A table has only what the event keeps.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GuardTask {
    event: GuardEventId,
    payer: Payer,
    call: CallOrigin,
    /// The name of the guard model.
    model: String,
    input: TaskInput,
    keeps_input: bool,
    created_at: Time,
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
    task: GuardTask,
    messages: Vec<GuardMessage>,
}

impl GuardTask {
    fn new(origin: &EventOrigin<'_>, guard: &GuardModel, messages: Vec<GuardMessage>) -> Self {
        Self {
            event: origin.id,
            payer: origin.payer.clone(),
            call: origin.call.clone(),
            model: guard.chosen.model.name.clone(),
            input: TaskInput::Messages(messages),
            keeps_input: origin.keeps_input,
            created_at: origin.created_at,
        }
    }

    fn origin(&self) -> EventOrigin<'_> {
        EventOrigin {
            id: self.event,
            payer: &self.payer,
            call: &self.call,
            source: GuardSource::Chat,
            keeps_input: self.keeps_input,
            created_at: self.created_at,
        }
    }
}

impl Gateway {
    /// Prepares the evaluation of a chat with `guard: true`. `evaluate_later` sends it with the texts of the answer.
    pub(in crate::calls) async fn prepare_evaluation(
        &self,
        caller: &GatewayCaller,
        messages: Vec<GuardMessage>,
    ) -> Result<PendingEvaluation> {
        let guard = self.find_guard(caller, None).await.map_err(|error| match error {
            Error::InvalidBody { message, .. } => ProviderFailure::unsupported("guard", message).into(),
            other => other,
        })?;
        let call = derive_guard_origin(&caller.call);
        let task = GuardTask::new(&self.make_origin(caller, &call, GuardSource::Chat), &guard, Vec::new());
        Ok(PendingEvaluation { task, messages })
    }

    /// Sends an evaluation to the queue. A failure never fails the chat: the event says that the evaluation failed.
    pub(in crate::calls) async fn evaluate_later(&self, pending: Option<PendingEvaluation>, answers: Vec<String>) {
        let Some(PendingEvaluation { mut task, mut messages }) = pending else { return };
        messages.extend(answers.into_iter().map(|content| GuardMessage { role: GuardRole::Assistant, content }));
        if !messages.iter().any(GuardMessage::has_text) {
            return;
        }
        task.input = TaskInput::Messages(messages.clone());
        let pending = task.origin().event(&task.model, &messages, GuardOutcome::Pending);
        // The pending event is stored too, so that a lost task can be seen.
        let (stored, sent) =
            futures::join!(self.inner.guard_events.put(&pending), self.send_task(task.clone(), Duration::ZERO));
        let recorded = match sent {
            Ok(()) => Ok(()),
            Err(error) => {
                tracing::error!(?error, "an evaluation could not be sent to the queue");
                let failed = task.origin().failed_event(&task.model, &messages, &error, 1);
                self.inner.guard_events.put(&failed).await
            }
        };
        if let Err(error) = stored.and(recorded) {
            tracing::error!(?error, "the event of an evaluation could not be stored");
        }
    }

    /// Records the first failure of an evaluation, and sends the evaluation to the queue. Errors are only logged, because
    /// they must not fail the call.
    pub(super) async fn record_first_failure(
        &self,
        origin: &EventOrigin<'_>,
        guard: &GuardModel,
        messages: &[GuardMessage],
        error: &Error,
    ) {
        let task = GuardTask::new(origin, guard, messages.to_vec());
        if let Err(error) = self.record_failure(task, messages, error, 1).await {
            tracing::error!(?error, "the failure of an evaluation could not be recorded");
        }
    }

    /// Makes an evaluation of the queue. A completed one is not repeated. A failed one is tried again, at most 6 times in
    /// all.
    pub async fn handle_guard_task(&self, task: GuardTask) -> Result<()> {
        let found = self.inner.guard_events.find(task.event).await?;
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
        if let Err(error) = self.evaluate_task(&task, messages.clone()).await {
            let failures = found.map_or(0, |event| event.failures) + 1;
            return self.record_failure(task, &messages, &error, failures).await;
        }
        if let TaskInput::Object(object) = &task.input {
            self.inner.files.discard(object).await;
        }
        Ok(())
    }

    async fn evaluate_task(&self, task: &GuardTask, messages: Vec<GuardMessage>) -> Result<()> {
        let guard = GuardModel::new(self.models().find_for_job(&task.model).await?)?;
        let input = GuardInput::Conversation(messages);
        let Evaluated { event, charge, mut slot } =
            self.evaluate_input(&task.origin(), &guard, &input, PATIENCE).await?;
        // Refused if a duplicate of the message was faster.
        if !slot.record_once(&charge, CallEnd::Evaluation(&event, None)).await? {
            slot.put_back();
        }
        slot.close_if_finished().await;
        Ok(())
    }

    /// Stores the failure of an attempt, and sends the next attempt, if one is left.
    async fn record_failure(
        &self,
        task: GuardTask,
        messages: &[GuardMessage],
        error: &Error,
        failures: u32,
    ) -> Result<()> {
        let event = task.origin().failed_event(&task.model, messages, error, failures);
        tracing::warn!(code = code(error), event_id = %task.event, failures, "an evaluation failed");
        self.inner.guard_events.put(&event).await?;
        if failures >= MAX_ATTEMPTS {
            return Ok(());
        }
        self.send_task(task, FIRST_PAUSE * 2u32.pow(failures - 1)).await
    }

    async fn send_task(&self, mut task: GuardTask, delay: Duration) -> Result<()> {
        if let TaskInput::Messages(messages) = &task.input {
            let content = serde_json::to_vec(messages).map_err(Error::internal)?;
            if content.len() > MAX_INLINE_BYTES || has_refused_characters(&content) {
                let object = format!("tmp/guard/{}.json", task.event);
                self.inner.files.put(&object, "application/json", content).await?;
                task.input = TaskInput::Object(object);
            }
        }
        self.inner.guard_tasks.send_after(&task, delay).await
    }
}

/// Whether SQS refuses the JSON as a message. It accepts the characters that XML allows; JSON escapes all others except
/// U+FFFE and U+FFFF.
fn has_refused_characters(json: &[u8]) -> bool {
    [b"\xEF\xBF\xBE", b"\xEF\xBF\xBF"].iter().any(|refused| json.windows(3).any(|bytes| bytes == *refused))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_sqs_refuses_are_found() {
        let json = |text: &str| serde_json::to_vec(text).unwrap();
        assert!(has_refused_characters(&json("a\u{FFFE}b")) && has_refused_characters(&json("\u{FFFF}")));
        assert!(!has_refused_characters(&json("\u{0} \u{1F} \u{FFFD} \u{10FFFF} ñ 日本")));
    }
}
