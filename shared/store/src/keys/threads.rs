//! The keys of threads: heads and participants in `entities`, messages in `journal`.

use super::{DueShards, Key, read_id, shard_of};
use domain::Result;
use domain::id::{CredentialId, ParticipantId, ThreadId, WorkflowId};

/// The workflow to which a provider delivers messages.
pub fn inbox(credential: CredentialId) -> Key {
    Key::new(format!("INBOX#{credential}"), "INBOX")
}

/// The head of a thread.
pub fn thread(id: ThreadId) -> Key {
    Key::new(format!("{THREAD}{id}"), "THREAD")
}

/// The number of partitions of the list of a workflow's threads. Each message moves its thread in the list.
pub const THREAD_LIST_SHARDS: u8 = 8;

/// A part of the list of a workflow's threads. The index `threads` orders it by the id of the last message.
pub fn listed_threads(workflow: WorkflowId, shard: u8) -> String {
    format!("THREADS#{workflow}#{shard}")
}

/// The part of the list that a thread is in.
pub fn listed_thread(workflow: WorkflowId, id: ThreadId) -> String {
    listed_threads(workflow, shard_of(id.uuid(), THREAD_LIST_SHARDS))
}

/// The participants of a workflow.
pub fn participants(workflow: WorkflowId) -> String {
    format!("{PARTICIPANTS}{workflow}")
}

pub fn participant(workflow: WorkflowId, id: ParticipantId) -> Key {
    Key::new(participants(workflow), id)
}

/// The workflow and the id of a participant, from their key.
pub fn read_participant(key: &Key) -> Result<(WorkflowId, ParticipantId)> {
    Ok((read_id(PARTICIPANTS, &key.pk)?, read_id("", &key.sk)?))
}

/// The threads of a participant.
pub fn threads_of(participant: ParticipantId) -> String {
    format!("PARTICIPANT#{participant}")
}

pub fn thread_of(participant: ParticipantId, thread: ThreadId) -> Key {
    Key::new(threads_of(participant), thread)
}

/// The messages of a thread, in the order of their arrival.
pub fn messages(thread: ThreadId) -> String {
    format!("{THREAD}{thread}")
}

pub fn message(thread: ThreadId, number: u64) -> Key {
    Key::new(messages(thread), message_place(number))
}

pub fn message_place(number: u64) -> String {
    format!("{number:012}")
}

/// The keys by which repeated messages of a thread are recognized. They have partitions of their own, so that the partition
/// of the messages has only what a reader sees.
pub fn message_key(thread: ThreadId, key_hash: &str) -> Key {
    Key::new(message_keys(thread), key_hash)
}

pub fn message_keys(thread: ThreadId) -> String {
    format!("MESSAGEKEYS#{thread}")
}

/// Threads that need a worker.
pub const THREADS_DUE: DueShards = DueShards::new("THREADS#", 4);
/// Threads that nobody can answer for now.
pub const POSTPONED_THREADS_DUE: DueShards = DueShards::new("POSTPONED#", 4);
/// Participants who are being erased.
pub const ERASURES_DUE: DueShards = DueShards::new("ERASURES#", 4);

pub const PARTICIPANTS: &str = "PARTICIPANTS#";
pub const THREAD: &str = "THREAD#";
