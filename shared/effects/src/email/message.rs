//! The text of an email: its header, its bodies and its attachments.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use engine::nodes::email::EmailNode;
use engine::run::StepError;
use lettre::address::{Address, Envelope};
use lettre::message::header::{ContentTransferEncoding, ContentType};
use lettre::message::{Attachment, Body, Mailbox, Message, MultiPart, SinglePart};
use serde::Deserialize;
use serde_json::Value;

const MAX_RECIPIENTS: usize = 100;
const MAX_ATTACHMENTS: usize = 20;

/// An email that can be sent.
pub struct Email {
    pub id: String,
    pub from: Address,
    /// All recipients, also the hidden ones.
    pub recipients: Vec<Address>,
    pub text: Vec<u8>,
}

/// A file of the field `attachments`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct File {
    name: String,
    content_type: Option<String>,
    text: Option<String>,
    base64: Option<String>,
}

impl Email {
    /// Writes an email. Its id is a function of the key, so that the receiver recognizes a message that is sent again.
    pub fn write(node: &EmailNode<Value, String>, key: &str) -> Result<Self, StepError> {
        let from = read_address("from", &node.from)?;
        let id = format!("<{key}@{}>", from.email.domain());
        let mut message =
            Message::builder().from(from.clone()).subject(one_line(&node.subject)).message_id(Some(id.clone()));
        let mut recipients = Vec::new();
        let lists = [("to", Some(&node.to)), ("cc", node.cc.as_ref()), ("bcc", node.bcc.as_ref())];
        for (field, list) in lists {
            for mailbox in read_addresses(field, list.map_or("", String::as_str))? {
                recipients.push(mailbox.email.clone());
                message = match field {
                    "to" => message.to(mailbox),
                    "cc" => message.cc(mailbox),
                    // Only the server learns of it.
                    _ => message,
                };
            }
        }
        if recipients.len() > MAX_RECIPIENTS {
            return Err(invalid(format!("config.to: an email has at most {MAX_RECIPIENTS} recipients; send several")));
        }
        if let Some(reply_to) = node.reply_to.as_deref().filter(|text| !text.trim().is_empty()) {
            message = message.reply_to(read_address("replyTo", reply_to)?);
        }
        let body = write_body(node)?;
        let envelope = Envelope::new(Some(from.email.clone()), recipients.clone());
        let envelope = envelope.map_err(|_| invalid("config.to: there is no recipient"))?;
        let written = message
            .envelope(envelope)
            .date_now()
            .multipart(body)
            .map_err(|error| invalid(format!("it cannot be written: {error}")))?;
        Ok(Self { id, from: from.email, recipients, text: written.formatted() })
    }
}

/// The texts as alternatives, and the files beside them.
fn write_body(node: &EmailNode<Value, String>) -> Result<MultiPart, StepError> {
    let texts = match (node.text.as_deref().map(with_whole_lines), node.html.as_deref().map(with_whole_lines)) {
        (Some(text), Some(html)) => MultiPart::alternative_plain_html(text, html),
        (None, Some(html)) => MultiPart::mixed().singlepart(SinglePart::html(html)),
        (text, None) => MultiPart::mixed().singlepart(SinglePart::plain(text.unwrap_or_default())),
    };
    let files = read_files(node.attachments.as_ref())?;
    if files.is_empty() {
        return Ok(texts);
    }
    let mut parts = MultiPart::mixed().multipart(texts);
    for (index, File { name, content_type, text, base64 }) in files.into_iter().enumerate() {
        let wrong = |problem: &str| invalid(format!("config.attachments: file {} {problem}", index + 1));
        let content_type = content_type.as_deref().unwrap_or("application/octet-stream");
        let is_undeclared = content_type.starts_with("text/") && !content_type.contains("charset");
        let charset = if text.is_some() && is_undeclared { "; charset=utf-8" } else { "" };
        let content = match (text, base64) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(base64)) => BASE64_STANDARD.decode(base64).map_err(|_| wrong("is not valid base64"))?,
            _ => return Err(wrong("needs either `text` or `base64`")),
        };
        let content_type =
            ContentType::parse(&format!("{content_type}{charset}")).map_err(|_| wrong("has no valid `contentType`"))?;
        parts = parts.singlepart(Attachment::new(one_line(&name)).body(in_base64(content)?, content_type));
    }
    Ok(parts)
}

/// Some servers take a carriage return alone for the end of a line.
fn with_whole_lines(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Bytes of any kind reach every server unchanged in it.
fn in_base64(content: Vec<u8>) -> Result<Body, StepError> {
    Body::new_with_encoding(content, ContentTransferEncoding::Base64).map_err(|_| invalid("a file cannot be encoded"))
}

fn read_files(value: Option<&Value>) -> Result<Vec<File>, StepError> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(Vec::new()) };
    // The cause could contain a value.
    let form =
        "config.attachments: the value must be a list of {name, contentType, text} or {name, contentType, base64}";
    let files: Vec<File> = Vec::deserialize(value).map_err(|_| invalid(form))?;
    if files.len() > MAX_ATTACHMENTS {
        return Err(invalid(format!("config.attachments: an email has at most {MAX_ATTACHMENTS} files")));
    }
    Ok(files)
}

fn read_address(field: &str, text: &str) -> Result<Mailbox, StepError> {
    let mut addresses = read_addresses(field, text)?;
    match addresses.len() {
        1 => Ok(addresses.swap_remove(0)),
        _ => Err(invalid(format!("config.{field}: must be one address"))),
    }
}

/// Addresses between commas or line breaks. A comma in quotes is part of a name.
fn read_addresses(field: &str, text: &str) -> Result<Vec<Mailbox>, StepError> {
    let mut is_quoted = false;
    let parts = text.split(|c| {
        is_quoted ^= c == '"';
        !is_quoted && [',', ';', '\n'].contains(&c)
    });
    let parts = parts.map(str::trim).filter(|part| !part.is_empty()).enumerate();
    let read = |(index, part): (usize, &str)| {
        let wrong =
            || invalid(format!("config.{field}: address {} is not valid; write it as ada@example.com", index + 1));
        part.parse::<Mailbox>().map_err(|_| wrong())
    };
    parts.map(read).collect()
}

/// A text for a header.
fn one_line(text: &str) -> String {
    text.split(char::is_control).map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

fn invalid(message: impl Into<String>) -> StepError {
    StepError::new("email_invalid", message)
}
