//! Response bodies of participants.

use domain::messaging::MessagingProvider;
use serde::Serialize;
use store::threads::ParticipantSummary;
use utoipa::ToSchema;
use uuid::Uuid;

use super::message::MessageOut;
use super::thread::ThreadOut;

/// A person who writes to a workflow
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Participant")]
pub struct ParticipantDetailOut {
    id: Uuid,
    #[schema(required)]
    name: Option<String>,
    /// The messaging provider.
    channel: MessagingProvider,
    /// Their id at the provider.
    sender_id: String,
    /// When they last wrote, exact to a day.
    #[schema(format = DateTime)]
    last_seen_at: String,
}

/// What is stored of a participant
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "ParticipantExport")]
pub struct ParticipantExportOut {
    pub participant: ParticipantDetailOut,
    /// Null if they are too large for a response: then `url` has the whole export.
    #[schema(required)]
    pub conversations: Option<Vec<ExportedThreadOut>>,
    /// Where the export can be downloaded for an hour, if it is too large for a response.
    #[schema(required)]
    pub url: Option<String>,
}

/// A thread of a participant, with the messages that belong to them
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "ExportedThread")]
pub struct ExportedThreadOut {
    pub thread: ThreadOut,
    /// All messages, if nobody else has written to the thread. Otherwise their messages, and the answers to them.
    pub messages: Vec<MessageOut>,
}

impl From<ParticipantSummary> for ParticipantDetailOut {
    fn from(participant: ParticipantSummary) -> Self {
        let ParticipantSummary { id, name, provider, sender, seen_at } = participant;
        Self { id: id.uuid(), name, channel: provider, sender_id: sender, last_seen_at: seen_at.to_string() }
    }
}
