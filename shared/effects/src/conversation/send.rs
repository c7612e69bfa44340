//! Performs `send_message` nodes.

use std::time::Duration;

use domain::id::{CredentialId, Id, ThreadId};
use domain::messaging::MessagingProvider;
use domain::run::{Run, StepError};
use domain::thread::Author;
use domain::{Error, Result};
use engine::drive::{EffectError, EffectResult, RetryHint};
use messaging::Delivered;
use serde_json::Value;
use store::threads::Inbox;

use super::outgoing::{outcome, read_destination, read_text};
use super::{Outgoing, ThreadConversations};
use crate::errors::{refused, to_effect_error};

impl ThreadConversations {
    pub(super) async fn send_message(&self, run: &Run, step: &str, node: &Outgoing) -> EffectResult {
        let text = read_text(node)?;
        let thread = match &node.to {
            None => match &run.thread {
                Some(thread) => thread.id,
                None => {
                    let message = "config.to: no message started the run, so the node needs a recipient";
                    return Err(refused("no_recipient", message));
                }
            },
            Some(to) => self.open_thread(run, step, to).await?,
        };
        // The key of the effect changes with each attempt, but a message is sent once.
        let key = format!("{}/{step}", run.id);
        let delivered = self.deliveries.deliver(thread, &Author::Run(run.id), &key, text).await;
        match delivered.map_err(to_effect_error)? {
            Delivered::Sent(message) => Ok(outcome("sent", thread, Some(message.id))),
            Delivered::Suppressed => Ok(outcome("suppressed", thread, None)),
            Delivered::Refused(message) => Err(refused("delivery_refused", &message)),
            Delivered::Uncertain { reason, .. } => Err(uncertain(reason)),
            Delivered::Postponed { wait, reason } => Err(postponed(wait, reason)),
        }
    }

    /// Returns the thread of the recipient in `config.to`. It begins with the first message to them.
    async fn open_thread(&self, run: &Run, step: &str, to: &Value) -> Result<ThreadId, EffectError> {
        let (credential, provider) = self.find_sender(run, step).await.map_err(to_effect_error)?;
        let destination = read_destination(Some(provider), to)?;
        let (account, workflow, retention) = (run.account, run.workflow, run.retention);
        let inbox = Inbox { credential, provider, account, workflow, retention };
        self.deliveries.threads.open(&inbox, &destination).await.map_err(to_effect_error)
    }

    /// The account with which the node sends, as the release configures its channel.
    async fn find_sender(&self, run: &Run, step: &str) -> Result<(CredentialId, MessagingProvider)> {
        let release = self.plans.find(run.account, run.workflow, run.release).await?;
        let gone = || Error::NotFound { kind: CredentialId::KIND };
        let credential = release.sender_of(domain::run::node_id_of(step)).ok_or_else(gone)?;
        let summary = self.deliveries.sender.credentials.get(run.account, run.workflow, credential).await?;
        Ok((credential, MessagingProvider::of(summary.r#type).ok_or_else(gone)?))
    }
}

fn uncertain(reason: String) -> EffectError {
    EffectError { error: StepError::new("delivery_uncertain", reason), retry: RetryHint::Uncertain }
}

fn postponed(wait: Duration, reason: String) -> EffectError {
    EffectError { error: StepError::new("not_sent", reason), retry: RetryHint::After(wait) }
}
