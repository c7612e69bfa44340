//! Calls of the providers' APIs: sends a part of a message, and tests a credential. One call is one request, without
//! retries: the caller knows what another attempt may repeat.

mod answer;
mod error;
mod requests;
mod signed_http;
mod slack;
mod telegram;
mod whatsapp;

use std::sync::Arc;

use domain::credential::Credential;
use domain::id::CredentialId;
use domain::messaging::Destination;
use domain::time::Clock;
use outbound::Calls;
use platform::Context;

use crate::urls::ProviderUrls;

pub use error::SendError;
pub(crate) use requests::authorized_get;
pub(crate) use telegram::call as call_telegram;
pub(crate) use whatsapp::{describe_failure as describe_whatsapp_failure, to_error as to_whatsapp_error};

use answer::Answered;
use requests::json_request;

/// Calls the providers. Cheap to clone.
#[derive(Clone)]
pub struct Messenger {
    pub(crate) calls: Calls,
    pub(crate) urls: Arc<ProviderUrls>,
    pub(crate) clock: Clock,
}

impl Messenger {
    pub fn new(calls: Calls, urls: ProviderUrls, clock: Clock) -> Self {
        Self { calls, urls: Arc::new(urls), clock }
    }

    pub fn from_context(context: &Context, calls: Calls) -> Self {
        Self::new(calls, ProviderUrls::from_config(&context.config), context.clock.clone())
    }

    /// Sends one part of a rendered message. `key` identifies it: a receiver of signed requests can recognize a
    /// repeated one. The other providers have no such key. Returns the id that the provider gave the part, if it may later
    /// report that it could not deliver the part.
    pub async fn send(
        &self,
        credential_id: CredentialId,
        credential: &Credential,
        destination: &Destination,
        part: &str,
        key: &str,
    ) -> Result<Option<String>, SendError> {
        let sent = match credential {
            Credential::Slack { bot_token, .. } => slack::send(self, bot_token, destination, part).await.map(|()| None),
            Credential::Telegram { bot_token, .. } => {
                telegram::send(self, bot_token, destination, part).await.map(|()| None)
            }
            Credential::Whatsapp { access_token, phone_number_id, .. } => {
                whatsapp::send(self, access_token, phone_number_id, destination, part).await
            }
            Credential::SignedHttp { url, secret } => {
                signed_http::send(self, url, secret, &destination.conversation, part, key).await.map(|()| None)
            }
            credential => Err(SendError::not_messaging(credential)),
        };
        log_failure(credential_id, credential, sent)
    }

    /// Calls the provider without sending a message. Returns a short name of the account.
    pub async fn test(&self, credential_id: CredentialId, credential: &Credential) -> Result<String, SendError> {
        let tested = match credential {
            Credential::Slack { bot_token, .. } => slack::test(self, bot_token).await,
            Credential::Telegram { bot_token, .. } => telegram::test(self, bot_token).await,
            Credential::Whatsapp { access_token, phone_number_id, .. } => {
                whatsapp::test(self, access_token, phone_number_id).await
            }
            Credential::SignedHttp { url, secret } => {
                signed_http::test(self, url, secret, &format!("test_{credential_id}")).await
            }
            credential => Err(SendError::not_messaging(credential)),
        };
        log_failure(credential_id, credential, tested)
    }
}

/// Logs why a call failed. The error contains no token, URL or text.
fn log_failure<T>(
    credential_id: CredentialId,
    credential: &Credential,
    result: Result<T, SendError>,
) -> Result<T, SendError> {
    if let Err(error) = &result {
        let (provider, code) = (credential.r#type(), error.code());
        tracing::info!(%credential_id, %provider, code, "a messaging provider did not accept a call");
    }
    result
}
