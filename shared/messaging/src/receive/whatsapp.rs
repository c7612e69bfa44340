//! Webhooks of the WhatsApp Cloud API. Meta signs the body with the secret of the app, and may deliver several messages
//! at once, also of other phone numbers of the app.

use std::collections::HashMap;

use domain::messaging::{Destination, InboundMessage, RemoteFile, Sender};
use domain::time::Time;
use serde::Deserialize;

use super::limits::{MAX_MESSAGES, check_message, media_type_or, name_or};
use super::signature::{decode_hex, header, is_equal, is_signed};
use super::{InboundRequest, ReceiveError, Received, Subscription, parse};

const MAX_CHALLENGE_CHARS: usize = 200;

#[derive(Deserialize)]
struct Notification {
    #[serde(default)]
    entry: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    changes: Vec<Change>,
}

#[derive(Deserialize)]
struct Change {
    field: String,
    value: serde_json::Value,
}

#[derive(Deserialize)]
struct Messages {
    metadata: Metadata,
    #[serde(default)]
    contacts: Vec<Contact>,
    /// Missing if the change reports statuses of our own messages.
    #[serde(default)]
    messages: Vec<Message>,
}

#[derive(Deserialize)]
struct Metadata {
    phone_number_id: String,
}

#[derive(Deserialize)]
struct Contact {
    wa_id: String,
    profile: Option<Profile>,
}

#[derive(Deserialize)]
struct Profile {
    name: Option<String>,
}

/// Only one of the optional fields is set. Reactions, locations and other types have other fields, and are ignored.
#[derive(Deserialize)]
struct Message {
    from: String,
    id: String,
    /// Unix seconds.
    timestamp: String,
    text: Option<Text>,
    image: Option<Media>,
    document: Option<Media>,
    audio: Option<Media>,
    video: Option<Media>,
    button: Option<Button>,
    interactive: Option<Interactive>,
}

#[derive(Deserialize)]
struct Text {
    body: String,
}

#[derive(Deserialize)]
struct Media {
    id: String,
    mime_type: Option<String>,
    filename: Option<String>,
    caption: Option<String>,
}

#[derive(Deserialize)]
struct Button {
    text: String,
}

#[derive(Deserialize)]
struct Interactive {
    button_reply: Option<Reply>,
    list_reply: Option<Reply>,
}

#[derive(Deserialize)]
struct Reply {
    title: String,
}

pub fn receive(
    app_secret: &str,
    phone_number_id: &str,
    request: &InboundRequest<'_>,
) -> Result<Received, ReceiveError> {
    let signature = header(request.headers, "x-hub-signature-256")?;
    let signature = signature.strip_prefix("sha256=").and_then(decode_hex).ok_or(ReceiveError::Unauthorized)?;
    if !is_signed(app_secret.as_bytes(), &[request.body], &signature) {
        return Err(ReceiveError::Unauthorized);
    }
    let Notification { entry } = parse(request.body)?;
    let changes = entry.into_iter().flat_map(|entry| entry.changes).filter(|change| change.field == "messages");
    let mut received = Vec::new();
    for change in changes {
        let invalid = |_| ReceiveError::Malformed("a change of the field `messages` has no messages".to_owned());
        let messages = Messages::deserialize(change.value).map_err(invalid)?;
        if messages.metadata.phone_number_id == phone_number_id {
            read(messages, &mut received)?;
        }
    }
    Ok(Received::Messages(received))
}

/// Answers `GET …?hub.mode=subscribe&hub.verify_token=…&hub.challenge=…`.
pub fn answer_subscription(verify_token: &str, subscription: &Subscription<'_>) -> Result<String, ReceiveError> {
    let Subscription { mode, verify_token: given, challenge } = *subscription;
    if !is_equal(given, verify_token) || mode != "subscribe" {
        return Err(ReceiveError::Unauthorized);
    }
    // The answer repeats it, so it must not be markup.
    let is_plain = challenge.bytes().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-' | b'.'));
    if challenge.is_empty() || challenge.len() > MAX_CHALLENGE_CHARS || !is_plain {
        return Err(ReceiveError::Malformed("`hub.challenge` is missing or not a plain text".to_owned()));
    }
    Ok(challenge.to_owned())
}

fn read(messages: Messages, received: &mut Vec<InboundMessage>) -> Result<(), ReceiveError> {
    let Messages { contacts, messages, .. } = messages;
    let names: HashMap<String, Option<String>> =
        contacts.into_iter().map(|contact| (contact.wa_id, contact.profile.and_then(|profile| profile.name))).collect();
    for message in messages {
        let name = names.get(&message.from).cloned().flatten();
        let Some(message) = read_message(message, name)? else { continue };
        if received.len() == MAX_MESSAGES {
            return Err(ReceiveError::Malformed(format!("more than {MAX_MESSAGES} messages")));
        }
        received.push(check_message(message)?);
    }
    Ok(())
}

fn read_message(message: Message, name: Option<String>) -> Result<Option<InboundMessage>, ReceiveError> {
    let invalid = || ReceiveError::Malformed("the timestamp of a message is not a number of seconds".to_owned());
    let seconds: u32 = message.timestamp.parse().map_err(|_| invalid())?;
    let (mut text, mut attachments) = (String::new(), Vec::new());
    let media = [
        (message.image, "image.jpg", "image/jpeg"),
        (message.document, "document", "application/octet-stream"),
        (message.audio, "audio.ogg", "audio/ogg"),
        (message.video, "video.mp4", "video/mp4"),
    ];
    for (media, name, media_type) in media {
        let Some(Media { id, mime_type, filename, caption }) = media else { continue };
        text = caption.unwrap_or_default();
        let media_type = media_type_or(mime_type, media_type);
        attachments.push(RemoteFile { reference: id, name: name_or(filename, name), media_type, size: None });
    }
    let reply = message.interactive.and_then(|interactive| interactive.button_reply.or(interactive.list_reply));
    let written =
        [message.text.map(|text| text.body), message.button.map(|button| button.text), reply.map(|reply| reply.title)];
    text = written.into_iter().flatten().next().unwrap_or(text);
    if text.trim().is_empty() && attachments.is_empty() {
        return Ok(None);
    }
    Ok(Some(InboundMessage {
        delivery_key: message.id,
        destination: Destination { conversation: message.from.clone(), topic: None },
        sender: Sender { id: message.from, name },
        text,
        attachments,
        position: seconds.into(),
        sent_at: Some(Time::from_millis(i64::from(seconds) * 1_000)),
    }))
}
