//! Messages of Discord, by a bot or a webhook.

use serde_json::{Value, json};

use super::call::Call;
use super::source::{Arg, Source};
use crate::lenient::list;
use crate::translation::Translation;

pub fn translate(source: &Source) -> Option<Translation> {
    let is_webhook = source.version < 2.0 || source.text("authentication") == "webhook";
    let resource = source.resource(if is_webhook { "message" } else { "channel" });
    let sends = matches!((resource, source.operation("")), ("message", "" | "send" | "sendLegacy"));
    match sends {
        true if is_webhook => webhook(source),
        true => send(source),
        false => None,
    }
}

fn content(source: &Source) -> Option<Arg> {
    source.find_any(&["content", "text"]).map(|text| Arg::Parameter(text.clone()))
}

/// The embeds that are given as JSON or by the fields of the editor.
fn embeds(source: &Source) -> Option<Arg> {
    let given = list(source.get("embeds.values"));
    if given.is_empty() {
        return None;
    }
    let embeds = given.iter().map(|embed| match &embed["json"] {
        Value::Null => {
            let fields = embed.as_object().into_iter().flatten();
            let fields = fields.filter(|(name, value)| *name != "inputMethod" && !crate::lenient::is_empty(value));
            let fields = fields.map(|(name, value)| match name.as_str() {
                "author" => (name.clone(), Arg::Object(vec![("name".to_owned(), Arg::Parameter(value.clone()))])),
                "image" | "thumbnail" | "video" => {
                    (name.clone(), Arg::Object(vec![("url".to_owned(), Arg::Parameter(value.clone()))]))
                }
                "color" => (name.clone(), Arg::Script(format!("n8n.discordColor({})", (source.js)(value)))),
                _ => (name.clone(), Arg::Parameter(value.clone())),
            });
            Arg::Object(fields.collect())
        }
        json => Arg::Script(format!("n8n.parsed({})", (source.js)(json))),
    });
    Some(Arg::List(embeds.collect()))
}

fn has_files(source: &Source) -> Option<&'static str> {
    (!list(source.get("files.values")).is_empty()).then_some("its files are not sent")
}

fn send(source: &Source) -> Option<Translation> {
    let mut call = match source.text("sendTo") {
        "user" => return None,
        _ => Call::new("discord/send-message")?,
    };
    call.set_from(source, "channelId", "channelId");
    if let Some(content) = content(source) {
        call.set(source, "content", content);
    }
    if let Some(embeds) = embeds(source) {
        call.set(source, "embeds", embeds);
    }
    call.set_from(source, "replyTo", "options.message_reference");
    call.set_from(source, "tts", "options.tts");
    if let Some(flags) = source.find("options.flags") {
        call.set(source, "flags", Arg::Script(format!("n8n.discordFlags({})", (source.js)(flags))));
    }
    Some(call.node("output.body")?.with_notes(has_files(source)))
}

/// The URL of a webhook is a secret, which n8n has in a credential or in the file. A person must set it.
fn webhook(source: &Source) -> Option<Translation> {
    let mut fields: Vec<(String, Arg)> = Vec::new();
    fields.extend(content(source).map(|content| ("content".to_owned(), content)));
    fields.extend(embeds(source).map(|embeds| ("embeds".to_owned(), embeds)));
    for (name, paths) in [
        ("username", ["options.username", "options.userName"]),
        ("avatar_url", ["options.avatar_url", "options.avatarUrl"]),
    ] {
        fields.extend(source.find_any(&paths).map(|value| (name.to_owned(), Arg::Parameter(value.clone()))));
    }
    let config = json!({
        "method": "POST", "url": "https://discord.com/api/webhooks/to-be-chosen",
        "body": {"type": "json", "value": {"js": Arg::Object(fields).script(source.js)}},
        "failOnStatus": true, "itemMode": {"result": {"js": "output.body ?? { success: true }"}},
    });
    let translation = Translation::new("http", config).with_reconnects(["the URL of the webhook of Discord"]);
    Some(translation.with_notes(has_files(source)))
}
