//! Translates triggers that ask a service again and again: a schedule, the list of the service, and a table that lets only new
//! entries pass.

use super::{schedule, seen};
use crate::n8n::context::Context;
use crate::n8n::javascript::expression;
use crate::n8n::services::{self, Poll};
use crate::translation::Translation;

pub fn poll(node: Context) -> Option<Translation> {
    let source = node.source();
    let found = services::poll(source.kind, source.version, node.parameters(), &expression)?;
    let Poll { mut list, key, then } = found;
    // Even an empty list is a first run.
    if let Some(last) = list.steps.last_mut() {
        last.config.entry("itemMode").or_insert_with(|| serde_json::json!({}))["whenEmpty"] = "one".into();
    }
    let table = Translation::new("table", seen::table(node, &key, seen::POLL_KEEPS, true));
    let asked = schedule::polls(node).with_suffix("time").and_then(list.with_suffix("list"));
    let polled = match then {
        Some(then) => asked.and_then(table.with_suffix("new")).and_then(then),
        None => asked.and_then(table),
    };
    Some(polled.with_notes(["it asks the service on a schedule, and begins with what is new after its first run"]))
}
