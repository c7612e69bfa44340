//! Erases what a participant has written, and what the runs of their messages answered.
//!
//! The request only marks the participant, which hides them at once. A worker then deletes the rest. Each step can be
//! repeated, and the item of the participant is deleted last and stays due until then, so the ticker continues an erasure
//! after a crash.

use std::time::Duration;

use futures::TryStreamExt;
use futures::stream::{self, StreamExt};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::item::{MessageItem, ParticipantItem, ThreadItem, ThreadLinkItem};
use super::messages::object_prefixes;
use super::participants::ThreadLink;
use super::traces::{Extent, ThreadErasure, ThreadTraces};
use super::{RESEND_AFTER, Threads};
use crate::due::{DUE_AT, DUE_SHARD};
use crate::item::parse;
use crate::keys::{self, Key};
use crate::query::TableQuery;
use crate::revision::Attempts;
use crate::stored_text::StoredText;
use crate::table::Table;
use crate::write::Write;
use domain::id::{Id, ParticipantId, ThreadId, WorkflowId};
use domain::time::Time;
use domain::{Error, Result};

/// The number of participants that are marked concurrently.
const AT_ONCE: usize = 16;
/// How long the mark of a thread is kept at least, so that an interrupted erasure is continued before.
const MARK_KEPT: Duration = Duration::from_secs(24 * 60 * 60);

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
        let mark = mark(&self.entities, workflow, id, now, now.plus(RESEND_AFTER));
        self.entities.write(mark).await?.or_error(|_| Error::NotFound { kind: ParticipantId::KIND })?;
        let hint = ErasureHint { workflow_id: workflow, participant_id: id };
        self.queue.send_hint(&hint, Duration::ZERO).await;
        Ok(())
    }

    /// The mark of a participant. None if they are not erased, or no longer stored: then there is nothing to do.
    pub async fn erasure_mark(&self, workflow: WorkflowId, id: ParticipantId) -> Result<Option<ErasureMark>> {
        let item = self.entities.get(&keys::participant(workflow, id)).await?;
        let item = item.map(parse::<ParticipantItem>).transpose()?.filter(|item| item.erased_at.is_some());
        Ok(item.map(|item| ErasureMark { rev: item.rev }))
    }

    /// Begins to erase a participant from a thread. A thread of one participant is marked, and nothing is added to it any
    /// more. A thread of several forgets the participant, and their messages that wait get no run.
    pub async fn begin_erasure(&self, link: ThreadLink, participant: ParticipantId) -> Result<ThreadErasure> {
        let thread = link.thread;
        let mut attempts = Attempts::to_change(ThreadId::KIND);
        loop {
            let before: Option<ThreadItem> = self.entities.get(&keys::thread(thread)).await?.map(parse).transpose()?;
            let Some(before) = before else {
                return Ok(ThreadErasure { link, participant, extent: Extent::Gone });
            };
            let is_alone = before.participants.iter().all(|known| known.id == participant);
            // Objects outlive the head, because their days are rounded up.
            let is_alone = is_alone || before.has_expired(self.now());
            let after = match is_alone {
                true => self.marked(&before),
                false => self.without_participant(&before, participant).await?,
            };
            if self.was_saved(&self.entities.write(self.save(&before, &after)).await?, &after)? {
                let extent = if is_alone { Extent::Thread } else { Extent::MessagesUntil(after.message_count) };
                return Ok(ThreadErasure { link, participant, extent });
            }
            attempts.next().await?;
        }
    }

    /// The head with the mark, which is kept until the thread is deleted.
    fn marked(&self, before: &ThreadItem) -> ThreadItem {
        let expires_at = before.expires_at.max(self.now().plus(MARK_KEPT).as_seconds());
        let marked = before.clone().changed(before.control.clone(), None);
        ThreadItem { is_erased: Some(true), expires_at, ..marked }
    }

    async fn without_participant(&self, before: &ThreadItem, participant: ParticipantId) -> Result<ThreadItem> {
        let mut control = before.control.clone();
        for waiting in &before.control.waiting {
            let message = self.journal.get(&keys::message(before.thread, waiting.number)).await?;
            let message = message.map(parse::<MessageItem>).transpose()?;
            if message.is_none_or(|message| message.participant == Some(participant)) {
                control = control.drop_message(waiting.number);
            }
        }
        let due_at = self.due_at(&control);
        let mut after = before.clone().changed(control, due_at);
        after.participants.retain(|known| known.id != participant);
        Ok(after)
    }

    /// Erases the texts and files of the participant's messages, and of the answers to them. The messages still name their
    /// participant, by whom a repeated erasure finds all of them.
    pub async fn erase_texts(&self, erasure: &ThreadErasure, traces: &ThreadTraces) -> Result<()> {
        if let Extent::MessagesUntil(_) = erasure.extent {
            for number in traces.answers.iter().chain(&traces.own) {
                self.erase_text(erasure.link.thread, *number).await?;
            }
        }
        Ok(())
    }

    /// Ends the erasure from a thread: deletes the thread, or the name of the participant in their messages.
    pub async fn end_erasure(&self, erasure: &ThreadErasure, traces: &ThreadTraces) -> Result<()> {
        let ThreadErasure { link: ThreadLink { thread, write_id }, participant, extent } = erasure;
        match extent {
            // Its items have expired, so the table deletes them.
            Extent::Gone => self.delete_objects(*thread).await?,
            Extent::Thread => self.delete_thread(*thread).await?,
            Extent::MessagesUntil(_) => {
                for number in &traces.own {
                    let nameless =
                        self.journal.update(keys::message(*thread, *number)).remove(MessageItem::PARTICIPANT);
                    let _ = self.journal.write(nameless.require_exists()).await?;
                }
            }
        }
        let link = self
            .entities
            .delete(keys::thread_of(*participant, *thread))
            .require_same(ThreadLinkItem::WRITE_ID, *write_id);
        // If it is refused, the participant has written again: the thread is erased again.
        self.entities.transact(Uuid::now_v7(), &[link]).await.map(drop)
    }

    /// Deletes the item of an erased participant. It is the last step. Returns false if the participant has written since
    /// the mark was read.
    pub async fn delete_participant(&self, workflow: WorkflowId, id: ParticipantId, mark: ErasureMark) -> Result<bool> {
        let deleted =
            self.entities.delete(keys::participant(workflow, id)).require_same(ParticipantItem::REV, mark.rev);
        Ok(self.entities.transact(Uuid::now_v7(), &[deleted]).await?.is_written())
    }

    /// Deletes a marked thread. The mark in its head refuses everything that would add to it meanwhile.
    async fn delete_thread(&self, id: ThreadId) -> Result<()> {
        self.delete_objects(id).await?;
        for partition in [keys::messages(id), keys::message_keys(id)] {
            self.delete_partition(partition).await?;
        }
        self.entities.remove(&keys::thread(id)).await
    }

    /// Deletes the items of a partition of the journal, page by page, so that few texts are in memory at once.
    async fn delete_partition(&self, partition: String) -> Result<()> {
        let mut query = TableQuery::partition(partition);
        loop {
            let page = self.journal.query(&query).await?;
            for key in page.items.iter().filter_map(Key::from_item) {
                self.journal.remove(&key).await?;
            }
            match page.next {
                None => return Ok(()),
                next => query.after = next,
            }
        }
    }

    async fn delete_objects(&self, id: ThreadId) -> Result<()> {
        for prefix in object_prefixes(id) {
            self.bucket.delete_all(&prefix).await?;
        }
        Ok(())
    }

    async fn erase_text(&self, id: ThreadId, number: u64) -> Result<()> {
        let key = keys::message(id, number);
        let Some(item) = self.journal.get(&key).await? else { return Ok(()) };
        let item: MessageItem = parse(item)?;
        let objects = item.attachments.iter().filter_map(|attachment| attachment.object.as_deref());
        for object in objects.chain(item.text.object()) {
            self.bucket.delete_all(object).await?;
        }
        let erased =
            self.journal.update(key).set(MessageItem::TEXT, StoredText::from("")).remove(MessageItem::ATTACHMENTS);
        self.journal.write(erased.require_exists()).await.map(drop)
    }
}

/// The write that marks a participant as erased. The ticker sends the hint at `due_at`.
fn mark(entities: &Table, workflow: WorkflowId, id: ParticipantId, now: Time, due_at: Time) -> Write {
    let mark = entities.update(keys::participant(workflow, id)).set(ParticipantItem::ERASED_AT, now);
    let mark = mark.set(DUE_SHARD, keys::ERASURES_DUE.of(id.uuid())).set(DUE_AT, due_at);
    mark.require_exists()
}

/// Marks all participants of a deleted workflow as erased. The ticker sends their hints. It may be interrupted: those that
/// are marked are skipped when it is repeated.
pub(crate) async fn mark_all_erased(entities: &Table, workflow: WorkflowId, now: Time) -> Result<()> {
    let filter = Some(ParticipantItem::ERASED_AT.is_missing());
    let mut query = TableQuery { filter, ..TableQuery::partition(keys::participants(workflow)) };
    loop {
        let page = entities.query(&query).await?;
        let items = page.items.into_iter().map(parse::<ParticipantItem>).collect::<Result<Vec<_>>>()?;
        let marks = items.into_iter().map(|item| entities.write(mark(entities, workflow, item.sk, now, now)));
        stream::iter(marks).buffer_unordered(AT_ONCE).map_ok(drop).try_collect::<()>().await?;
        match page.next {
            None => return Ok(()),
            next => query.after = next,
        }
    }
}

/// A participant who is erased, as they were read.
#[derive(Clone, Copy, Debug)]
pub struct ErasureMark {
    rev: Option<u64>,
}
