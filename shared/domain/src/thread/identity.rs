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
    /// The person with this id at the provider, as the workflow knows them. `credential` is the one of the account to which
    /// they wrote: if ids are unique only within an account, equal ids of two accounts are two people.
    pub fn of_sender(
        workflow: WorkflowId,
        provider: MessagingProvider,
        credential: CredentialId,
        sender: &str,
    ) -> Self {
        let (workflow, credential) = (workflow.to_string(), credential.to_string());
        let mut parts = vec!["participant", &workflow, provider.as_str(), sender];
        if !provider.has_global_sender_ids() {
            parts.push(&credential);
        }
        hash_id(&parts).into()
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

/// The length of each part is hashed, too, so that (`a`, `bc`) and (`ab`, `c`) have different ids.
fn hash_id(parts: &[&str]) -> Uuid {
    let text: String = parts.iter().map(|part| format!("{}:{part}", part.len())).collect();
    uuid_of_hash(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ids_of_two_accounts_are_one_person_only_if_ids_are_global() {
        let (workflow, one, two) = (WorkflowId::new(), CredentialId::new(), CredentialId::new());
        for (provider, is_global) in [
            (MessagingProvider::Slack, false),
            (MessagingProvider::Telegram, true),
            (MessagingProvider::Whatsapp, true),
            (MessagingProvider::Http, false),
        ] {
            let person = |credential, sender| ParticipantId::of_sender(workflow, provider, credential, sender);
            assert_eq!(person(one, "U1"), person(one, "U1"));
            assert_ne!(person(one, "U1"), person(one, "U2"));
            assert_eq!(person(one, "U1") == person(two, "U1"), is_global, "{provider:?}");
        }
    }
}
