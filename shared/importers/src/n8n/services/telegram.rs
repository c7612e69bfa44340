//! Texts to a chat of Telegram or WhatsApp. They go over the channels of the workflow, because the token of a bot of Telegram is
//! a part of its URLs.

use serde_json::{Map, Value, json};

use super::source::{Source, text_field};
use crate::lenient::{entries, is_empty, text};
use crate::notes::{Notes, note};
use crate::translation::Translation;

pub fn translate(source: &Source) -> Option<Translation> {
    let sends = matches!(source.resource("message"), "message")
        && matches!(source.operation("sendMessage"), "sendMessage" | "send" | "post");
    if !sends {
        let is_url = source.kind == "whatsApp" && source.text("operation") == "mediaUrlGet";
        return if is_url { super::meta::media_url(source) } else { None };
    }
    match source.kind {
        "telegram" => telegram(source),
        _ => whats_app(source),
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
    for (name, value) in entries(source.get("additionalFields")) {
        let is_default = is_empty(value) || *value == false;
        match name.as_str() {
            _ if is_default || name == "appendAttribution" => {}
            "parse_mode" => note(&mut notes, "its text is sent as a plain text, without the marks of Telegram"),
            "reply_to_message_id" => note(&mut notes, "it does not quote a message"),
            "disable_web_page_preview" | "disable_notification" => {}
            other => note(&mut notes, format!("`{}` is not imported", crate::lenient::truncate(other, 40))),
        }
    }
    if matches!(source.get("replyMarkup"), markup if !matches!(text(markup), "" | "none")) {
        note(&mut notes, "its buttons are not sent: people answer with a message");
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
