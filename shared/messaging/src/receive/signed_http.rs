//! Messages by signed HTTP requests, as Standard Webhooks describes them: the signature covers the id, the time and the
//! body.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::address;
use domain::credential::signing_key;
use domain::messaging::{Destination, InboundMessage, RemoteFile, Sender};
use domain::time::Time;
use serde::Deserialize;

use super::limits::{check_message, media_type_or, name_or};
use super::signature::{check_time, header, is_signed};
use super::{InboundRequest, ReceiveError, Received, parse};

/// A sender that changes its secret signs with the old and the new one.
const MAX_SIGNATURES: usize = 10;

#[derive(Deserialize)]
struct Message {
    conversation: String,
    participant: Participant,
    #[serde(default)]
    text: String,
    position: Option<u64>,
    #[serde(default)]
    attachments: Vec<Attachment>,
}

#[derive(Deserialize)]
struct Participant {
    id: String,
    name: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attachment {
    url: String,
    name: Option<String>,
    media_type: Option<String>,
    size: Option<u64>,
}

pub fn receive(secret: &str, request: &InboundRequest<'_>, now: Time) -> Result<Received, ReceiveError> {
    let (id, seconds) = verify(secret, request, now)?;
    let Message { conversation, participant, text, position, attachments } = parse(request.body)?;
    if text.trim().is_empty() && attachments.is_empty() {
        return Err(ReceiveError::Malformed("the message has neither a text nor attachments".to_owned()));
    }
    let message = check_message(InboundMessage {
        delivery_key: id.to_owned(),
        destination: Destination { conversation, topic: None },
        sender: Sender { id: participant.id, name: participant.name },
        text,
        attachments: attachments.into_iter().map(to_file).collect::<Result<_, _>>()?,
        position: position.unwrap_or(u64::try_from(seconds).unwrap_or_default()),
        sent_at: Some(Time::from_millis(seconds.saturating_mul(1_000))),
    })?;
    Ok(vec![message].into())
}

/// Returns the id and the time of the request.
fn verify<'a>(secret: &str, request: &InboundRequest<'a>, now: Time) -> Result<(&'a str, i64), ReceiveError> {
    let [id, time, signatures] =
        ["webhook-id", "webhook-timestamp", "webhook-signature"].map(|name| header(request.headers, name));
    let (id, time, signatures) = (id?, time?, signatures?);
    let key = signing_key(secret).ok_or(ReceiveError::Unauthorized)?;
    let parts = [id.as_bytes(), b".", time.as_bytes(), b".", request.body];
    let signatures = signatures.split(' ').take(MAX_SIGNATURES).filter_map(|signature| signature.strip_prefix("v1,"));
    let mut signatures = signatures.filter_map(|signature| BASE64_STANDARD.decode(signature).ok());
    if !signatures.any(|signature| is_signed(&key, &parts, &signature)) {
        return Err(ReceiveError::Unauthorized);
    }
    Ok((id, check_time(time, now)?))
}

fn to_file(Attachment { url, name, media_type, size }: Attachment) -> Result<RemoteFile, ReceiveError> {
    if let Some(problem) = address::problem(&url) {
        return Err(ReceiveError::Malformed(format!("the URL of an attachment: {}", problem.en)));
    }
    let media_type = media_type_or(media_type, "application/octet-stream");
    Ok(RemoteFile { reference: url, name: name_or(name, "file"), media_type, size })
}
