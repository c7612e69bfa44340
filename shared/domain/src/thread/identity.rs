//! The ids of threads and of participants. They are hashes, so that two deliveries at the same time find the same thread
//! without reading an index first.

use uuid::Uuid;

use crate::id::{CredentialId, ParticipantId, ThreadId, WorkflowId, uuid_of_hash};
use crate::messaging::Destination;
use crate::messaging::MessagingProvider;

impl ThreadId {
    /// The thread of a conversation of the account with this credential.
    pub fn of_conversation(credential: CredentialId, destination: &Destination) -> Self {
        let topic = destination.topic.as_deref().unwrap_or_default();
        hash_id(&["thread", &credential.to_string(), &destination.conversation, topic]).into()
    }
}

impl ParticipantId {
    /// The person with this id at the provider, as the workflow knows them.
    pub fn of_sender(workflow: WorkflowId, provider: MessagingProvider, sender: &str) -> Self {
        hash_id(&["participant", &workflow.to_string(), provider.as_str(), sender]).into()
    }
}

/// The length of each part is hashed, too, so that no two lists of parts are alike.
fn hash_id(parts: &[&str]) -> Uuid {
    let text: String = parts.iter().map(|part| format!("{}:{part}", part.len())).collect();
    uuid_of_hash(&text)
}
