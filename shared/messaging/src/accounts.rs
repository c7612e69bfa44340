//! The accounts at messaging providers: a message is sent with the credential of its thread.

use std::future::Future;

use domain::Error;
use domain::credential::Credential;
use domain::thread::Thread;
use store::Credentials;

use crate::{Messenger, SendError};

/// Sends parts of messages to the conversations of threads.
pub trait Sender: Sync {
    /// Sends one part of a rendered message. `key` identifies it. Returns the id that the provider gave the part, if it may
    /// later report that it could not deliver the part.
    fn send(
        &self,
        thread: &Thread,
        part: &str,
        key: &str,
    ) -> impl Future<Output = Result<Option<String>, SendError>> + Send;
}

#[derive(Clone)]
pub struct ProviderAccounts {
    pub credentials: Credentials,
    pub messenger: Messenger,
}

impl Sender for ProviderAccounts {
    async fn send(&self, thread: &Thread, part: &str, key: &str) -> Result<Option<String>, SendError> {
        let credential = self.open(thread).await?;
        self.messenger.send(thread.credential, &credential, &thread.destination, part, key).await
    }
}

impl ProviderAccounts {
    async fn open(&self, thread: &Thread) -> Result<Credential, SendError> {
        let opened = self.credentials.open(thread.account, thread.workflow, thread.credential).await;
        opened.map_err(|error| match error {
            Error::NotFound { .. } => SendError::Refused {
                code: "credential_gone".to_owned(),
                message: "the credential of the channel was deleted; choose another one and publish".to_owned(),
            },
            error => {
                tracing::error!(?error, "the credential of a channel could not be opened");
                let message = "the platform could not read the credential of the channel; try again later".to_owned();
                SendError::NotSent { wait: None, message }
            }
        })
    }
}
