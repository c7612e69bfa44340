//! Threads: conversations between a participant and a workflow on a messaging channel.

mod control;
mod identity;
mod message;
#[cfg(test)]
mod tests;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::id::{CredentialId, MessageId, ParticipantId, ThreadId, WorkflowId};
use crate::identity::Account;
use crate::messaging::{Destination, MessagingProvider};
use crate::retention::RunRetention;
use crate::time::Time;

pub use control::{
    BusyPolicy, MAX_WAITING, Operator, OperatorHold, SendPermit, Sending, ThreadControl, ThreadState, WaitingMessage,
};
pub use message::{Attachment, Author, DeliveryState, MessageRole, NewMessage, ThreadMessage};

/// How long a permit to send is valid: it blocks other deliveries, and an operator who takes the thread.
pub const PERMIT_VALIDITY: Duration = Duration::from_secs(20);
/// A process sends nothing in the last part of its permit, because the clocks of two processes differ.
pub const PERMIT_MARGIN: Duration = Duration::from_secs(2);
/// A participant is reminded at most once in this time.
pub const REMINDER_INTERVAL: Duration = Duration::from_secs(60 * 60);

/// The maximum number of participants that the head of a thread names. A new one replaces the one who has been silent for
/// the longest time.
pub const MAX_PARTICIPANTS: usize = 100;

/// A person who writes to a workflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Participant {
    pub id: ParticipantId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// When they last wrote, exact to a day.
    pub seen_at: Time,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Thread {
    pub id: ThreadId,
    pub account: Account,
    pub workflow: WorkflowId,
    /// The account at the provider, with which messages are sent.
    pub credential: CredentialId,
    pub provider: MessagingProvider,
    pub destination: Destination,
    /// Who has written to the thread; the first one began it.
    pub participants: Vec<Participant>,
    pub control: ThreadControl,
    pub message_count: u64,
    pub last_message: MessageId,
    pub last_message_at: Time,
    /// When a participant wrote the newest of their messages, if one is known.
    pub last_inbound_at: Option<Time>,
    pub retention: RunRetention,
}

impl Thread {
    /// Whether the provider refuses messages, because no participant has written for too long.
    pub fn is_outside_window(&self, now: Time) -> bool {
        let ends_at = self.provider.reply_window().zip(self.last_inbound_at).map(|(window, last)| last.plus(window));
        ends_at.is_some_and(|ends_at| ends_at <= now)
    }
}
