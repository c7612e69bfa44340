//! The messages of a thread.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::id::{MessageId, ParticipantId, RunId};
use crate::messaging::{InboundMessage, RemoteFile};
use crate::time::Time;

/// Who wrote a message
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(title = "ThreadMessageRole")]
pub enum MessageRole {
    /// The participant
    User,
    /// A run of the workflow
    Assistant,
    /// The operator who holds the thread
    Operator,
    /// The platform: a reminder
    System,
}

/// Whether the provider has accepted a message
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(title = "ThreadMessageStatus")]
pub enum DeliveryState {
    /// The participant sent it
    Received,
    /// It is being sent, or another attempt follows
    Sending,
    Sent,
    /// The provider refused it, or accepted it and could not deliver it
    Failed,
    /// The provider may have accepted it. Its answer was lost
    Uncertain,
}

/// What sends a message to a participant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Author {
    Run(RunId),
    /// The operator with this name, who must hold the thread.
    Operator(String),
    /// A reminder. It is sent only while no operator holds the thread.
    Reminder,
}

impl Author {
    pub fn role(&self) -> MessageRole {
        match self {
            Self::Run(_) => MessageRole::Assistant,
            Self::Operator(_) => MessageRole::Operator,
            Self::Reminder => MessageRole::System,
        }
    }
}

/// A file of a message. It is fetched from the provider when a run needs it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    pub file: RemoteFile,
    /// The object in the bucket, once the file was fetched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ThreadMessage {
    pub id: MessageId,
    /// The number of the message in its thread, from 1.
    pub number: u64,
    pub role: MessageRole,
    /// Who sent it, if it is a message of a participant.
    pub participant: Option<ParticipantId>,
    /// The position that the provider gave the message of a participant.
    pub position: Option<u64>,
    pub text: String,
    pub state: DeliveryState,
    /// Why it was not sent.
    pub error: Option<String>,
    /// The run that wrote the message, or that the message started.
    pub run: Option<RunId>,
    pub attachments: Vec<Attachment>,
    /// How many parts of the text the provider has accepted.
    pub sent_parts: usize,
}

/// A message that is to be added to a thread.
#[derive(Clone, Debug, PartialEq)]
pub struct NewMessage {
    pub role: MessageRole,
    pub participant: Option<ParticipantId>,
    pub position: Option<u64>,
    pub text: String,
    pub state: DeliveryState,
    pub run: Option<RunId>,
    pub attachments: Vec<Attachment>,
    /// When the participant sent it, if the provider says so.
    pub sent_at: Option<Time>,
}

impl NewMessage {
    pub fn of_participant(participant: ParticipantId, inbound: &InboundMessage) -> Self {
        let attachments = inbound.attachments.iter().map(|file| Attachment { file: file.clone(), object: None });
        Self {
            role: MessageRole::User,
            participant: Some(participant),
            position: Some(inbound.position),
            text: inbound.text.clone(),
            state: DeliveryState::Received,
            run: None,
            attachments: attachments.collect(),
            sent_at: inbound.sent_at,
        }
    }

    /// A message that is about to be sent.
    pub fn outgoing(author: &Author, text: &str) -> Self {
        let run = match author {
            Author::Run(run) => Some(*run),
            Author::Operator(_) | Author::Reminder => None,
        };
        Self {
            role: author.role(),
            participant: None,
            position: None,
            text: text.to_owned(),
            state: DeliveryState::Sending,
            run,
            attachments: Vec::new(),
            sent_at: None,
        }
    }
}
