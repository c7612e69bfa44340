//! Gmail. Messages are written as MIME by the library, so that they can have files.

use serde_json::{Value, json};

use super::call::Call;
use super::source::{Arg, Source, names, quote};
use crate::lenient::{is_empty, list, scalar_text, text};
use crate::notes::{Notes, note};
use crate::translation::Translation;

/// How many messages are read if no limit is set.
const DEFAULT_LIMIT: u64 = 50;

pub fn translate(source: &Source) -> Option<Translation> {
    let id = if source.find("messageId").is_some() { "messageId" } else { "threadId" };
    match (source.resource("message"), source.operation("")) {
        ("message", "" | "send" | "sendEmail") => send(source, "gmail/send-raw-message"),
        ("draft", "" | "create") => send(source, "gmail/create-raw-draft"),
        ("message", "reply") => reply(source, "gmail/get-message", "messageId"),
        ("thread", "reply") => reply(source, "gmail/get-thread", "threadId"),
        ("message", "get") => get(source, Arg::Parameter(source.get("messageId").clone())),
        ("message", "getAll") => get_all(source),
        ("message", "addLabels") => labels(source, id, "addLabelIds", label_ids(source)),
        ("message", "removeLabels") => labels(source, id, "removeLabelIds", label_ids(source)),
        ("messageLabel", "" | "add") => labels(source, "messageId", "addLabelIds", label_ids(source)),
        ("messageLabel", "remove") => labels(source, "messageId", "removeLabelIds", label_ids(source)),
        ("message", "markAsRead") => labels(source, id, "removeLabelIds", Arg::Parameter(json!(["UNREAD"]))),
        ("message", "markAsUnread") => labels(source, id, "addLabelIds", Arg::Parameter(json!(["UNREAD"]))),
        ("thread", "addLabels") => labels(source, "threadId", "addLabelIds", label_ids(source)),
        ("thread", "removeLabels") => labels(source, "threadId", "removeLabelIds", label_ids(source)),
        _ => None,
    }
}

fn label_ids(source: &Source) -> Arg {
    let ids = source.get("labelIds");
    match ids {
        Value::String(text) if !text.starts_with('=') => Arg::Parameter(json!(names(ids))),
        Value::String(_) => Arg::Script(format!("[].concat({})", (source.js)(ids))),
        other => Arg::Parameter(other.clone()),
    }
}

fn labels(source: &Source, id: &str, field: &str, labels: Arg) -> Option<Translation> {
    let is_thread = id == "threadId";
    let mut call = Call::new(if is_thread { "gmail/change-thread-labels" } else { "gmail/change-labels" })?;
    call.set(source, id, Arg::Parameter(source.get(id).clone()));
    call.set(source, field, labels);
    call.node("output.body")
}

/// The parts of a message, as an object for the library.
fn message(source: &Source, notes: &mut Notes) -> String {
    let mut fields: Vec<(String, Arg)> = Vec::new();
    let mut set = |name: &str, value: Option<&Value>| {
        if let Some(value) = value.filter(|value| !is_empty(value)) {
            fields.push((name.to_owned(), Arg::Parameter(value.clone())));
        }
    };
    let extra = if source.version < 2.0 { "additionalFields" } else { "options" };
    let option = |name: &str| source.find(&format!("{extra}.{name}"));
    let is_html = match source.version {
        version if version < 2.0 => source.is_true("includeHtml"),
        // The newer versions send HTML if nothing is chosen, except as a draft.
        _ if source.resource("message") == "draft" => source.text("emailType") == "html",
        version => match source.text("emailType") {
            "" => version > 2.0,
            kind => kind == "html",
        },
    };
    set("to", source.find_any(&["sendTo", "toList", "toEmail", "options.sendTo"]).or_else(|| option("toList")));
    set("cc", option("ccList"));
    set("bcc", option("bccList"));
    set("replyTo", option("replyTo"));
    set("subject", source.find("subject"));
    match source.version {
        version if version < 2.0 && is_html => {
            set("text", source.find("message"));
            set("html", source.find("htmlMessage"));
        }
        _ => set(if is_html { "html" } else { "text" }, source.find("message")),
    }
    let files = list(source.get(&format!("{extra}.attachmentsUi.attachmentsBinary"))).iter();
    let files = files.flat_map(|file| names(&file["property"])).map(|name| match name.strip_prefix('=') {
        Some(_) => Arg::Parameter(name.into()),
        None => Arg::text(name),
    });
    let files: Vec<Arg> = files.collect();
    if !files.is_empty() {
        let files = Arg::List(files).script(source.js);
        fields.push(("files".to_owned(), Arg::Script(format!("n8n.files({files})"))));
        note(notes, "the message and its files have at most 1 MiB together");
    }
    if option("senderName").is_some() {
        note(notes, "the name of the sender is that of the account");
    }
    Arg::Object(fields).script(source.js)
}

fn send(source: &Source, operation: &str) -> Option<Translation> {
    let mut notes = Notes::new();
    let raw = format!("n8n.mime({})", message(source, &mut notes));
    let mut call = Call::new(operation)?;
    call.set(source, "raw", Arg::Script(raw));
    call.set_from(source, "threadId", "options.threadId");
    Some(call.node("output.body")?.with_notes(notes))
}

/// A node reads the message, and computes the answer, which a second one sends.
fn reply(source: &Source, operation: &str, id: &str) -> Option<Translation> {
    let mut notes = Notes::new();
    let message = message(source, &mut notes);
    let mut call = Call::new(operation)?;
    call.set(source, id, Arg::Parameter(source.get(id).clone()));
    call.set(source, "format", Arg::text("metadata"));
    let only_sender = if source.is_true("options.replyToSenderOnly") { ", { onlySender: true }" } else { "" };
    let translation = call.node(&format!("n8n.gmailReply(output.body, {message}{only_sender})"))?;
    let mut send = Call::new("gmail/send-raw-message")?;
    send.set(source, "raw", Arg::Script("$json.raw".to_owned()));
    send.set(source, "threadId", Arg::Script("$json.threadId".to_owned()));
    let translation = before(translation, "message", "http", send.config("output.body")?.into());
    Some(translation.with_notes(notes))
}

/// Adds a step that gives the node its value.
pub fn before(mut translation: Translation, suffix: &'static str, kind: &'static str, config: Value) -> Translation {
    translation.steps.iter_mut().for_each(|step| step.suffix = suffix);
    translation.then("", kind, config)
}

/// Whether messages are read in their simple form.
fn is_simple(source: &Source) -> bool {
    match source.version {
        version if version < 2.0 => false,
        _ => *source.get("simple") != false,
    }
}

fn get(source: &Source, id: Arg) -> Option<Translation> {
    let mut call = Call::new("gmail/get-message")?;
    call.set(source, "messageId", id);
    let (format, result) = match is_simple(source) {
        true => ("metadata", "n8n.gmailSimple(output.body)".to_owned()),
        false => {
            let given = ["additionalFields.format", "options.format"].map(|path| source.text(path));
            let given = given.into_iter().find(|format| matches!(*format, "full" | "minimal" | "metadata"));
            match given {
                Some(format) => (format, "output.body".to_owned()),
                None => ("full", "n8n.gmailMessage(output.body)".to_owned()),
            }
        }
    };
    call.set(source, "format", Arg::text(format));
    let mut translation = call.node(&result)?;
    if source.is_true("options.downloadAttachments") {
        translation = with_attachments(source, translation)?;
    }
    Some(translation)
}

/// Reads the files of the messages: one more node names them, one reads each, and one puts them to their messages.
fn with_attachments(source: &Source, translation: Translation) -> Option<Translation> {
    let prefix = source.js_or("options.dataPropertyAttachmentsPrefixName", &quote("attachment_"));
    let list = json!({
        "javascript": format!("return n8n.gmailFiles({prefix});"), "outputs": ["files", "messages"], "itemMode": {"run": "all"},
    });
    let mut translation = translation;
    translation.steps[0].suffix = "message";
    let mut translation = translation.then("files", "code", list);
    let mut call = Call::new("gmail/get-attachment")?;
    call.set(source, "messageId", Arg::Script("$json.messageId".to_owned()));
    call.set(source, "attachmentId", Arg::Script("$json.attachmentId".to_owned()));
    let result = "({ json: { ...$json, data: output.body.data } })";
    let read = Translation::new("http", call.config(result)?.into());
    translation
        .steps
        .extend(read.steps.into_iter().map(|step| crate::translation::TranslatedStep { suffix: "file", ..step }));
    translation.wires.push((1, "files".to_owned(), 2));
    let gather = json!({"javascript": "return n8n.gmailWithFiles();", "itemMode": {"run": "all"}});
    translation.steps.extend(Translation::new("code", gather).steps);
    translation.wires.push((1, "messages".to_owned(), 3));
    translation.wires.push((2, "out".to_owned(), 3));
    translation = translation.with_exits([("0", 3, "out")]);
    Some(translation.with_notes(["files of a message have at most 1 MiB each"]))
}

fn get_all(source: &Source) -> Option<Translation> {
    let filters = if source.version < 2.0 { "additionalFields" } else { "filters" };
    let mut call = Call::new("gmail/list-messages")?;
    let mut notes = Notes::new();
    let mut query = Vec::new();
    for name in ["q", "readStatus", "receivedAfter", "receivedBefore", "sender"] {
        if let Some(value) = source.find(&format!("{filters}.{name}")) {
            query.push((name.to_owned(), Arg::Parameter(value.clone())));
        }
    }
    match &query[..] {
        [] => {}
        [(name, argument)] if name == "q" => call.set(source, "q", argument.clone()),
        [(name, Arg::Parameter(status))] if name == "readStatus" && !text(status).starts_with('=') => {
            if matches!(text(status), "read" | "unread") {
                call.set(source, "q", Arg::text(format!("is:{}", text(status))));
            }
        }
        _ => {
            let query = Arg::Object(query).script(source.js);
            call.set(source, "q", Arg::Script(format!("n8n.gmailQuery({query})")));
        }
    }
    let labels = source.get(&format!("{filters}.labelIds"));
    let ids = names(labels);
    if let Some(first) = ids.first() {
        call.set(source, "labelIds", Arg::Parameter(first.clone().into()));
        if ids.len() > 1 {
            note(&mut notes, format!("only messages with its first label, `{first}`, are searched"));
        }
    }
    if source.is_true(&format!("{filters}.includeSpamTrash")) {
        call.set(source, "includeSpamTrash", Arg::Parameter(true.into()));
    }
    let limit = match source.get("limit") {
        _ if source.is_true("returnAll") => {
            note(&mut notes, "only the first 500 messages are read: a loop reads further pages");
            Arg::Parameter(500.into())
        }
        limit if scalar_text(limit).is_empty() => Arg::Parameter(DEFAULT_LIMIT.into()),
        limit => Arg::Parameter(limit.clone()),
    };
    call.set(source, "maxResults", limit);
    let reconnects = call.reconnects();
    let first = call.config("output.body.messages ?? []")?;
    let found = get(source, Arg::Script("$json.id".to_owned()))?;
    // The list comes first.
    let mut translation = Translation::new("http", first.into());
    translation.steps[0].suffix = "list";
    for step in found.steps {
        translation.steps.push(step);
    }
    translation.wires = std::iter::once((0, "out".to_owned(), 1))
        .chain(found.wires.into_iter().map(|(from, port, to)| (from + 1, port, to + 1)))
        .collect();
    translation.exits = found.exits.into_iter().map(|(of, step, port)| (of, step + 1, port)).collect();
    Some(translation.with_notes(notes).with_notes(found.notes).with_reconnects(reconnects))
}
