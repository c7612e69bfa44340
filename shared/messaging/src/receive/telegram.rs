//! Telegram's updates. Telegram signs nothing: each request has the secret token of the webhook.

use domain::messaging::{Destination, InboundMessage, RemoteFile, Sender};
use domain::time::Time;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::limits::{check_message, media_type_or, name_or};
use super::short_text::{contact_text, location_text, other_text, sticker_text};
use super::signature::{header, is_equal};
use super::{InboundRequest, ReceiveError, Received, parse, read_part};

/// Edited messages and other kinds of updates have other fields, and are ignored.
#[derive(Deserialize)]
struct Update {
    update_id: u64,
    #[serde(default)]
    message: Value,
}

#[derive(Deserialize)]
struct Message {
    chat: Chat,
    /// Missing in channels.
    from: Option<User>,
    date: i64,
    message_thread_id: Option<i64>,
    #[serde(default)]
    is_topic_message: bool,
    text: Option<String>,
    caption: Option<String>,
    /// The same photo in several sizes.
    #[serde(default)]
    photo: Vec<File>,
    document: Option<File>,
    voice: Option<File>,
    audio: Option<File>,
    video: Option<File>,
    video_note: Option<File>,
    sticker: Option<Sticker>,
    location: Option<Location>,
    /// A message with a venue also has its location.
    venue: Option<Venue>,
    contact: Option<Contact>,
    /// The contents that have no field here.
    #[serde(flatten)]
    others: Map<String, Value>,
}

/// Contents of people that become a short text. Other fields describe a message, or report a change of the chat.
const OTHER_CONTENTS: [&str; 7] = ["poll", "dice", "story", "game", "checklist", "paid_media", "invoice"];

#[derive(Deserialize)]
struct Sticker {
    emoji: Option<String>,
}

#[derive(Deserialize)]
struct Location {
    latitude: f64,
    longitude: f64,
}

#[derive(Deserialize)]
struct Venue {
    title: Option<String>,
    address: Option<String>,
}

#[derive(Deserialize)]
struct Contact {
    phone_number: Option<String>,
    first_name: Option<String>,
    last_name: Option<String>,
}

#[derive(Deserialize)]
struct Chat {
    id: i64,
}

#[derive(Deserialize)]
struct User {
    id: i64,
    #[serde(default)]
    is_bot: bool,
    first_name: Option<String>,
    last_name: Option<String>,
}

#[derive(Deserialize)]
struct File {
    file_id: String,
    file_name: Option<String>,
    mime_type: Option<String>,
    file_size: Option<u64>,
    #[serde(default)]
    width: u64,
    #[serde(default)]
    height: u64,
}

pub fn receive(secret_token: &str, request: &InboundRequest<'_>) -> Result<Received, ReceiveError> {
    if !is_equal(header(request.headers, "x-telegram-bot-api-secret-token")?, secret_token) {
        return Err(ReceiveError::Unauthorized);
    }
    let Update { update_id, message } = parse(request.body)?;
    // Telegram repeats an update that is refused, and holds back the others. So an unreadable one is skipped.
    let message: Option<Message> = read_part("message of a Telegram update", message).flatten();
    let message = message.and_then(|message| read(update_id, message)).map(check_message).transpose();
    let message = message.unwrap_or_else(|error| {
        tracing::warn!(%error, "a message of Telegram is skipped");
        None
    });
    Ok(Vec::from_iter(message).into())
}

/// Reads a message. `None` for one that is ignored: of a bot, or without a content, such as a new member.
fn read(update_id: u64, message: Message) -> Option<InboundMessage> {
    let user = message.from.filter(|user| !user.is_bot)?;
    let topic = message.message_thread_id.filter(|_| message.is_topic_message).map(|id| id.to_string());
    let largest = message.photo.into_iter().max_by_key(|size| size.width.saturating_mul(size.height));
    let files = [
        (largest, "photo.jpg", "image/jpeg"),
        (message.document, "document", "application/octet-stream"),
        (message.voice, "voice.ogg", "audio/ogg"),
        (message.audio, "audio.mp3", "audio/mpeg"),
        (message.video, "video.mp4", "video/mp4"),
        (message.video_note, "video.mp4", "video/mp4"),
    ];
    let attachments: Vec<_> = files.into_iter().filter_map(|(file, name, kind)| to_file(file?, name, kind)).collect();
    let described = describe(message.sticker, message.location, message.venue, message.contact);
    let other = OTHER_CONTENTS.into_iter().find(|kind| message.others.contains_key(*kind)).map(other_text);
    let text = message.text.or(message.caption).or(described).or(other).unwrap_or_default();
    if text.trim().is_empty() && attachments.is_empty() {
        return None;
    }
    let names = [user.first_name, user.last_name];
    let name = names.into_iter().flatten().collect::<Vec<_>>().join(" ");
    Some(InboundMessage {
        delivery_key: update_id.to_string(),
        destination: Destination { conversation: message.chat.id.to_string(), topic },
        sender: Sender { id: user.id.to_string(), name: Some(name).filter(|name| !name.is_empty()) },
        text,
        attachments,
        position: update_id,
        sent_at: Some(Time::from_millis(message.date.saturating_mul(1_000))),
    })
}

/// The text of a message that has neither a text nor a file.
fn describe(
    sticker: Option<Sticker>,
    location: Option<Location>,
    venue: Option<Venue>,
    contact: Option<Contact>,
) -> Option<String> {
    let sticker = sticker.map(|sticker| sticker_text(sticker.emoji));
    let location = location.map(|Location { latitude, longitude }| {
        let (title, address) = venue.map(|venue| (venue.title, venue.address)).unwrap_or_default();
        location_text(latitude, longitude, [title, address])
    });
    let contact = contact.map(|contact| contact_text([contact.first_name, contact.last_name, contact.phone_number]));
    sticker.or(location).or(contact)
}

fn to_file(file: File, name: &str, media_type: &str) -> Option<RemoteFile> {
    Some(RemoteFile {
        reference: Some(file.file_id).filter(|id| !id.is_empty())?,
        name: name_or(file.file_name, name),
        media_type: media_type_or(file.mime_type, media_type),
        size: file.file_size,
    })
}
