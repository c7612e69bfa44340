//! Sends messages of a thread. A delivery begins with a permit (`ThreadControl::begin_send`), which is stored together with
//! the message, and ends with what the provider answered. The key of a message makes a repeated delivery continue the first
//! one.

use uuid::Uuid;

use super::item::{KeyItem, MessageItem};
use super::messages::{key_hash, provider_key_hash};
use super::{GONE, Threads};
use crate::item::parse;
use crate::keys;
use crate::revision::Attempts;
use crate::stored_text::StoredText;
use crate::write::Write;
use domain::id::{Id, ThreadId};
use domain::thread::{Author, DeliveryState, MessageRole, NewMessage, SendPermit, Sending, Thread, ThreadMessage};
use domain::time::Time;
use domain::{Error, Result};

/// A delivery that this process has begun.
pub struct Delivery {
    pub thread: Thread,
    pub message: ThreadMessage,
    /// The permit of this process.
    pub sending: Sending,
}

pub enum SendStart {
    Begun(Box<Delivery>),
    /// The message was sent or refused before, or its outcome is uncertain.
    Ended(Box<ThreadMessage>),
    /// Another delivery is in progress, at most until this time.
    Occupied(Time),
    /// An operator holds the thread, so the bot does not answer.
    Suppressed,
}

impl Threads {
    /// Begins the delivery of a message, or begins it again. The key identifies the message.
    pub async fn begin_send(&self, id: ThreadId, author: &Author, key: &str, text: &str) -> Result<SendStart> {
        let mut attempts = Attempts::to_change(ThreadId::KIND);
        let key = key_hash(key);
        let mut stored = None;
        loop {
            let before = self.item(id).await?.ok_or(GONE)?;
            let known = self.message_with_key(id, &key).await?;
            if let Some(message) = &known {
                if !matches!(author, Author::Run(_)) && message.text != text {
                    return Err(Error::idempotency_conflict());
                }
                if has_ended(message.state, author) {
                    return Ok(SendStart::Ended(Box::new(message.clone())));
                }
            }
            let control = match before.control.begin_send(author, Uuid::now_v7(), self.now())? {
                SendPermit::Granted(control) => control,
                SendPermit::Occupied(until) => return Ok(SendStart::Occupied(until)),
                SendPermit::Suppressed => return Ok(SendStart::Suppressed),
            };
            let sending = control.sending.clone().ok_or_else(|| Error::internal("a permit is granted"))?;
            let head = before.clone();
            let (head, control) = match known {
                Some(_) => (head, control),
                None => (head.with_message(self.now()), control.answer()),
            };
            let after = head.changed(control, before.due_at);
            let mut writes = vec![self.save(&before, &after)];
            let message = match known {
                Some(message) => {
                    let again = self.journal.update(keys::message(id, message.number));
                    let again = again.set(MessageItem::STATE, DeliveryState::Sending).remove(MessageItem::ERROR);
                    writes.push(again.require_exists());
                    message
                }
                None => {
                    // The text is stored once, however often the transaction is tried.
                    let stored = match &stored {
                        Some(stored) => StoredText::clone(stored),
                        None => stored.insert(self.store_text(id, after.retention, text).await?).clone(),
                    };
                    let item = self.message_item(&after, &NewMessage::outgoing(author, text), stored);
                    let expires_at = after.retention.expiry(self.now());
                    writes.push(self.journal.put(&item));
                    writes.push(self.journal.put(&KeyItem::new(id, &key, after.message_count, expires_at)));
                    item.into_message(text.to_owned())
                }
            };
            let outcome = self.entities.transact(after.write_id, &writes).await?;
            if self.was_saved(&outcome, &after)? {
                return Ok(SendStart::Begun(Box::new(Delivery { thread: after.into(), message, sending })));
            }
            attempts.next().await?;
        }
    }

    async fn message_with_key(&self, id: ThreadId, key: &str) -> Result<Option<ThreadMessage>> {
        match self.journal.get(&keys::message_key(id, key)).await?.map(parse::<KeyItem>).transpose()? {
            Some(item) => self.message(id, item.number).await,
            None => Ok(None),
        }
    }

    /// Notes how many parts of the message the provider has accepted, so that a repeated delivery continues there, and the
    /// id that it gave the last of them.
    pub async fn note_sent_parts(
        &self,
        delivery: &Delivery,
        sent_parts: usize,
        provider_id: Option<&str>,
    ) -> Result<()> {
        let message = keys::message(delivery.thread.id, delivery.message.number);
        let update = self.journal.update(message).set(MessageItem::SENT_PARTS, sent_parts);
        let update = update.require(MessageItem::SENT_PARTS.is_less_than(sent_parts));
        let is_noted = self.journal.write(update).await?.is_written();
        if let Some(provider_id) = provider_id.filter(|_| is_noted) {
            let _ = self.journal.write(self.put_provider_key(delivery, provider_id)).await?;
        }
        Ok(())
    }

    /// The write that stores which message has this id at the provider. It is kept as long as the message.
    fn put_provider_key(&self, delivery: &Delivery, provider_id: &str) -> Write {
        let Delivery { thread, message, .. } = delivery;
        let expires_at = thread.retention.expiry(self.now());
        self.journal.put(&KeyItem::new(thread.id, &provider_key_hash(provider_id), message.number, expires_at))
    }

    /// Ends a delivery with its outcome, and the id that the provider gave the last part. If its permit has ended, another
    /// process may have begun it again: then only the fact that the message was sent is stored.
    pub async fn end_send(
        &self,
        delivery: &Delivery,
        state: DeliveryState,
        error: Option<&str>,
        provider_id: Option<&str>,
    ) -> Result<ThreadMessage> {
        let Delivery { thread, message, sending } = delivery;
        let ended = ThreadMessage { state, error: error.map(str::to_owned), ..message.clone() };
        let outcome = self.journal.update(keys::message(thread.id, message.number)).set(MessageItem::STATE, state);
        let outcome = outcome.set_or_remove(MessageItem::ERROR, error).require_exists();
        let key = provider_id.map(|provider_id| self.put_provider_key(delivery, provider_id));
        let mut attempts = Attempts::to_change(ThreadId::KIND);
        loop {
            let before = self.item(thread.id).await?.filter(|head| head.control.sending.as_ref() == Some(sending));
            let Some(before) = before else {
                if state == DeliveryState::Sent
                    && self.journal.write(outcome).await?.is_written()
                    && let Some(key) = key
                {
                    let _ = self.journal.write(key).await?;
                }
                return Ok(ended);
            };
            let mut control = before.control.clone().end_send(sending.permit);
            // A reminder that was not sent may be repeated at once.
            if message.role == MessageRole::System && state == DeliveryState::Failed {
                control.reminded_at = None;
            }
            let after = before.clone().changed(control, before.due_at);
            let writes: Vec<_> = [self.save(&before, &after), outcome.clone()].into_iter().chain(key.clone()).collect();
            let written = self.entities.transact(after.write_id, &writes).await?;
            if self.was_saved(&written, &after)? {
                return Ok(ended);
            }
            attempts.next().await?;
        }
    }
}

/// Whether a message is not sent again. A run decides itself what follows an uncertain delivery. A person sees it, and may
/// repeat what was not sent.
fn has_ended(state: DeliveryState, author: &Author) -> bool {
    match (state, author) {
        (DeliveryState::Sent, _) => true,
        (DeliveryState::Failed, author) => matches!(author, Author::Run(_)),
        (DeliveryState::Uncertain, author) => !matches!(author, Author::Run(_)),
        (DeliveryState::Received | DeliveryState::Sending, _) => false,
    }
}
