//! Evaluations through the queue: of chats with `guard: true` after their answer, and of those that failed.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::model::{Evaluated, Guard};
use super::{EventOrigin, call_of_guard, failed};
use crate::guard::GuardInput;
use crate::{Gateway, GatewayCaller};
use domain::guard::{GuardEvent, GuardMessage, GuardRole, GuardSource};
use domain::id::GuardEventId;
use domain::lease::Payer;
use domain::ledger::CallOrigin;
use domain::time::Time;
use domain::{Error, ProviderTrouble, Result};
use shared::store::leases::CallEnd;

/// A larger conversation is stored as an object. A message of SQS has at most 256 KiB.
const MAX_MESSAGE_BYTES: usize = 128 * 1_024;
/// The number of times that an evaluation is tried.
const MAX_ATTEMPTS: u32 = 6;
/// The time before the second attempt. It doubles before each later one.
const FIRST_PAUSE: Duration = Duration::from_secs(30);

/// An evaluation to make: the content of a message of `QUEUE_GUARD`. The conversation is stored nowhere else.
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
pub(in crate::calls) struct GuardOfChat {
    task: GuardTask,
    messages: Vec<GuardMessage>,
}

impl GuardTask {
    fn new(origin: &EventOrigin<'_>, guard: &Guard, messages: Vec<GuardMessage>) -> Self {
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
    /// The evaluation of a chat with `guard: true`. `evaluate_later` sends it with the texts of the answer.
    pub(in crate::calls) async fn guard_of_chat(
        &self,
        caller: &GatewayCaller,
        messages: Vec<GuardMessage>,
    ) -> Result<GuardOfChat> {
        let guard = self.find_guard(caller, None).await.map_err(|error| match error {
            Error::InvalidBody { message, .. } => Error::Provider {
                trouble: ProviderTrouble::Unsupported,
                code: "parameter_not_supported".to_owned(),
                message,
                param: Some("guard".to_owned()),
                retry_after_s: None,
            },
            other => other,
        })?;
        let call = call_of_guard(&caller.call);
        let task = GuardTask::new(&self.origin_of(caller, &call, GuardSource::Chat), &guard, Vec::new());
        Ok(GuardOfChat { task, messages })
    }

    /// Sends an evaluation to the queue. A failure never fails the chat: the event then says that it failed.
    pub(in crate::calls) async fn evaluate_later(&self, guard: Option<GuardOfChat>, answers: Vec<String>) {
        let Some(GuardOfChat { mut task, mut messages }) = guard else { return };
        messages.extend(answers.into_iter().map(|content| GuardMessage { role: GuardRole::Assistant, content }));
        if !messages.iter().any(GuardMessage::has_text) {
            return;
        }
        task.input = TaskInput::Messages(messages.clone());
        if let Err(error) = self.send_task(task.clone(), Duration::ZERO).await {
            tracing::error!(?error, "an evaluation could not be sent to the queue");
            let event = task.origin().event(&task.model, &messages, failed(&error));
            if let Err(error) = self.inner.guard_events.put(&event).await {
                tracing::error!(?error, "the event of an evaluation could not be stored");
            }
        }
    }

    /// Records the failure of an evaluation, and sends it to the queue. A call waits for that, so a failure is only
    /// logged.
    pub(super) async fn try_later(
        &self,
        origin: &EventOrigin<'_>,
        guard: &Guard,
        messages: &[GuardMessage],
        error: &Error,
    ) {
        let task = GuardTask::new(origin, guard, messages.to_vec());
        if let Err(error) = self.try_again(task, messages, error, 1).await {
            tracing::error!(?error, "the failure of an evaluation could not be recorded");
        }
    }

    /// Makes an evaluation of the queue, unless it was made before. A failed one is tried again, several times.
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
            return self.try_again(task, &messages, &error, failures).await;
        }
        if let TaskInput::Object(object) = &task.input {
            self.inner.files.discard(object).await;
        }
        Ok(())
    }

    async fn evaluate_task(&self, task: &GuardTask, messages: Vec<GuardMessage>) -> Result<()> {
        let guard = Guard::new(self.models().find_for_job(&task.model).await?)?;
        let input = GuardInput::Conversation(messages);
        let Evaluated { event, charge, mut slot } = self.evaluate_input(&task.origin(), &guard, &input).await?;
        // Refused if a duplicate of the message was faster.
        if !slot.record_once(&charge, CallEnd::Evaluation(&event, None)).await? {
            slot.put_back();
        }
        slot.close_if_finished().await;
        Ok(())
    }

    async fn try_again(&self, task: GuardTask, messages: &[GuardMessage], error: &Error, failures: u32) -> Result<()> {
        tracing::warn!(?error, event_id = %task.event, failures, "an evaluation failed");
        let event = GuardEvent { failures, ..task.origin().event(&task.model, messages, failed(error)) };
        self.inner.guard_events.put(&event).await?;
        if failures >= MAX_ATTEMPTS {
            return Ok(());
        }
        self.send_task(task, FIRST_PAUSE * 2u32.pow(failures - 1)).await
    }

    async fn send_task(&self, mut task: GuardTask, delay: Duration) -> Result<()> {
        if let TaskInput::Messages(messages) = &task.input {
            let content = serde_json::to_vec(messages).map_err(Error::internal)?;
            if content.len() > MAX_MESSAGE_BYTES {
                let object = format!("tmp/guard/{}.json", task.event);
                self.inner.files.put(&object, "application/json", content).await?;
                task.input = TaskInput::Object(object);
            }
        }
        self.inner.guard_tasks.send_after(&task, delay).await
    }
}
