//! Methods of Telegram's bots. The token of the bot is a part of the path, so a credential of the type `path` fills it in.

use serde_json::{Value, json};

use super::source::{Arg, Source};
use crate::lenient::{is_empty, list, text};
use crate::n8n::http_config::{self, FILE_LIMIT, multipart};
use crate::script::quote;
use crate::translation::Translation;

const API: &str = "https://api.telegram.org/bot{credential}";
const CREDENTIAL: &str = "a credential for Telegram, of the type `path`: its value is the token of the bot";

/// A method, with the names of its parameters and of those of n8n.
type Method = (&'static str, &'static [(&'static str, &'static str)]);

const CHAT: (&str, &str) = ("chat_id", "chatId");
const MESSAGE: (&str, &str) = ("message_id", "messageId");

pub fn translate(source: &Source) -> Option<Translation> {
    let resource = source.resource("message");
    let default = match resource {
        "chat" | "file" => "get",
        "callback" => "answerQuery",
        _ => "sendMessage",
    };
    let operation = source.operation(default);
    match (resource, operation) {
        ("file", "get" | "download") => return Some(file(source)),
        ("message", "sendMediaGroup") => return media_group(source),
        _ => {}
    }
    if let Some((method, field)) = media(operation).filter(|_| resource == "message") {
        return media_message(source, method, field);
    }
    let (method, names) = method(resource, operation)?;
    let mut fields = fields(source, names);
    fields.extend(additional(source, operation));
    fields.extend(markup(source).map(|markup| ("reply_markup".to_owned(), markup)));
    let body = json_body(fields, source);
    Some(match method {
        "getChatAdministrators" => {
            Translation::new("http", config(method, body, "output.body.result")).with_reconnects([CREDENTIAL])
        }
        _ => call(method, body),
    })
}

fn method(resource: &str, operation: &str) -> Option<Method> {
    Some(match (resource, operation) {
        ("message", "sendMessage") => ("sendMessage", &[CHAT, ("text", "text")]),
        ("message", "editMessageText") => {
            ("editMessageText", &[CHAT, MESSAGE, ("inline_message_id", "inlineMessageId"), ("text", "text")])
        }
        ("message", "sendLocation") => ("sendLocation", &[CHAT, ("latitude", "latitude"), ("longitude", "longitude")]),
        ("message", "sendChatAction") => ("sendChatAction", &[CHAT, ("action", "action")]),
        ("message", "deleteMessage") => ("deleteMessage", &[CHAT, MESSAGE]),
        ("message", "pinChatMessage") => ("pinChatMessage", &[CHAT, MESSAGE]),
        ("message", "unpinChatMessage") => ("unpinChatMessage", &[CHAT, MESSAGE]),
        ("chat", "get") => ("getChat", &[CHAT]),
        ("chat", "administrators") => ("getChatAdministrators", &[CHAT]),
        ("chat", "leave") => ("leaveChat", &[CHAT]),
        ("chat", "member") => ("getChatMember", &[CHAT, ("user_id", "userId")]),
        ("chat", "setDescription") => ("setChatDescription", &[CHAT, ("description", "description")]),
        ("chat", "setTitle") => ("setChatTitle", &[CHAT, ("title", "title")]),
        ("callback", "answerQuery") => ("answerCallbackQuery", &[("callback_query_id", "queryId")]),
        ("callback", "answerInlineQuery") => {
            ("answerInlineQuery", &[("inline_query_id", "queryId"), ("results", "results")])
        }
        _ => return None,
    })
}

/// The method that sends a file, and the name of its parameter.
fn media(operation: &str) -> Option<(&'static str, &'static str)> {
    Some(match operation {
        "sendAnimation" => ("sendAnimation", "animation"),
        "sendAudio" => ("sendAudio", "audio"),
        "sendDocument" => ("sendDocument", "document"),
        "sendPhoto" => ("sendPhoto", "photo"),
        "sendSticker" => ("sendSticker", "sticker"),
        "sendVideo" => ("sendVideo", "video"),
        _ => return None,
    })
}

type Fields = Vec<(String, Arg)>;

fn fields(source: &Source, names: &[(&str, &str)]) -> Fields {
    let field = |(name, path): &(&str, &str)| {
        let value = source.find(path).cloned().map(Arg::Parameter);
        // n8n shows that the bot is typing if nothing else is chosen.
        let value = value.or_else(|| (*name == "action").then(|| Arg::text("typing")));
        Some(((*name).to_owned(), value?))
    };
    names.iter().filter_map(field).collect()
}

/// The fields of the section "Additional Fields", which has the names of Telegram.
fn additional(source: &Source, operation: &str) -> Fields {
    let given = source.get("additionalFields").as_object().into_iter().flatten();
    let is_known = |name: &str| !matches!(name, "appendAttribution" | "fileName");
    let given = given.filter(|(name, value)| is_known(name) && !is_empty(value));
    let mut fields: Fields = given.map(|(name, value)| (name.clone(), Arg::Parameter(value.clone()))).collect();
    let has_mode = fields.iter().any(|(name, _)| name == "parse_mode");
    if operation == "sendMessage" && !has_mode {
        fields.push(("parse_mode".to_owned(), Arg::text("Markdown")));
    }
    let has_preview = source.raw("additionalFields.disable_web_page_preview");
    if operation == "sendMessage" && source.version >= 1.2 && has_preview.is_null() {
        fields.push(("disable_web_page_preview".to_owned(), Arg::Parameter(true.into())));
    }
    fields
}

/// The buttons and keyboards of a message.
fn markup(source: &Source) -> Option<Arg> {
    let rows = |path: &str| {
        let buttons = |row: &Value| list(&row["row"]["buttons"]).iter().map(button).collect();
        Arg::List(list(source.get(path)).iter().map(|row| Arg::List(buttons(row))).collect())
    };
    let options = |path: &str| -> Fields {
        let options = source.get(path).as_object().into_iter().flatten();
        options.map(|(name, value)| (name.clone(), Arg::Parameter(value.clone()))).collect()
    };
    let named = |name: &str, value: Arg| (name.to_owned(), value);
    Some(Arg::Object(match source.text("replyMarkup") {
        "inlineKeyboard" => vec![named("inline_keyboard", rows("inlineKeyboard.rows"))],
        "replyKeyboard" => {
            let keyboard = [named("keyboard", rows("replyKeyboard.rows"))];
            keyboard.into_iter().chain(options("replyKeyboardOptions")).collect()
        }
        "forceReply" => options("forceReply"),
        "replyKeyboardRemove" => options("replyKeyboardRemove"),
        _ => return None,
    }))
}

fn button(button: &Value) -> Arg {
    let more = button["additionalFields"].as_object().into_iter().flatten();
    let fields = [("text".to_owned(), Arg::Parameter(button["text"].clone()))].into_iter();
    let more = more.filter(|(_, value)| !is_empty(value));
    Arg::Object(fields.chain(more.map(|(name, value)| (name.clone(), Arg::Parameter(value.clone())))).collect())
}

fn media_message(source: &Source, method: &'static str, field: &str) -> Option<Translation> {
    let mut fields = fields(source, &[CHAT]);
    fields.extend(additional(source, method));
    fields.extend(markup(source).map(|markup| ("reply_markup".to_owned(), markup)));
    if !source.is_true("binaryData") {
        fields.push((field.to_owned(), Arg::Parameter(source.find("file")?.clone())));
        return Some(call(method, json_body(fields, source)));
    }
    let name = source.js_or("binaryPropertyName", "\"data\"");
    let file = match source.find("additionalFields.fileName") {
        Some(name_of_file) => {
            format!("$binary[{name}] && {{ ...$binary[{name}], name: {} }}", (source.js)(name_of_file))
        }
        None => format!("$binary[{name}]"),
    };
    let parts =
        fields.iter().map(|(name, value)| format!("{{ name: {}, value: {} }}", quote(name), value.script(source.js)));
    let parts: Vec<String> = parts.chain([format!("{{ name: {}, file: {file} }}", quote(field))]).collect();
    Some(call(method, multipart(&parts)).with_notes([FILE_LIMIT]))
}

/// Several photos and videos with addresses in one message.
fn media_group(source: &Source) -> Option<Translation> {
    let media = list(source.get("media.media")).iter().map(|item| {
        let more = item["additionalFields"].as_object().into_iter().flatten();
        let kind = text(&item["type"]);
        let kind = Arg::text(if kind.is_empty() { "photo" } else { kind });
        let fields = [("type".to_owned(), kind), ("media".to_owned(), Arg::Parameter(item["media"].clone()))];
        let more = more.map(|(name, value)| (name.clone(), Arg::Parameter(value.clone())));
        Arg::Object(fields.into_iter().chain(more).collect())
    });
    let mut fields = fields(source, &[CHAT]);
    fields.push(("media".to_owned(), Arg::List(media.collect())));
    fields.extend(additional(source, "sendMediaGroup"));
    Some(call("sendMediaGroup", json_body(fields, source)))
}

/// The path of a file, and then its content.
fn file(source: &Source) -> Translation {
    let body = json_body(fields(source, &[("file_id", "fileId")]), source);
    if *source.get("download") == false {
        return call("getFile", body);
    }
    let path = config("getFile", body, "n8n.telegramFile(output.body)");
    let kind = source.js("additionalFields.mimeType");
    let result = format!("n8n.telegramContent(output, {kind})");
    let content = http_config::call("GET", json!({"js": "$json.url"}), None, &result);
    Translation::new("http", path)
        .before("path", "http", content)
        .with_reconnects([CREDENTIAL])
        .with_notes([FILE_LIMIT])
}

fn json_body(fields: Fields, source: &Source) -> Value {
    http_config::json_body(Arg::Object(fields).script(source.js))
}

fn config(method: &str, body: Value, result: &str) -> Value {
    http_config::call("POST", format!("{API}/{method}"), Some(body), result)
}

fn call(method: &str, body: Value) -> Translation {
    Translation::new("http", config(method, body, "output.body")).with_reconnects([CREDENTIAL])
}

/// Whether a text has what a message of a channel cannot have: buttons, or a message that it quotes.
pub fn has_form(parameters: &Value) -> bool {
    let has_buttons = !matches!(text(&parameters["replyMarkup"]), "" | "none" | "forceReply");
    has_buttons || !is_empty(&parameters["additionalFields"]["reply_to_message_id"])
}

/// Whether a text is in HTML.
pub fn is_html(parameters: &Value) -> bool {
    text(&parameters["additionalFields"]["parse_mode"]) == "HTML"
}
