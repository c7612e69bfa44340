//! Failures that a provider reports after it had accepted a message.

use super::Threads;
use super::item::{KeyItem, MessageItem};
use super::messages::provider_key_hash;
use crate::item::parse;
use crate::keys;
use domain::id::{CredentialId, ThreadId};
use domain::messaging::DeliveryFailure;
use domain::thread::DeliveryState;
use domain::{Error, Result};

impl Threads {
    /// Records that a message of the account with this credential was not delivered. Messages that are not known are
    /// ignored: other systems may use the account, too.
    pub async fn record_failure(&self, credential: CredentialId, failure: &DeliveryFailure) -> Result<()> {
        for destination in &failure.destinations {
            let thread = ThreadId::of_conversation(credential, destination);
            if self.fail_message(thread, failure).await? {
                break;
            }
        }
        Ok(())
    }

    /// Returns false if the thread has no such message.
    async fn fail_message(&self, id: ThreadId, failure: &DeliveryFailure) -> Result<bool> {
        let key = keys::message_key(id, &provider_key_hash(&failure.provider_id));
        let Some(item) = self.journal.get(&key).await? else {
            self.require_no_delivery(id).await?;
            return Ok(false);
        };
        let message = keys::message(id, parse::<KeyItem>(item)?.number);
        let Some(item) = self.journal.get(&message).await? else { return Ok(true) };
        let state = parse::<MessageItem>(item)?.state;
        match state {
            DeliveryState::Sent | DeliveryState::Uncertain => {}
            // The end of the delivery would replace the failure.
            DeliveryState::Sending => self.require_no_delivery(id).await?,
            DeliveryState::Failed | DeliveryState::Received => return Ok(true),
        }
        // It is not known which part failed, so a repeated delivery sends all of them.
        let failed = self
            .journal
            .update(message)
            .set(MessageItem::STATE, DeliveryState::Failed)
            .set(MessageItem::ERROR, &failure.error);
        let failed = failed.set(MessageItem::SENT_PARTS, 0).require_is(MessageItem::STATE, state);
        let written = self.journal.write(failed).await?;
        written.or_error(|_| Error::busy("the message changes while its failure is recorded"))?;
        tracing::info!(thread_id = %id, "a message was not delivered after its provider had accepted it");
        Ok(true)
    }

    /// Fails while a delivery is in flight. A report may arrive before the end of the delivery is stored; the provider
    /// repeats it later.
    async fn require_no_delivery(&self, id: ThreadId) -> Result<()> {
        let head = self.item(id).await?;
        match head.and_then(|head| head.control.sending_until(self.now())) {
            Some(_) => Err(Error::busy("a message of the conversation is being sent")),
            None => Ok(()),
        }
    }
}
