//! The trigger of Outlook. Its operations are lines of `operations.jsonl`.

use super::call::Call;
use super::poll::{MAX_POLLED, Poll};
use super::source::{Arg, Source, names};
use crate::lenient::list;

const FILTERS: [&str; 4] = ["custom", "readStatus", "hasAttachments", "sender"];

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
