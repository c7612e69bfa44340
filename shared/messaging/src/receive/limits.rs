//! The limits of what a delivery may contain. Its sender is authentic, but the sender's users are not trusted.

use domain::media_type::without_parameters;
use domain::messaging::{Destination, InboundMessage, MAX_ATTACHMENTS, MAX_INBOUND_TEXT_CHARS, RemoteFile, Sender};

use super::ReceiveError;

/// The maximum number of messages of a delivery. Only WhatsApp sends more than one.
pub const MAX_MESSAGES: usize = 100;
const MAX_ID_CHARS: usize = 200;
const MAX_NAME_CHARS: usize = 200;
const MAX_REFERENCE_CHARS: usize = 2_000;

/// Applies the limits to a message. Texts, names and lists are cut; an id that is too long is refused, because a cut one
/// would be another id.
pub fn check_message(message: InboundMessage) -> Result<InboundMessage, ReceiveError> {
    let InboundMessage { delivery_key, destination, sender, text, attachments, position, sent_at } = message;
    let Destination { conversation, topic } = destination;
    check_chars("the id of a message", &delivery_key, MAX_ID_CHARS)?;
    check_chars("the id of a conversation", &conversation, MAX_ID_CHARS)?;
    check_chars("the id of a topic", topic.as_deref().unwrap_or("-"), MAX_ID_CHARS)?;
    check_chars("the id of a sender", &sender.id, MAX_ID_CHARS)?;
    let attachments = attachments.into_iter().take(MAX_ATTACHMENTS).map(check_file);
    Ok(InboundMessage {
        delivery_key,
        destination: Destination { conversation, topic },
        sender: Sender { id: sender.id, name: sender.name.map(|name| cut(&name, MAX_NAME_CHARS)) },
        text: cut(&text, MAX_INBOUND_TEXT_CHARS),
        attachments: attachments.collect::<Result<_, _>>()?,
        position,
        sent_at,
    })
}

fn check_file(file: RemoteFile) -> Result<RemoteFile, ReceiveError> {
    check_chars("the reference of a file", &file.reference, MAX_REFERENCE_CHARS)?;
    let (name, media_type) = (cut(&file.name, MAX_NAME_CHARS), cut(&file.media_type, MAX_NAME_CHARS));
    Ok(RemoteFile { name, media_type, ..file })
}

fn check_chars(what: &str, text: &str, most: usize) -> Result<(), ReceiveError> {
    if text.is_empty() {
        return Err(ReceiveError::Malformed(format!("{what} is empty")));
    }
    if text.chars().count() > most {
        return Err(ReceiveError::Malformed(format!("{what} has more than {most} characters")));
    }
    Ok(())
}

fn cut(text: &str, most: usize) -> String {
    let end = text.char_indices().nth(most).map_or(text.len(), |(end, _)| end);
    text[..end].to_owned()
}

/// The name of a file, or the default if it has none.
pub fn name_or(name: Option<String>, default: &str) -> String {
    name.filter(|name| !name.is_empty()).unwrap_or_else(|| default.to_owned())
}

/// The media type of a file without one.
pub fn media_type_or(media_type: Option<String>, default: &str) -> String {
    // WhatsApp adds parameters, such as `audio/ogg; codecs=opus`.
    name_or(media_type.map(|text| without_parameters(&text)), default)
}
