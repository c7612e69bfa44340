//! What a conversation adds to the nodes of a run or a test: replies to the participant, earlier messages, and files.

mod files;
mod history;
mod outgoing;
mod sandbox;
mod send;

use std::sync::Arc;

use domain::Result;
use domain::chat::{ContentPart, Message};
use domain::run::Run;
use engine::drive::{EffectError, EffectResult};
use engine::nodes::send_message::SendMessageNode;
use futures::future::BoxFuture;
use messaging::{Attachments, Deliveries, Messenger, ProviderAccounts};
use outbound::Calls;
use platform::Context;
use runner::ReleasePlans;
use serde_json::Value;

pub use sandbox::{SandboxConversation, SandboxMessage};

/// A `send_message` node, with the values of its expressions.
pub type Outgoing = SendMessageNode<Value, String>;

/// The conversation of one run or of one test, as its nodes use it.
pub trait Conversation: Send + Sync {
    /// Performs a `send_message` node.
    fn send<'a>(&'a self, step: &'a str, node: &'a Outgoing) -> BoxFuture<'a, EffectResult>;

    /// The messages before the one that started the run.
    fn history(&self) -> BoxFuture<'_, Result<Vec<Message>>>;

    /// The files of the message that started the run, as parts of a prompt.
    fn files(&self) -> BoxFuture<'_, Result<Vec<ContentPart>, EffectError>>;
}

/// The conversations of runs. It is a trait, so that functions that carry out no runs do not link the messaging providers.
pub trait Conversations: Send + Sync {
    fn of_run(self: Arc<Self>, run: &Run) -> Arc<dyn Conversation>;
}

/// The conversations of messaging channels.
pub struct ThreadConversations {
    deliveries: Deliveries,
    attachments: Attachments,
    plans: Arc<ReleasePlans>,
}

impl ThreadConversations {
    pub fn new(context: &Context, calls: Calls, plans: Arc<ReleasePlans>) -> Result<Self> {
        let deliveries = Deliveries::new(context, Messenger::from_context(context, calls))?;
        let ProviderAccounts { credentials, messenger } = deliveries.sender.clone();
        let attachments = Attachments { threads: deliveries.threads.clone(), credentials, messenger };
        Ok(Self { deliveries, attachments, plans })
    }
}

impl Conversations for ThreadConversations {
    fn of_run(self: Arc<Self>, run: &Run) -> Arc<dyn Conversation> {
        Arc::new(RunConversation { conversations: self, run: run.clone() })
    }
}

/// The stored thread of a run. A run that no message started has none, but can send messages.
struct RunConversation {
    conversations: Arc<ThreadConversations>,
    run: Run,
}

impl Conversation for RunConversation {
    fn send<'a>(&'a self, step: &'a str, node: &'a Outgoing) -> BoxFuture<'a, EffectResult> {
        Box::pin(self.conversations.send_message(&self.run, step, node))
    }

    fn history(&self) -> BoxFuture<'_, Result<Vec<Message>>> {
        match &self.run.thread {
            Some(thread) => Box::pin(history::read(&self.conversations.deliveries.threads, thread)),
            None => Box::pin(async { Ok(Vec::new()) }),
        }
    }

    fn files(&self) -> BoxFuture<'_, Result<Vec<ContentPart>, EffectError>> {
        match &self.run.thread {
            Some(thread) => Box::pin(files::read(&self.conversations.attachments, thread)),
            None => Box::pin(async { Ok(Vec::new()) }),
        }
    }
}
