//! Texts to a chat of Telegram or WhatsApp, which go over the channels of the workflow.

use serde_json::{Map, Value, json};

use super::source::{Source, text_field};
use super::telegram_bot::is_html;
use crate::lenient::{entries, is_empty, truncate};
use crate::notes::{Notes, note};
use crate::translation::Translation;

/// The fields of a text that change nothing here: a channel renders Markdown.
const KEPT: [&str; 5] =
    ["appendAttribution", "parse_mode", "disable_web_page_preview", "disable_notification", "message_thread_id"];

pub fn translate(source: &Source) -> Option<Translation> {
    let sends = matches!(source.resource("message"), "message")
        && matches!(source.operation("sendMessage"), "sendMessage" | "send" | "post");
    match source.kind {
        "telegram" if sends && !is_html(source.parameters) => telegram(source),
        "telegram" => super::telegram_bot::translate(source),
        _ if source.operation("sendTemplate") == "sendTemplate" => super::meta::send_template(source),
        _ if sends => whats_app(source),
        _ if source.text("operation") == "mediaUrlGet" => super::meta::media_url(source),
        _ => None,
    }
}

fn send(source: &Source, written: &Value, to: Option<&Value>, result: &str) -> Translation {
    let mut config = Map::from_iter([("text".to_owned(), text_field(source, written))]);
    if let Some(to) = to {
        config.insert("to".to_owned(), json!({"js": format!("String({})", (source.js)(to))}));
    }
    config.insert("itemMode".to_owned(), json!({"result": {"js": result}}));
    Translation::new("send_message", config.into())
        .with_reconnects([format!("a messaging channel for {}", source.kind)])
}

fn telegram(source: &Source) -> Option<Translation> {
    let written = source.find("text")?;
    let mut notes = Notes::new();
    let chat = source.find("chatId");
    let result = format!(
        "({{ ok: true, result: {{ message_id: Number(output.messageId) || output.messageId, chat: {{ id: {} }}, text: {} }} }})",
        source.js("chatId"),
        source.js("text")
    );
    let more = entries(source.get("additionalFields")).filter(|(_, value)| !is_empty(value) && **value != false);
    for (name, _) in more.filter(|(name, _)| !KEPT.contains(&name.as_str())) {
        note(&mut notes, format!("`{}` is not imported", truncate(name, 40)));
    }
    Some(send(source, written, chat, &result).with_notes(notes))
}

fn whats_app(source: &Source) -> Option<Translation> {
    if !matches!(source.text("messageType"), "" | "text") {
        return super::meta::send_media(source);
    }
    let written = source.find("textBody")?;
    let result = "({ messages: [{ id: output.messageId }] })";
    Some(send(source, written, source.find("recipientPhoneNumber"), result))
}
