//! The conversation of a test: it is in memory, so nothing is stored and nothing is sent to a provider.

use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::Result;
use domain::channel::Channels;
use domain::chat::{ContentPart, Message};
use domain::id::{MessageId, ThreadId};
use domain::run::node_id_of;
use domain::thread::MessageRole;
use engine::drive::{EffectError, EffectResult};
use futures::future::BoxFuture;

use super::outgoing::{outcome, read_destination, read_text};
use super::{Conversation, Outgoing, history};
use crate::errors::refused;

/// The maximum size of all messages, so that the report of a test fits in a response.
const MAX_BYTES: usize = 512 * 1024;

pub struct SandboxConversation {
    pub thread: ThreadId,
    /// The channels of the workflow that is tested.
    channels: Channels,
    messages: Mutex<Vec<SandboxMessage>>,
}

/// A message of the participant (`User`) or of the workflow (`Assistant`).
#[derive(Clone, Debug, PartialEq)]
pub struct SandboxMessage {
    pub role: MessageRole,
    pub text: String,
}

impl SandboxConversation {
    pub fn new(channels: Channels) -> Self {
        Self { thread: ThreadId::new(), channels, messages: Mutex::new(Vec::new()) }
    }

    /// Adds a message of the participant. The next run answers it.
    pub fn receive(&self, text: &str) {
        self.lock().push(SandboxMessage { role: MessageRole::User, text: text.to_owned() });
    }

    /// The messages so far, oldest first.
    pub fn messages(&self) -> Vec<SandboxMessage> {
        self.lock().clone()
    }

    /// The answers to the newest message of the participant.
    pub fn replies(&self) -> Vec<String> {
        let messages = self.lock();
        let first = newest_of_participant(&messages).map_or(0, |newest| newest + 1);
        messages[first..].iter().map(|message| message.text.clone()).collect()
    }

    fn reply(&self, step: &str, node: &Outgoing) -> EffectResult {
        let text = read_text(node)?;
        if let Some(to) = &node.to {
            // A message to another conversation is no reply to the participant, and no model of this one remembers it.
            let channel = self.channels.get(node_id_of(step));
            read_destination(channel.and_then(|channel| channel.provider), to)?;
            return Ok(outcome("sent", ThreadId::new(), Some(MessageId::new())));
        }
        let mut messages = self.lock();
        let bytes: usize = messages.iter().map(|message| message.text.len()).sum();
        if bytes + text.len() > MAX_BYTES {
            let message = format!("the messages of a test have at most {MAX_BYTES} bytes in all; send shorter ones");
            return Err(refused("conversation_too_long", &message));
        }
        messages.push(SandboxMessage { role: MessageRole::Assistant, text: text.to_owned() });
        Ok(outcome("sent", self.thread, Some(MessageId::new())))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<SandboxMessage>> {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn newest_of_participant(messages: &[SandboxMessage]) -> Option<usize> {
    messages.iter().rposition(|message| message.role == MessageRole::User)
}

impl Conversation for SandboxConversation {
    fn send<'a>(&'a self, step: &'a str, node: &'a Outgoing) -> BoxFuture<'a, EffectResult> {
        Box::pin(async { self.reply(step, node) })
    }

    fn history(&self) -> BoxFuture<'_, Result<Vec<Message>>> {
        let messages = self.messages();
        let current = newest_of_participant(&messages);
        let earlier = messages.iter().enumerate().rev().filter(|(place, _)| Some(*place) != current);
        let history = history::select(earlier.map(|(_, message)| (message.role, message.text.as_str())));
        Box::pin(async { Ok(history) })
    }

    /// The messages of a test have no files.
    fn files(&self) -> BoxFuture<'_, Result<Vec<ContentPart>, EffectError>> {
        Box::pin(async { Ok(Vec::new()) })
    }
}
