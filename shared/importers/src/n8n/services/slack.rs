//! Messages of Slack.

use serde_json::{Value, json};

use super::call::Call;
use super::slack_files;
use super::source::{Arg, Source, located};
use crate::lenient::{is_empty, list, scalar_text, text};
use crate::notes::{Notes, note};
use crate::script::quote;
use crate::translation::Translation;

pub fn translate(source: &Source) -> Option<Translation> {
    match (source.resource("message"), source.operation("")) {
        ("message", "" | "post" | "postMessage" | "send") => post(source),
        ("message", "update") => update(source),
        ("message", "delete") => {
            let result = answer(source);
            let mut call = Call::new("slack/delete-message")?;
            call.set(source, "channel", channel(source));
            call.set_from(source, "ts", "timestamp");
            call.node(result)
        }
        ("file", operation) => slack_files::translate(source, operation),
        _ => None,
    }
}

/// What becomes of an answer with a message.
fn answer(source: &Source) -> &'static str {
    if source.version < 2.0 { "n8n.slackAnswer(output.body)" } else { "n8n.slackMessage(output.body)" }
}

/// The text. A message with blocks or attachments may have none.
fn written(source: &Source) -> Arg {
    match source.find("text") {
        Some(text) => Arg::Parameter(text.clone()),
        None => Arg::Script("undefined".to_owned()),
    }
}

/// The channel or the person.
fn channel(source: &Source) -> Arg {
    let is_user = source.text("select") == "user";
    let paths: [&str; 2] = if is_user { ["user", "channelId"] } else { ["channelId", "channel"] };
    let path = paths.into_iter().find(|path| source.find(path).is_some()).unwrap_or(paths[0]);
    let raw = source.raw(path);
    let value = located(raw);
    let sign = match text(&raw["mode"]) {
        "username" => "@",
        "url" => return Arg::Script(format!("String({}).split('/').pop()", (source.js)(value))),
        _ => return Arg::Parameter(if value.is_null() { "".into() } else { value.clone() }),
    };
    match scalar_text(value) {
        written if written.starts_with('=') => {
            Arg::Script(format!("String({}).replace(/^{sign}?/, '{sign}')", (source.js)(value)))
        }
        written => Arg::text(format!("{sign}{}", written.trim_start_matches(sign))),
    }
}

/// Lists of blocks and attachments: JSON in a text, or the fields of the editor.
fn blocks(source: &Source, notes: &mut Notes) -> Option<Arg> {
    let given = source.find_any(&["blocksUi", "blocksJson"])?;
    match given {
        Value::String(written) if !written.starts_with('=') => {
            let parsed: Value = serde_json::from_str(written).ok()?;
            let blocks = if parsed.is_array() { parsed } else { parsed["blocks"].clone() };
            (!is_empty(&blocks)).then(|| escape(blocks))
        }
        Value::String(_) => Some(Arg::Script(format!("n8n.slackBlocks({})", (source.js)(given)))),
        other => {
            let blocks = list(&other["blocksValues"]);
            if blocks.is_empty() {
                return None;
            }
            note(notes, "its blocks of the editor are sent as they are");
            Some(Arg::Parameter(blocks.into()))
        }
    }
}

/// A value whose texts are no expressions.
fn escape(value: Value) -> Arg {
    match value {
        Value::Object(fields) => Arg::Object(fields.into_iter().map(|(name, field)| (name, escape(field))).collect()),
        Value::Array(items) => Arg::List(items.into_iter().map(escape).collect()),
        Value::String(text) if text.starts_with('=') => Arg::Script(quote(&text)),
        other => Arg::Parameter(other),
    }
}

fn post(source: &Source) -> Option<Translation> {
    let mut notes = Notes::new();
    let option = |name: &str| source.find(&format!("otherOptions.{name}"));
    let kind = source.text("messageType");
    let ephemeral = source.get("otherOptions.ephemeral.ephemeralValues.user");
    let is_ephemeral = !is_empty(ephemeral) && *source.get("otherOptions.ephemeral") != false;
    let mut call = Call::new(if is_ephemeral { "slack/post-ephemeral" } else { "slack/post-message" })?;
    call.set(source, "channel", channel(source));
    call.set(source, "text", written(source));
    if is_ephemeral {
        call.set(source, "user", Arg::Parameter(located(ephemeral).clone()));
    }
    if kind != "text"
        && kind != "attachment"
        && let Some(blocks) = blocks(source, &mut notes)
    {
        call.set(source, "blocks", blocks);
    }
    let attachments = list(source.get("attachments"));
    if !attachments.is_empty() && kind != "block" && !is_ephemeral {
        call.set(source, "attachments", Arg::List(attachments.iter().map(attachment).collect()));
    }
    if is_ephemeral {
        return Some(call.node(answer(source))?.with_notes(notes));
    }
    let thread = source.get("otherOptions.thread_ts.replyValues");
    let thread_ts = [&thread["thread_ts"], source.get("otherOptions.thread_ts")];
    if let Some(thread_ts) = thread_ts.into_iter().find(|ts| !is_empty(ts) && !ts.is_object()) {
        let is_text = thread_ts.as_str().is_some_and(|text| !text.starts_with('='));
        let thread_ts = match is_text {
            true => Arg::Parameter(thread_ts.clone()),
            false if thread_ts.is_number() => Arg::text(scalar_text(thread_ts)),
            false => Arg::Script(format!("n8n.slackThread({})", (source.js)(thread_ts))),
        };
        call.set(source, "thread_ts", thread_ts);
    }
    if thread["reply_broadcast"] == true {
        call.set(source, "reply_broadcast", Arg::Parameter(true.into()));
    }
    for name in ["unfurl_links", "unfurl_media", "mrkdwn", "link_names"] {
        if let Some(value) = option(name) {
            call.set(source, name, Arg::Parameter(value.clone()));
        }
    }
    if option("botProfile").is_some() || option("icon_emoji").is_some() || option("username").is_some() {
        note(&mut notes, "the name and the picture are those of the app");
    }
    Some(call.node(answer(source))?.with_notes(notes))
}

/// An attachment, whose fields are in a list of the editor.
fn attachment(attachment: &Value) -> Arg {
    let Some(fields) = attachment.as_object() else { return Arg::Parameter(attachment.clone()) };
    let fields = fields.iter().map(|(name, value)| {
        let value = if name == "fields" { json!(list(&value["item"])) } else { value.clone() };
        (name.clone(), Arg::Parameter(value))
    });
    Arg::Object(fields.collect())
}

fn update(source: &Source) -> Option<Translation> {
    let mut notes = Notes::new();
    let mut call = Call::new("slack/update-message")?;
    call.set(source, "channel", channel(source));
    call.set_from(source, "ts", "ts");
    call.set(source, "text", written(source));
    if let Some(blocks) = blocks(source, &mut notes) {
        call.set(source, "blocks", blocks);
    }
    Some(call.node(answer(source))?.with_notes(notes))
}
