//! The thread of a run that a message started.

use serde::{Deserialize, Serialize};

use crate::id::{ParticipantId, ThreadId};
use crate::messaging::MessagingProvider;

/// The conversation to which a run belongs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunThread {
    pub id: ThreadId,
    pub participant: ParticipantId,
    pub provider: MessagingProvider,
    /// The number of the message that started the run.
    pub message: u64,
    /// The number of the newest message when the run started. Nodes with a memory know the messages up to it, so a repeated
    /// step sees the same conversation.
    pub newest: u64,
}
