//! Receives messages of participants. A message is stored once, however often its provider delivers it, in the transaction
//! that adds it to the queue of its thread.

use std::time::Duration;

use uuid::Uuid;

use super::Threads;
use super::item::{KeyItem, MessageItem, ParticipantItem, ThreadItem, ThreadLinkItem};
use super::messages::key_hash;
use crate::attribute::EXPIRES_AT;
use crate::backoff::Backoff;
use crate::keys::{self, AccountList, Key};
use crate::stored_text::StoredText;
use crate::table::{RefusedWrite, WriteOutcome};
use crate::write::{Write, is_new_or_expired};
use domain::id::{CredentialId, MessageId, ParticipantId, ThreadId, WorkflowId};
use domain::identity::Account;
use domain::messaging::{Destination, InboundMessage, MessagingProvider};
use domain::retention::RunRetention;
use domain::thread::{MAX_PARTICIPANTS, NewMessage, Participant, ThreadControl, WaitingMessage};
use domain::time::Time;
use domain::{Error, Result};

/// A provider repeats a delivery for at most seven days.
const KEY_KEPT: Duration = Duration::from_secs(8 * 24 * 60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const DELIVERY: &str = "delivery";

/// Where a provider delivers messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inbox {
    pub credential: CredentialId,
    pub provider: MessagingProvider,
    pub account: Account,
    pub workflow: WorkflowId,
    /// How long messages are kept.
    pub retention: RunRetention,
}

impl Threads {
    /// Stores a message, and sends the hint of its thread if a worker has something to do. A repeated message changes
    /// nothing.
    pub async fn receive(&self, inbox: &Inbox, message: &InboundMessage) -> Result<()> {
        let id = ThreadId::of_conversation(inbox.credential, &message.destination);
        // The text is stored once, however often the transaction is tried.
        let text = self.store_text(id, inbox.retention, &message.text).await?;
        let stored = self.store_received(inbox, id, message, &text).await;
        if !matches!(stored, Ok(true))
            && let Some(object) = text.object()
        {
            self.bucket.discard(object).await;
        }
        stored.map(drop)
    }

    /// Returns false if the message was stored before.
    async fn store_received(
        &self,
        inbox: &Inbox,
        id: ThreadId,
        message: &InboundMessage,
        text: &StoredText,
    ) -> Result<bool> {
        let mut backoff = Backoff::of_a_crowd();
        loop {
            let before = self.item_or_erased(id).await?;
            if before.as_ref().is_some_and(|before| before.is_erased.is_some()) {
                return Err(Error::busy("the conversation is being erased"));
            }
            let (after, writes) = self.prepare_receipt(inbox, id, before.as_ref(), message, text.clone());
            match self.entities.transact(after.write_id, &writes).await? {
                WriteOutcome::Written => {
                    if after.due_at.is_some() {
                        self.send_hint(id).await;
                    }
                    return Ok(true);
                }
                WriteOutcome::Refused(RefusedWrite { label: DELIVERY, .. }) => return Ok(false),
                WriteOutcome::Refused(_) => backoff.next("many messages of one conversation arrive").await?,
            }
        }
    }

    /// The head of the thread with one more message, and the writes that store both.
    fn prepare_receipt(
        &self,
        inbox: &Inbox,
        id: ThreadId,
        before: Option<&ThreadItem>,
        message: &InboundMessage,
        text: StoredText,
    ) -> (ThreadItem, Vec<Write>) {
        let now = self.now();
        let participant =
            ParticipantId::of_sender(inbox.workflow, inbox.provider, inbox.credential, &message.sender.id);
        let head = before.cloned().unwrap_or_else(|| new_thread(inbox, id, &message.destination));
        let head = ThreadItem { retention: inbox.retention, ..head }.with_message(now);
        let number = head.message_count;
        let control = head.control.clone().receive(WaitingMessage { position: message.position, number });
        let due_at = self.due_at(&control);
        let mut after = head.changed(control, due_at);
        after.last_inbound_at = after.last_inbound_at.max(Some(message.sent_at.unwrap_or(now).min(now)));
        let is_first_of_day = record_sender(&mut after.participants, participant, message, now);

        let expires_at = inbox.retention.expiry(now);
        let head = match before {
            Some(before) => self.save(before, &after),
            None => self.put_new_head(&after),
        };
        let key = KeyItem::new(id, &key_hash(&message.delivery_key), number, now.plus(KEY_KEPT));
        // The key comes first: a repeated delivery is recognized although the thread has changed since.
        let mut writes = vec![self.journal.put_new(&key).labeled(DELIVERY), head];
        let new = NewMessage::of_participant(participant, message);
        writes.push(self.journal.put(&self.message_item(&after, &new, text)));
        if is_first_of_day {
            // Both items are written once a day, so they are kept for a day longer than the thread.
            let expires_at = expires_at.plus(DAY).as_seconds();
            // An update, and not a put, so that the mark of an erasure stays.
            let item = self.entities.update(keys::participant(inbox.workflow, participant));
            let item = item
                .set_or_remove(ParticipantItem::NAME, message.sender.name.as_ref())
                .set(ParticipantItem::PROVIDER, inbox.provider);
            let item = item
                .set(ParticipantItem::SENDER, &message.sender.id)
                .set(ParticipantItem::SEEN_AT, now)
                .set(EXPIRES_AT, expires_at);
            let (pk, write_id) = (keys::threads_of(participant), Some(after.write_id));
            let link = ThreadLinkItem { pk, sk: id, write_id, expires_at };
            writes.extend([item.add(ParticipantItem::REV, 1), self.entities.put(&link)]);
        }
        (after, writes)
    }

    /// Returns the thread of a conversation, which begins now if there is none: a run sends the first message.
    pub async fn open(&self, inbox: &Inbox, destination: &Destination) -> Result<ThreadId> {
        let id = ThreadId::of_conversation(inbox.credential, destination);
        if self.item(id).await?.is_none() {
            let expires_at = inbox.retention.expiry(self.now()).as_seconds();
            let head = ThreadItem { expires_at, ..new_thread(inbox, id, destination) };
            // If it is refused, another run has begun the conversation.
            let _ = self.entities.write(self.put_new_head(&head)).await?;
        }
        Ok(id)
    }

    fn put_new_head(&self, head: &ThreadItem) -> Write {
        self.entities.put(head).require(is_new_or_expired(self.now()))
    }

    /// The item of a message, which is the last one of the thread.
    pub(super) fn message_item(&self, thread: &ThreadItem, new: &NewMessage, text: StoredText) -> MessageItem {
        let Key { pk, sk } = keys::message(thread.thread, thread.message_count);
        let now = self.now();
        MessageItem {
            pk,
            sk,
            message: thread.last_message,
            role: new.role,
            participant: new.participant,
            position: new.position,
            text,
            state: new.state,
            error: None,
            run: new.run,
            attachments: new.attachments.clone(),
            sent_parts: 0,
            expires_at: thread.retention.expiry(now).as_seconds(),
        }
    }
}

fn new_thread(inbox: &Inbox, id: ThreadId, destination: &Destination) -> ThreadItem {
    let Key { pk, sk } = keys::thread(id);
    let last_message = MessageId::new();
    ThreadItem {
        pk,
        sk,
        thread: id,
        rev: 0,
        write_id: Uuid::nil(),
        org: inbox.account.org,
        user: inbox.account.user,
        workflow: inbox.workflow,
        credential: inbox.credential,
        provider: inbox.provider,
        destination: destination.clone(),
        participants: Vec::new(),
        control: ThreadControl::default(),
        message_count: 0,
        last_inbound_at: None,
        last_message,
        threads_of: keys::listed_thread(inbox.workflow, id),
        listed_of: Some(AccountList::Threads.partition_of(inbox.account, id.uuid())),
        listed_at: Some(last_message.uuid()),
        attention_of: None,
        attention_at: None,
        due_shard: None,
        due_at: None,
        retention: inbox.retention,
        is_erased: None,
        expires_at: 0,
    }
}

/// Records the sender of a message. Returns true for their first message of a day: then the items that list them are
/// written again.
fn record_sender(known: &mut Vec<Participant>, id: ParticipantId, message: &InboundMessage, now: Time) -> bool {
    let sender = Participant { id, name: message.sender.name.clone(), seen_at: now };
    match known.iter().position(|participant| participant.id == id) {
        Some(place) if known[place].seen_at.day() == now.day() => return false,
        Some(place) => known[place] = sender,
        None => {
            if known.len() >= MAX_PARTICIPANTS {
                let oldest = known.iter().enumerate().min_by_key(|(_, participant)| participant.seen_at);
                known.remove(oldest.map_or(0, |(place, _)| place));
            }
            known.push(sender);
        }
    }
    true
}
