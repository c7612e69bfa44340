//! Deliveries of messaging providers: verifies their signatures, and reads their messages.

mod limits;
mod short_text;
mod signature;
mod signed_http;
mod slack;
mod slack_text;
mod telegram;
mod whatsapp;

use domain::credential::Credential;
use domain::messaging::{DeliveryFailure, InboundMessage};
use domain::time::Time;
use http::HeaderMap;
use serde::Deserialize;
use serde_json::Value;

/// A request as it arrived. The signature covers the raw bytes of the body.
#[derive(Clone, Copy)]
pub struct InboundRequest<'a> {
    pub headers: &'a HeaderMap,
    pub body: &'a [u8],
}

/// What a delivery contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Received {
    /// Both lists are empty if the event is ignored.
    Events { messages: Vec<InboundMessage>, failures: Vec<DeliveryFailure> },
    /// The provider verifies the URL. The text is the body of the answer.
    Challenge(String),
}

impl From<Vec<InboundMessage>> for Received {
    fn from(messages: Vec<InboundMessage>) -> Self {
        Self::Events { messages, failures: Vec::new() }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReceiveError {
    #[error("the signature is missing, wrong or too old")]
    Unauthorized,
    /// The text contains no values of the delivery.
    #[error("the delivery is not valid: {0}")]
    Malformed(String),
}

/// Verifies a delivery and reads its messages. Only a sender who knows the secret of the credential passes. Replays
/// are refused where the provider signs the time.
pub fn receive(credential: &Credential, request: &InboundRequest<'_>, now: Time) -> Result<Received, ReceiveError> {
    match credential {
        Credential::Slack { signing_secret, .. } => slack::receive(signing_secret, request, now),
        Credential::Telegram { secret_token, .. } => telegram::receive(secret_token, request),
        Credential::Whatsapp { app_secret, phone_number_id, .. } => {
            whatsapp::receive(app_secret, phone_number_id, request)
        }
        Credential::SignedHttp { secret, .. } => signed_http::receive(secret, request, now),
        Credential::Bearer { .. }
        | Credential::Basic { .. }
        | Credential::Header { .. }
        | Credential::Query { .. }
        | Credential::Path { .. }
        | Credential::Oauth2ClientCredentials { .. }
        | Credential::Oauth2AuthorizationCode { .. } => Err(ReceiveError::Unauthorized),
    }
}

/// The parameters of the request with which WhatsApp verifies a URL.
#[derive(Clone, Copy, Debug)]
pub struct Subscription<'a> {
    pub mode: &'a str,
    pub verify_token: &'a str,
    pub challenge: &'a str,
}

/// Answers the `GET` request with which WhatsApp verifies the URL of a webhook. Returns the body of the answer. Other
/// providers send no such request.
pub fn answer_subscription(credential: &Credential, subscription: &Subscription<'_>) -> Result<String, ReceiveError> {
    match credential {
        Credential::Whatsapp { verify_token, .. } => whatsapp::answer_subscription(verify_token, subscription),
        _ => Err(ReceiveError::Unauthorized),
    }
}

/// Parses the body of a delivery. The error names the position, and never a value.
fn parse<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, ReceiveError> {
    serde_json::from_slice(body).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        ReceiveError::Malformed(format!("the body is not a valid event of the provider: line {line}, column {column}"))
    })
}

/// Reads a part of a delivery. One that cannot be read is skipped: a refusal would also affect the other parts, and the
/// provider would repeat all of them for days.
fn read_part<T: for<'a> Deserialize<'a>>(part: &'static str, value: Value) -> Option<T> {
    match T::deserialize(value) {
        Ok(read) => Some(read),
        Err(_) => {
            tracing::warn!("a {part} has an unknown form and is skipped");
            None
        }
    }
}

#[cfg(test)]
mod tests;
