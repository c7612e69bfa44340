//! Replies of Outlook, and its trigger. Its other operations are lines of `operations.jsonl`.

use serde_json::json;

use super::call::Call;
use super::poll::{MAX_POLLED, Poll};
use super::source::{Arg, Source, names};
use crate::lenient::{is_empty, list};
use crate::n8n::http_config;
use crate::translation::Translation;

const FILTERS: [&str; 4] = ["custom", "readStatus", "hasAttachments", "sender"];

const API: &str = "https://graph.microsoft.com/v1.0/me/messages";

pub fn translate(source: &Source) -> Option<Translation> {
    match (source.resource("message"), source.operation("send")) {
        ("message", "reply") if source.version >= 2.0 => Some(reply(source)),
        _ => None,
    }
}

/// A node makes the draft of the answer, which a second one sends. All receive it unless only the sender is meant.
fn reply(source: &Source) -> Translation {
    let id = source.js_or("messageId", "\"\"");
    let url = |id: &str, action: &str| json!({"js": format!("`{API}/${{encodeURIComponent({id})}}/{action}`")});
    let written = source.argument_or("message", "").script(source.js);
    let (action, body) = match source.is_true("replyToSenderOnly") {
        true => {
            let fields = source.js_or("additionalFields", "{}");
            let message = format!("n8n.outlookMessage({{ content: {written}, fields: {fields} }})");
            ("createReply", format!("{{ message: n8n.without({message}, [\"attachments\"]) }}"))
        }
        false => ("createReplyAll", format!("{{ comment: {written} }}")),
    };
    let draft = http_config::call("POST", url(&id, action), Some(http_config::json_body(body)), "output.body");
    let translation = match source.is_true("options.saveAsDraft") {
        true => Translation::new("http", draft),
        false => {
            let send = http_config::call("POST", url("$json.id", "send"), None, "$json");
            Translation::new("http", draft).before("draft", "http", send)
        }
    };
    let has_files = !is_empty(source.get("additionalFields.attachments"));
    translation.with_reconnects(["a credential for Outlook"]).with_notes(has_files.then_some("its files are not sent"))
}

pub fn poll(source: &Source) -> Option<Poll> {
    let filters =
        FILTERS.iter().filter_map(|name| Some(((*name).to_owned(), source.find(&format!("filters.{name}"))?)));
    let filters = filters.map(|(name, value)| (name, Arg::Parameter(value.clone())));
    // A list that is sorted by the time must be filtered by it first.
    let since = ("since".to_owned(), Arg::Script("$now.minus({ days: 7 })".to_owned()));
    let folders = list(source.get("filters.foldersToInclude"));
    let folders = (!folders.is_empty()).then(|| ("folders".to_owned(), Arg::Parameter(folders.into())));
    let filter = Arg::Object([since].into_iter().chain(filters).chain(folders).collect()).script(source.js);
    let mut call = Call::new("outlook/list-messages")?;
    call.set(source, "filter", Arg::Script(format!("n8n.outlookFilter({filter})")));
    call.set(source, "orderby", Arg::text("receivedDateTime desc"));
    call.set(source, "top", Arg::Parameter(MAX_POLLED.into()));
    let output = source.text("output");
    let fields = names(source.get("fields"));
    if output == "fields" && !fields.is_empty() {
        call.set(source, "select", Arg::text(format!("id,{}", fields.join(","))));
    }
    let notes = source.is_true("options.downloadAttachments").then_some("its files are not read");
    let list = call.node("output.body.value")?.with_notes(notes);
    Some(match output {
        "raw" | "fields" => Poll::new(list, "$json.id"),
        _ => Poll::with_items(list, "$json.id", "n8n.outlookSimple"),
    })
}
