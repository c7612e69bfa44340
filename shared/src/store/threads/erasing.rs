//! Erases what a participant has written, and what the runs of their messages answered.
//!
//! The request only marks the participant, which hides them at once. A worker then deletes the rest. Each step can be
//! repeated, and the item of the participant is deleted last and stays due until then, so the ticker continues an erasure
//! after a crash.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::item::{MessageItem, ThreadItem};
use super::messages::object_prefix;
use super::{RESEND_AFTER, Threads};
use crate::store::item::parse;
use crate::store::keys::{self, Key};
use crate::store::stored_text::StoredText;
use crate::store::table::TableQuery;
use domain::id::{Id, ParticipantId, RunId, ThreadId, WorkflowId};
use domain::page::Order;
use domain::retention::RunRetention;
use domain::thread::ThreadMessage;
use domain::{Error, Result};

/// A message of `QUEUE_RUNS`: a participant is to be erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErasureHint {
    pub workflow_id: WorkflowId,
    pub participant_id: ParticipantId,
}

impl Threads {
    /// Marks a participant as erased.
    pub async fn mark_erased(&self, workflow: WorkflowId, id: ParticipantId) -> Result<()> {
        let now = self.now();
        let mark = self.entities.update(keys::participant(workflow, id)).set("erased_at", now);
        let mark = mark.set("due_shard", keys::THREADS_DUE.of(id.uuid())).set("due_at", now.plus(RESEND_AFTER));
        let marked = self.entities.write(mark.require("attribute_exists(pk)")).await?;
        marked.or_error(|_| Error::NotFound { kind: ParticipantId::KIND })?;
        let hint = ErasureHint { workflow_id: workflow, participant_id: id };
        self.queue.send_hint(&hint, Duration::ZERO).await;
        Ok(())
    }

    /// The messages of a thread that belong to a participant: their own, and those that answer them.
    pub async fn messages_of(&self, id: ThreadId, participant: ParticipantId) -> Result<Vec<ThreadMessage>> {
        let mut all = Vec::new();
        let mut after = None;
        loop {
            let page = self.messages(id, Order::Asc, 100, after).await?;
            all.extend(page.items);
            match page.next {
                None => break,
                next => after = next,
            }
        }
        let own = all.iter().filter(|message| message.participant == Some(participant));
        let runs: Vec<RunId> = own.filter_map(|message| message.run).collect();
        let is_theirs = |message: &ThreadMessage| match message.participant {
            Some(author) => author == participant,
            None => message.run.is_some_and(|run| runs.contains(&run)),
        };
        all.retain(is_theirs);
        Ok(all)
    }

    /// Erases a participant from a thread. A thread of one participant is deleted.
    pub async fn erase_from(&self, id: ThreadId, participant: ParticipantId) -> Result<()> {
        if let Some(head) = self.item_or_erased(id).await? {
            let is_alone = head.participants.iter().all(|known| known.id == participant);
            if is_alone {
                self.delete_thread(&head).await?;
            } else {
                let messages = self.messages_of(id, participant).await?;
                let (own, answers): (Vec<_>, Vec<_>) =
                    messages.iter().partition(|message| message.participant.is_some());
                // Their own messages come last: after a crash, the answers are recognized by them.
                for message in answers.into_iter().chain(own) {
                    self.erase_message(id, message).await?;
                }
                self.forget(id, participant).await?;
            }
        }
        self.entities.remove(&keys::thread_of(participant, id)).await
    }

    /// Deletes the item of an erased participant. It is the last step.
    pub async fn delete_participant(&self, workflow: WorkflowId, id: ParticipantId) -> Result<()> {
        self.entities.remove(&keys::participant(workflow, id)).await
    }

    /// Deletes a thread. The mark in its head refuses everything that would add to it meanwhile.
    async fn delete_thread(&self, head: &ThreadItem) -> Result<()> {
        let id = head.thread;
        let mark = self.entities.update(keys::thread(id)).set("is_erased", true).require_same("rev", Some(head.rev));
        let mark = mark.add("rev", 1).remove("due_shard").remove("due_at");
        let marked = self.entities.write(mark).await?;
        marked.or_error(|_| Error::busy("the conversation changes while it is erased"))?;
        // The plan, and so the prefix, may have changed.
        for prefix in RunRetention::object_prefixes() {
            self.bucket.delete_all(&object_prefix(&prefix, id)).await?;
        }
        for partition in [keys::messages(id), keys::message_keys(id)] {
            let items = self.journal.query_all(TableQuery::partition(partition)).await?;
            for key in items.iter().filter_map(Key::from_item) {
                self.journal.remove(&key).await?;
            }
        }
        self.entities.remove(&keys::thread(id)).await
    }

    async fn erase_message(&self, id: ThreadId, message: &ThreadMessage) -> Result<()> {
        let key = keys::message(id, message.number);
        let Some(item) = self.journal.get(&key).await? else { return Ok(()) };
        let item: MessageItem = parse(item)?;
        let objects = item.attachments.iter().filter_map(|attachment| attachment.object.as_deref());
        for object in objects.chain(item.text.object()) {
            self.bucket.delete_all(object).await?;
        }
        let erased = self.journal.update(key).set("text", StoredText::from("")).remove("attachments");
        self.journal.write(erased.remove("participant").require("attribute_exists(pk)")).await.map(drop)
    }

    /// Removes a participant from the head of a thread of several.
    async fn forget(&self, id: ThreadId, participant: ParticipantId) -> Result<()> {
        let forget = |before: &ThreadItem| {
            let mut after = before.clone().changed(before.control.clone(), before.due_at);
            after.participants.retain(|known| known.id != participant);
            Ok(Some(after))
        };
        self.change_head(id, forget).await.map(drop)
    }
}
