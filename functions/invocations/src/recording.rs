//! Records an invocation: its beginning while the agent is already at work, and its end before the client has the answer.

use domain::agent::{InvocationContent, InvocationEnd, InvocationRecord};
use domain::chat::Message;
use domain::id::{AgentId, InvocationId, UserId};
use domain::retention::RunRetention;
use domain::time::Clock;
use platform::tasks::Tasks;
use runner::InvocationTrace;
use store::Invocations;
use tokio::task::JoinHandle;

use crate::Stores;

/// An invocation in progress. If it is dropped before its end, the client has closed the connection.
pub struct Recording {
    pub trace: InvocationTrace,
    records: Invocations,
    tasks: Tasks,
    clock: Clock,
    agent: AgentId,
    retention: RunRetention,
    /// What the client has sent.
    messages: Vec<Message>,
    /// The record, and the task that stores that it has begun.
    open: Option<(InvocationRecord, JoinHandle<()>)>,
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
        let Stores { records, tasks, clock, .. } = stores.clone();
        let record = InvocationRecord::begun(id, invoked_by);
        let (begun, to) = (record.clone(), records.clone());
        let begun = tasks.spawn(async move { warn(id, to.begin(agent, begun, retention).await) });
        let trace = InvocationTrace::new(clock.clone());
        Self { trace, records, tasks, clock, agent, retention, messages, open: Some((record, begun)) }
    }

    /// Stores the end, even if the client leaves meanwhile. `conversation` has the messages and the answer.
    pub async fn end(mut self, end: InvocationEnd, conversation: Option<(Vec<Message>, Option<String>)>) {
        if let Some(stored) = self.store(end, conversation) {
            // The task does not panic.
            let _ = stored.await;
        }
    }

    fn store(
        &mut self,
        end: InvocationEnd,
        conversation: Option<(Vec<Message>, Option<String>)>,
    ) -> Option<JoinHandle<()>> {
        let (record, begun) = self.open.take()?;
        let (messages, output) = conversation.unwrap_or_else(|| (std::mem::take(&mut self.messages), None));
        let messages = messages.iter().map(|message| serde_json::to_value(message).unwrap_or_default()).collect();
        let content = InvocationContent { messages, output, steps: self.trace.take() };
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
        self.store(InvocationEnd::Canceled, None);
    }
}

/// The agent has been at work, and the client gets the answer although it is not recorded.
fn warn(id: InvocationId, stored: domain::Result<()>) {
    if let Err(error) = stored {
        tracing::warn!(?error, invocation_id = %id, "an invocation was not recorded");
    }
}
