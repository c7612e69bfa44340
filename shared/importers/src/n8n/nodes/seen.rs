//! A table of the workflow that lets an item pass once, also in later runs.

use serde_json::{Value, json};

use crate::lenient::{text, whole_number};
use crate::n8n::context::Context;
use crate::n8n::javascript::expression;
use crate::translation::Translation;
use domain::data_table::{MAX_ROWS, MAX_ROWS_AT_ONCE};

/// How many keys a poll keeps. Entries that are still in the list are kept, too.
pub const POLL_KEEPS: u64 = 3_000;
const MAX_TABLE_NAME: usize = 60;

/// The configuration of the node. `key` identifies an item. In a poll, what exists at the first run is not new.
pub fn table(node: Context, key: &str, keep: u64, is_poll: bool) -> Value {
    let id = &node.workflow.ids[node.node];
    let name = format!("seen_{id}");
    // The end of an id makes it unique.
    let name = &name[name.len().saturating_sub(MAX_TABLE_NAME)..];
    json!({
        "table": name, "action": "addNew", "keep": keep,
        "values": {"js": format!("n8n.seenRows(() => {key}, {is_poll})")},
        "itemMode": {"run": "all", "result": {"js": format!("n8n.newItems(output, () => {key}, {is_poll})")}},
    })
}

/// Remove Duplicates, with the keys of earlier runs. None if it does something else.
pub fn remove_duplicates(node: Context) -> Option<Translation> {
    let is_by_key = matches!(text(node.parameter("logic")), "" | "removeItemsWithAlreadySeenKeyValues");
    if text(node.parameter("operation")) != "removeItemsSeenInPreviousExecutions" || !is_by_key {
        return None;
    }
    let most = (MAX_ROWS - MAX_ROWS_AT_ONCE) as u64;
    let keep = whole_number(node.option("historySize")).unwrap_or(most).clamp(1, most);
    let notes = [format!("it compares at most {MAX_ROWS_AT_ONCE} items at once, with the last {keep} of earlier runs")];
    let key = expression(node.parameter("dedupeValue"));
    Some(Translation::new("table", table(node, &key, keep, false)).with_notes(notes))
}
