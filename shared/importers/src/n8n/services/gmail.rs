//! Gmail. Messages are written as MIME by the library, so that they can have files.

use serde_json::{Value, json};

use super::call::{Call, for_all_items};
use super::poll::{MAX_POLLED, Poll};
use super::source::{Arg, Source, names};
use crate::lenient::{is_empty, list, scalar_text, text};
use crate::n8n::http_config;
use crate::notes::{Notes, note};
use crate::script::quote;
use crate::translation::Translation;
use engine::nodes::OUT;

const PROFILE: &str = "https://gmail.googleapis.com/gmail/v1/users/me/profile";
const LABELS: &str = "https://gmail.googleapis.com/gmail/v1/users/me/labels";

/// How many messages are read if no limit is set.
const DEFAULT_LIMIT: u64 = 50;

pub fn translate(source: &Source) -> Option<Translation> {
    let id = if source.find("messageId").is_some() { "messageId" } else { "threadId" };
    match (source.resource("message"), source.operation("")) {
        ("message", "" | "send" | "sendEmail") => send(source, "gmail/send-raw-message"),
        ("draft", "" | "create") => send(source, "gmail/create-raw-draft"),
        ("message", "reply") => reply(source, "gmail/get-message", "messageId"),
        ("thread", "reply") if source.find("messageId").is_some() => reply(source, "gmail/get-message", "messageId"),
        ("thread", "reply") => reply(source, "gmail/get-thread", "threadId"),
        ("message", "get") => get(source, Arg::Parameter(source.get("messageId").clone())),
        ("message", "getAll") => get_all(source),
        ("message", "addLabels") => labels(source, id, "addLabelIds", label_ids(source)),
        ("message", "removeLabels") => labels(source, id, "removeLabelIds", label_ids(source)),
        ("messageLabel", "" | "add") => labels(source, "messageId", "addLabelIds", label_ids(source)),
        ("messageLabel", "remove") => labels(source, "messageId", "removeLabelIds", label_ids(source)),
        ("message", "markAsRead") => labels(source, id, "removeLabelIds", Arg::Parameter(json!(["UNREAD"]))),
        ("message", "markAsUnread") => labels(source, id, "addLabelIds", Arg::Parameter(json!(["UNREAD"]))),
        ("thread", "get") => get_thread(source),
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
        // Version 2 sends HTML if nothing is chosen, except as a draft.
        _ if source.resource("message") == "draft" => source.text("emailType") == "html",
        _ => matches!(source.text("emailType"), "" | "html"),
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
    // A file without a name is that of the field `data`. An expression may give several names.
    let files: Vec<Arg> = files
        .flat_map(|file| match &file["property"] {
            property if is_empty(property) => vec![Arg::text("data")],
            property if text(property).starts_with('=') => vec![Arg::Parameter(property.clone())],
            property => names(property).into_iter().map(Arg::text).collect(),
        })
        .collect();
    if !files.is_empty() {
        let files = Arg::List(files);
        let is_fixed = files.value().is_some();
        let (files, join) = (files.script(source.js), if is_fixed { "" } else { ".join(\",\")" });
        fields.push(("files".to_owned(), Arg::Script(format!("n8n.files({files}{join})"))));
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

/// A node reads the message, a second one the address of the account, which gets no answer, and a third one sends the answer.
fn reply(source: &Source, operation: &str, id: &str) -> Option<Translation> {
    let mut notes = Notes::new();
    let message = message(source, &mut notes);
    let mut call = Call::new(operation)?;
    call.set(source, id, Arg::Parameter(source.get(id).clone()));
    call.set(source, "format", Arg::text("metadata"));
    let translation = call.node(&format!("({{ original: output.body, message: {message} }})"))?;
    let mut options = vec!["own: output.body.emailAddress"];
    options.extend(source.is_true("options.replyToSenderOnly").then_some("onlySender: true"));
    options.extend(source.is_true("options.replyToRecipientsOnly").then_some("onlyRecipients: true"));
    options.extend((source.version >= 2.2).then_some("readsReplyTo: true"));
    let answer = format!("n8n.gmailReply($json.original, $json.message, {{ {} }})", options.join(", "));
    let account = http_config::call("GET", PROFILE, None, &answer);
    let translation = translation.with_suffix("message").then("account", "http", account);
    let mut send = Call::new("gmail/send-raw-message")?;
    send.set(source, "raw", Arg::Script("$json.raw".to_owned()));
    send.set(source, "threadId", Arg::Script("$json.threadId".to_owned()));
    Some(translation.then("", "http", send.config("output.body")?.into()).with_notes(notes))
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
        true => ("metadata", "output.body".to_owned()),
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
    if is_simple(source) {
        translation = with_labels(translation, "message");
    }
    if source.is_true("options.downloadAttachments") {
        translation = with_attachments(source, translation)?;
    }
    Some(translation)
}

fn get_thread(source: &Source) -> Option<Translation> {
    let mut call = Call::new("gmail/get-thread")?;
    call.set(source, "threadId", Arg::Parameter(source.get("threadId").clone()));
    let format = match source.get("simple") {
        simple if text(simple).starts_with('=') => {
            Arg::Script(format!("({} === false ? \"full\" : \"metadata\")", (source.js)(simple)))
        }
        simple => Arg::text(if *simple == false { "full" } else { "metadata" }),
    };
    call.set(source, "format", format);
    Some(with_labels(call.node("output.body")?, "thread"))
}

/// Adds the names of the labels to messages, or to the messages of conversations. They are read once.
fn with_labels(translation: Translation, suffix: &'static str) -> Translation {
    let mut labels = http_config::call("GET", LABELS, None, "n8n.gmailLabeled(output.body)");
    labels["itemMode"]["run"] = "all".into();
    translation.before(suffix, "http", labels)
}

/// Reads the files of the messages: one more node lists them, one reads each, and one adds them to their messages.
fn with_attachments(source: &Source, mut translation: Translation) -> Option<Translation> {
    let prefix = source.js_or("options.dataPropertyAttachmentsPrefixName", &quote("attachment_"));
    let list = json!({
        "javascript": format!("return n8n.gmailFiles({prefix});"), "outputs": ["files", "messages"], "itemMode": {"run": "all"},
    });
    translation.steps[0].suffix = "message";
    let mut translation = translation.then("files", "code", list);
    let mut call = Call::new("gmail/get-attachment")?;
    call.set(source, "messageId", Arg::Script("$json.messageId".to_owned()));
    call.set(source, "attachmentId", Arg::Script("$json.attachmentId".to_owned()));
    let listed = translation.steps.len() - 1;
    let read = translation.add_step("file", "http", call.config("({ json: { ...$json, data: output.body.data } })")?);
    let gathered = translation.add_step("", "code", for_all_items("return n8n.gmailWithFiles();"));
    translation.wires.extend([
        (listed, "files".to_owned(), read),
        (listed, "messages".to_owned(), gathered),
        (read, OUT.to_owned(), gathered),
    ]);
    let notes = ["files of a message have at most 1 MiB each"];
    Some(translation.with_exits([("0", gathered, OUT)]).with_notes(notes))
}

fn get_all(source: &Source) -> Option<Translation> {
    let (limit, note) = match source.get("limit") {
        _ if source.is_true("returnAll") => {
            (Arg::Parameter(500.into()), Some("only the first 500 messages are read: a loop reads further pages"))
        }
        limit if scalar_text(limit).is_empty() => (Arg::Parameter(DEFAULT_LIMIT.into()), None),
        limit => (Arg::Parameter(limit.clone()), None),
    };
    // The nodes that read one message follow the list.
    Some(search(source, limit, "")?.with_notes(note).with_suffix("list").and_then(get_listed(source)?))
}

/// A trigger: the ids of the newest messages.
pub fn poll(source: &Source) -> Option<Poll> {
    // Its parameters are those of version 2.
    let source = &Source { version: 2.0, ..*source };
    let without = if source.is_true("filters.includeDrafts") { "" } else { "-in:drafts {in:inbox -in:sent}" };
    let list = search(source, Arg::Parameter(MAX_POLLED.into()), without)?;
    Some(Poll { then: Some(get_listed(source)?), ..Poll::new(list, "$json.id") })
}

fn get_listed(source: &Source) -> Option<Translation> {
    get(source, Arg::Script("$json.id".to_owned()))
}

/// The ids of messages. `more` is added to the query.
fn search(source: &Source, limit: Arg, more: &str) -> Option<Translation> {
    let filters = if source.version < 2.0 { "additionalFields" } else { "filters" };
    let mut call = Call::new("gmail/list-messages")?;
    let mut query = Vec::new();
    for name in ["q", "sender", "readStatus", "receivedAfter", "receivedBefore"] {
        if let Some(value) = source.find(&format!("{filters}.{name}")) {
            query.push((name.to_owned(), Arg::Parameter(value.clone())));
        }
    }
    match (&query[..], more) {
        ([], "") => {}
        ([], more) => call.set(source, "q", Arg::text(more)),
        ([(name, argument)], "") if name == "q" => call.set(source, "q", argument.clone()),
        ([(name, Arg::Parameter(status))], "") if name == "readStatus" && !text(status).starts_with('=') => {
            if matches!(text(status), "read" | "unread") {
                call.set(source, "q", Arg::text(format!("is:{}", text(status))));
            }
        }
        _ => {
            query.extend((!more.is_empty()).then(|| ("more".to_owned(), Arg::text(more))));
            let query = Arg::Object(query).script(source.js);
            call.set(source, "q", Arg::Script(format!("n8n.gmailQuery({query})")));
        }
    }
    let ids = names(source.get(&format!("{filters}.labelIds")));
    if let Some(first) = ids.first() {
        call.set(source, "labelIds", Arg::Parameter(first.clone().into()));
    }
    if source.is_true(&format!("{filters}.includeSpamTrash")) {
        call.set(source, "includeSpamTrash", Arg::Parameter(true.into()));
    }
    call.set(source, "maxResults", limit);
    let several = ids.first().filter(|_| ids.len() > 1);
    let note = several.map(|first| format!("only messages with its first label, `{first}`, are searched"));
    Some(call.node("output.body.messages ?? []")?.with_notes(note))
}
