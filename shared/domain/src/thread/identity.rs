//! The ids of threads and of participants. They are hashes, so that two deliveries at the same time find the same thread
//! without reading an index first.

use uuid::Uuid;

use crate::id::{CredentialId, ParticipantId, RunId, ThreadId, WorkflowId, uuid_of_hash};
use crate::messaging::Destination;
use crate::messaging::MessagingProvider;
use crate::time::Time;

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

/// The bits of a UUID version 7 that follow its time, version and variant.
const LOW_BITS: u128 = (1 << 62) - 1;

impl RunId {
    /// The run that a message starts at a time. Ids of runs sort by time. The other bits are a hash of the message, so that
    /// equal histories have equal ids.
    pub fn of_message(started_at: Time, thread: ThreadId, number: u64) -> Self {
        let hash = hash_id(&["run", &thread.to_string(), &number.to_string()]);
        let bits = started_at.first_uuid().as_u128() | (hash.as_u128() & LOW_BITS);
        Uuid::from_u128(bits).into()
    }
}

/// The length of each part is hashed, too, so that no two lists of parts are alike.
fn hash_id(parts: &[&str]) -> Uuid {
    let text: String = parts.iter().map(|part| format!("{}:{part}", part.len())).collect();
    uuid_of_hash(&text)
}
