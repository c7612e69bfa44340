//! Webhooks of the WhatsApp Cloud API. Meta signs the body with the secret of the app, and may deliver several messages
//! at once, also of other phone numbers of the app.

use domain::messaging::{DeliveryFailure, Destination, InboundMessage, RemoteFile, Sender};
use domain::text::from_hex;
use domain::time::Time;
use serde::Deserialize;
use serde_json::Value;

use super::limits::{MAX_MESSAGES, check_message, media_type_or, name_or};
use super::short_text::{contact_text, location_text, other_text, sticker_text};
use super::signature::{header, is_equal, is_signed};
use super::{InboundRequest, ReceiveError, Received, Subscription, parse, read_part};
use crate::send::describe_whatsapp_failure;

const MAX_CHALLENGE_CHARS: usize = 200;

/// The types of messages that start no run although they have no content: a text without characters, a reaction, which asks
/// for no answer, and a change of a phone number.
const IGNORED_TYPES: [&str; 3] = ["text", "reaction", "system"];

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
    value: Value,
}

#[derive(Deserialize)]
struct Events {
    metadata: Metadata,
    /// The entries of the lists are read one by one, so that an unreadable one does not prevent the others.
    #[serde(default)]
    contacts: Vec<Value>,
    #[serde(default)]
    messages: Vec<Value>,
    /// What became of the messages that the account sent.
    #[serde(default)]
    statuses: Vec<Value>,
}

#[derive(Deserialize)]
struct Metadata {
    phone_number_id: String,
}

/// A sender. Only people who do not hide their phone number have a `wa_id`.
#[derive(Deserialize)]
struct Contact {
    wa_id: Option<String>,
    user_id: Option<String>,
    profile: Option<Profile>,
}

#[derive(Deserialize)]
struct Profile {
    name: Option<String>,
}

/// Only one of the fields from `text` on is set. Other types have other fields.
#[derive(Deserialize)]
struct Message {
    r#type: Option<String>,
    /// The phone number. Missing if the person hides it.
    from: Option<String>,
    /// The id of the person within the business of the account (BSUID).
    from_user_id: Option<String>,
    user_id: Option<String>,
    /// Set if the message was written in a group.
    group_id: Option<String>,
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
    sticker: Option<Media>,
    location: Option<Location>,
    #[serde(default)]
    contacts: Vec<SharedContact>,
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

/// What became of a message that the account sent.
#[derive(Deserialize)]
struct Status {
    id: String,
    status: String,
    /// The phone number of the recipient, unless they hide it.
    recipient_id: Option<String>,
    /// Their id within the business of the account.
    recipient_user_id: Option<String>,
    #[serde(default)]
    errors: Vec<StatusError>,
}

#[derive(Deserialize)]
struct StatusError {
    code: Option<i64>,
}

#[derive(Deserialize)]
struct Location {
    latitude: f64,
    longitude: f64,
    name: Option<String>,
    address: Option<String>,
}

#[derive(Deserialize)]
struct SharedContact {
    name: Option<ContactName>,
    #[serde(default)]
    phones: Vec<Phone>,
}

#[derive(Deserialize)]
struct ContactName {
    formatted_name: Option<String>,
}

#[derive(Deserialize)]
struct Phone {
    phone: Option<String>,
}

pub fn receive(
    app_secret: &str,
    phone_number_id: &str,
    request: &InboundRequest<'_>,
) -> Result<Received, ReceiveError> {
    let signature = header(request.headers, "x-hub-signature-256")?;
    let signature = signature.strip_prefix("sha256=").and_then(from_hex).ok_or(ReceiveError::Unauthorized)?;
    if !is_signed(app_secret.as_bytes(), &[request.body], &signature) {
        return Err(ReceiveError::Unauthorized);
    }
    let Notification { entry } = parse(request.body)?;
    let changes = entry.into_iter().flat_map(|entry| entry.changes).filter(|change| change.field == "messages");
    let (mut messages, mut failures) = (Vec::new(), Vec::new());
    for change in changes {
        let Some(events) = read_part::<Events>("change of a WhatsApp delivery", change.value) else { continue };
        if events.metadata.phone_number_id == phone_number_id {
            failures.extend(events.statuses.into_iter().filter_map(read_failure));
            read_messages(events.contacts, events.messages, &mut messages)?;
        }
    }
    if failures.len() > MAX_MESSAGES {
        tracing::warn!(failures = failures.len(), "a WhatsApp delivery reports more failures than are recorded");
        failures.truncate(MAX_MESSAGES);
    }
    Ok(Received::Events { messages, failures })
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

/// Reads the status of a message that failed. The other statuses are not recorded.
fn read_failure(status: Value) -> Option<DeliveryFailure> {
    let Status { id, status, recipient_id, recipient_user_id, errors } =
        read_part("status of a WhatsApp delivery", status)?;
    let addresses = [recipient_id, recipient_user_id].into_iter().flatten();
    let destinations = addresses.map(|conversation| Destination { conversation, topic: None }).collect();
    let error = describe_whatsapp_failure(errors.iter().find_map(|error| error.code));
    (status == "failed").then_some(DeliveryFailure { provider_id: id, destinations, error })
}

fn read_messages(
    contacts: Vec<Value>,
    messages: Vec<Value>,
    received: &mut Vec<InboundMessage>,
) -> Result<(), ReceiveError> {
    let contacts: Vec<Contact> =
        contacts.into_iter().filter_map(|contact| read_part("contact of a WhatsApp delivery", contact)).collect();
    for message in messages {
        let Some(message) = read_part("message of a WhatsApp delivery", message) else { continue };
        let read = read_message(message, &contacts).and_then(|read| read.map(check_message).transpose());
        let message = match read {
            Ok(Some(message)) => message,
            Ok(None) => continue,
            Err(error) => {
                tracing::warn!(%error, "a message of a WhatsApp delivery is skipped");
                continue;
            }
        };
        if received.len() == MAX_MESSAGES {
            return Err(ReceiveError::Malformed(format!("more than {MAX_MESSAGES} messages")));
        }
        received.push(message);
    }
    Ok(())
}

/// Reads a message. `None` for one that is ignored. A message of a group is, because the reply would go to the private
/// chat of its sender.
fn read_message(message: Message, contacts: &[Contact]) -> Result<Option<InboundMessage>, ReceiveError> {
    if message.group_id.is_some() {
        return Ok(None);
    }
    let (sender, name) = find_sender(&message, contacts)?;
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
    let shared: Vec<String> = message.contacts.into_iter().map(describe_contact).collect();
    let written = [
        message.text.map(|text| text.body),
        message.button.map(|button| button.text),
        reply.map(|reply| reply.title),
        message.sticker.map(|_| sticker_text(None)),
        message.location.map(describe_location),
        Some(shared.join("\n")).filter(|text| !text.is_empty()),
    ];
    text = written.into_iter().flatten().next().unwrap_or(text);
    if text.trim().is_empty() && attachments.is_empty() {
        let Some(kind) = message.r#type.filter(|kind| !IGNORED_TYPES.contains(&&**kind)) else { return Ok(None) };
        text = other_text(&kind);
    }
    Ok(Some(InboundMessage {
        delivery_key: message.id,
        destination: Destination { conversation: sender.clone(), topic: None },
        sender: Sender { id: sender, name },
        text,
        attachments,
        position: seconds.into(),
        sent_at: Some(Time::from_millis(i64::from(seconds) * 1_000)),
    }))
}

/// The id and the name of the person who sent a message: their phone number, or their business-scoped user id if they hide
/// the number.
fn find_sender(message: &Message, contacts: &[Contact]) -> Result<(String, Option<String>), ReceiveError> {
    let number = message.from.as_ref().filter(|id| !id.is_empty());
    let user_id = message.from_user_id.as_ref().or(message.user_id.as_ref()).filter(|id| !id.is_empty());
    let is_sender = |contact: &&Contact| {
        number.is_some_and(|id| contact.wa_id.as_ref() == Some(id))
            || user_id.is_some_and(|id| contact.user_id.as_ref() == Some(id))
    };
    // A message without any id of its sender belongs to the only contact.
    let is_only = |_: &&Contact| number.is_none() && user_id.is_none() && contacts.len() == 1;
    let contact = contacts.iter().find(is_sender).or_else(|| contacts.first().filter(is_only));
    let of_contact = contact.and_then(|contact| contact.wa_id.as_ref().or(contact.user_id.as_ref()));
    let id = number.or(user_id).or(of_contact);
    let id = id.ok_or_else(|| ReceiveError::Malformed("a message has no sender".to_owned()))?;
    let name = contact.and_then(|contact| contact.profile.as_ref()).and_then(|profile| profile.name.clone());
    Ok((id.clone(), name))
}

fn describe_location(location: Location) -> String {
    let Location { latitude, longitude, name, address } = location;
    location_text(latitude, longitude, [name, address])
}

fn describe_contact(contact: SharedContact) -> String {
    let phone = contact.phones.into_iter().find_map(|phone| phone.phone);
    contact_text([contact.name.and_then(|name| name.formatted_name), phone])
}
