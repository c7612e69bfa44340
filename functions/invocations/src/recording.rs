//! Records an invocation: its beginning while the agent is already at work, and its end before the client has the answer.

use std::time::Duration;

use domain::agent::{InvocationEnd, InvocationRecord};
use domain::chat::Message;
use domain::id::{AgentId, InvocationId, UserId};
use domain::retention::RunRetention;
use domain::run::StepError;
use domain::time::Clock;
use platform::tasks::Tasks;
use runner::InvocationTrace;
use store::Invocations;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::Stores;

/// How long the client waits for the record. A slow one is stored after the answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// An invocation in progress. If it is dropped before its end, the client has closed the connection.
pub struct Recording {
    pub trace: InvocationTrace,
    records: Invocations,
    tasks: Tasks,
    clock: Clock,
    stop: CancellationToken,
    agent: AgentId,
    retention: RunRetention,
    /// What the client has sent.
    messages: Vec<Message>,
    /// The record, and the task that stores that it has begun.
    open: Option<(InvocationRecord, JoinHandle<()>)>,
}

/// The messages of an invocation that has ended, and its answer.
pub struct Conversation {
    pub messages: Vec<Message>,
    pub output: Option<String>,
}

impl Recording {
    pub fn begin(
        stores: &Stores,
        agent: AgentId,
        id: InvocationId,
        invoked_by: UserId,
        retention: RunRetention,
        messages: Vec<Message>,
    ) -> Self {
        let Stores { records, tasks, clock, stop, .. } = stores.clone();
        let record = InvocationRecord::new(id, invoked_by);
        let (begun, to) = (record.clone(), records.clone());
        let begun = tasks.spawn(async move { warn(id, to.begin(agent, begun, retention).await) });
        let trace = InvocationTrace::new(clock.clone());
        Self { trace, records, tasks, clock, stop, agent, retention, messages, open: Some((record, begun)) }
    }

    /// Stores the end, even if the client leaves meanwhile. Without a conversation, the messages are those of the client.
    pub async fn end(mut self, end: InvocationEnd, conversation: Option<Conversation>) {
        if let Some(stored) = self.store(end, conversation) {
            // The task goes on, and does not panic.
            let _ = timeout(PATIENCE, stored).await;
        }
    }

    fn store(&mut self, mut end: InvocationEnd, conversation: Option<Conversation>) -> Option<JoinHandle<()>> {
        let (record, begun) = self.open.take()?;
        let Conversation { messages, output } =
            conversation.unwrap_or_else(|| Conversation { messages: std::mem::take(&mut self.messages), output: None });
        let error = match &mut end {
            InvocationEnd::Failed(error) => Some(error),
            InvocationEnd::Answered | InvocationEnd::Cancelled => None,
        };
        let content = self.trace.take_content(&messages, output, error);
        let record = record.ended(end, self.clock.now());
        let (records, agent, retention) = (self.records.clone(), self.agent, self.retention);
        Some(self.tasks.spawn(async move {
            // The item of the end replaces that of the beginning.
            let _ = begun.await;
            warn(record.id, records.end(agent, record, &content, retention).await);
        }))
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        // A process that stops stores nothing more: the invocation is interrupted.
        if self.stop.is_cancelled() {
            return;
        }
        let end = match std::thread::panicking() {
            true => InvocationEnd::Failed(StepError::new("internal_error", "something failed on our side")),
            false => InvocationEnd::Cancelled,
        };
        self.store(end, None);
    }
}

/// The agent has been at work, and the client gets the answer although it is not recorded.
fn warn(id: InvocationId, stored: domain::Result<()>) {
    if let Err(error) = stored {
        tracing::warn!(?error, invocation_id = %id, "an invocation was not recorded");
    }
}
