//! The items of a thread: its head, its messages, and the keys by which repeated messages are recognized.

use attributes::Attributes;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::keys::{self, AccountList, Key};
use crate::stored_text::StoredText;
use domain::id::{CredentialId, MessageId, OrgId, ParticipantId, RunId, ThreadId, UserId, WorkflowId};
use domain::identity::Account;
use domain::messaging::Destination;
use domain::messaging::MessagingProvider;
use domain::retention::RunRetention;
use domain::thread::{Attachment, DeliveryState, MessageRole, Participant, Thread, ThreadControl, ThreadMessage};
use domain::time::Time;

#[derive(Clone, Debug, Serialize, Deserialize, Attributes)]
pub struct ThreadItem {
    pub pk: String,
    pub sk: String,
    pub thread: ThreadId,
    pub rev: u64,
    /// The last write, by which a write whose answer was lost is recognized.
    pub write_id: Uuid,
    pub org: OrgId,
    pub user: UserId,
    pub workflow: WorkflowId,
    pub credential: CredentialId,
    pub provider: MessagingProvider,
    pub destination: Destination,
    pub participants: Vec<Participant>,
    pub control: ThreadControl,
    pub message_count: u64,
    /// When a participant wrote the newest of their messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_inbound_at: Option<Time>,
    /// The id of the last message, by which the list is ordered.
    pub last_message: MessageId,
    /// The partition of the list.
    pub threads_of: String,
    /// The part of the list of all threads of the account. Earlier versions had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed_of: Option<String>,
    /// The id of the last message, or of the write by which an operator took or released the thread. It orders that list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed_at: Option<Uuid>,
    /// The part of the list of threads that wait for an operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attention_of: Option<String>,
    /// The same as `listed_at`, by which that list is ordered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attention_at: Option<Uuid>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_shard: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Time>,
    pub retention: RunRetention,
    /// The thread is being deleted. Nothing is added to it any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_erased: Option<bool>,
    pub expires_at: i64,
}

impl ThreadItem {
    pub fn account(&self) -> Account {
        Account { org: self.org, user: self.user }
    }

    pub fn has_expired(&self, now: Time) -> bool {
        self.expires_at <= now.as_seconds()
    }

    /// Whether readers see the thread: it has not expired, and is not being deleted.
    pub fn is_shown(&self, now: Time) -> bool {
        !self.has_expired(now) && self.is_erased.is_none()
    }

    /// The next revision. It is due at this time, or never if no worker is needed.
    #[must_use]
    pub fn changed(self, control: ThreadControl, due_at: Option<Time>) -> Self {
        let due_shard = due_at.map(|_| keys::THREADS_DUE.of(self.thread.uuid()));
        let write_id = Uuid::now_v7();
        let listed_at = match control.hold == self.control.hold {
            true => self.listed_at.unwrap_or(self.last_message.uuid()),
            false => write_id,
        };
        let part_of = |list: AccountList| list.partition_of(self.account(), self.thread.uuid());
        let attention_of = control.waits_for_operator().then(|| part_of(AccountList::WaitingThreads));
        let attention_at = attention_of.as_ref().map(|_| listed_at);
        let (listed_of, listed_at) = (Some(part_of(AccountList::Threads)), Some(listed_at));
        let listed = Self { listed_of, listed_at, attention_of, attention_at, ..self };
        Self { rev: listed.rev + 1, write_id, control, due_shard, due_at, ..listed }
    }

    /// The head with one more message. The thread is kept as long as its last message.
    #[must_use]
    pub fn with_message(self, now: Time) -> Self {
        let message = MessageId::new();
        Self {
            message_count: self.message_count + 1,
            last_message: message,
            listed_at: Some(message.uuid()),
            expires_at: self.retention.expiry(now).as_seconds(),
            ..self
        }
    }
}

impl From<ThreadItem> for Thread {
    fn from(item: ThreadItem) -> Self {
        Self {
            id: item.thread,
            account: item.account(),
            workflow: item.workflow,
            credential: item.credential,
            provider: item.provider,
            destination: item.destination,
            participants: item.participants,
            control: item.control,
            message_count: item.message_count,
            last_message: item.last_message,
            last_message_at: Time::from_uuid(item.last_message.uuid()),
            last_inbound_at: item.last_inbound_at,
            retention: item.retention,
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, Attributes)]
pub struct MessageItem {
    pub pk: String,
    pub sk: String,
    pub message: MessageId,
    pub role: MessageRole,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub participant: Option<ParticipantId>,
    /// The position that the provider gave the message of a participant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
    pub text: StoredText,
    pub state: DeliveryState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    pub sent_parts: usize,
    pub expires_at: i64,
}

impl MessageItem {
    pub fn number(&self) -> u64 {
        self.sk.parse().unwrap_or_default()
    }

    /// The message with its text, which may come from the bucket.
    pub fn into_message(self, text: String) -> ThreadMessage {
        ThreadMessage {
            number: self.number(),
            id: self.message,
            role: self.role,
            participant: self.participant,
            position: self.position,
            text,
            state: self.state,
            error: self.error,
            run: self.run,
            attachments: self.attachments,
            sent_parts: self.sent_parts,
        }
    }
}

/// The message with a key.
#[derive(Serialize, Deserialize, Attributes)]
pub struct KeyItem {
    pub pk: String,
    pub sk: String,
    pub number: u64,
    pub expires_at: i64,
}

impl KeyItem {
    pub fn new(thread: ThreadId, key_hash: &str, number: u64, expires_at: Time) -> Self {
        let Key { pk, sk } = keys::message_key(thread, key_hash);
        Self { pk, sk, number, expires_at: expires_at.as_seconds() }
    }
}

/// A participant of a workflow.
#[derive(Debug, Serialize, Deserialize, Attributes)]
pub struct ParticipantItem {
    pub pk: String,
    pub sk: ParticipantId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub provider: MessagingProvider,
    /// The id of the person at the provider.
    pub sender: String,
    /// When they last wrote, exact to a day.
    pub seen_at: Time,
    /// Grows with each message that writes this item, so an erasure notices a message that arrives meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rev: Option<u64>,
    /// When the user erased the participant. A worker deletes what is left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub erased_at: Option<Time>,
    pub expires_at: i64,
}

/// A thread of a participant.
#[derive(Debug, Serialize, Deserialize, Attributes)]
pub struct ThreadLinkItem {
    pub pk: String,
    pub sk: ThreadId,
    /// The write of this item, so an erasure does not delete a newer one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_id: Option<Uuid>,
    pub expires_at: i64,
}
