//! Apps of Dify.

mod chat;
mod context;
mod document;
mod nodes;
mod texts;

use serde_json::{Value, json};

use super::draft::{Draft, Named};
use super::loose::{clipped, number, text, whole};
use super::made::Made;
use super::slug::Ids;
use super::{Imported, Source, Status};
use crate::Result;
use crate::engine::nodes::{ERROR, IN};
use context::{App, Context};
use document::Document;

const MAX_NAME_CHARS: usize = 200;
const MAX_DESCRIPTION_CHARS: usize = 2_000;
/// The handle of a node that has but one.
const SOURCE: &str = "source";

pub fn read(document: &Value) -> Result<Imported> {
    let document = Document::read(document)?;
    let name = document.name.trim();
    let name = if name.is_empty() { "Imported from Dify".to_owned() } else { clipped(name, MAX_NAME_CHARS - 1) };
    let description = Some(document.description.trim()).filter(|text| !text.is_empty());
    let description = description.map(|text| clipped(text, MAX_DESCRIPTION_CHARS - 1));

    let (mut draft, mut ids) = (Draft::new(Source::Dify), Ids::default());
    if document.nodes.is_empty() && document.model_config.is_object() {
        chat::draw(&document, &mut draft, &mut ids);
    } else {
        let given = document.nodes.iter().map(|node| ids.give(&[&node.title, node.id, node.kind])).collect();
        let app = App { document, ids: given };
        (0..app.document.nodes.len()).for_each(|node| add(&app, node, &mut draft, &mut ids));
        connect(&app, &mut draft);
        lead_back(&app, &mut draft);
    }
    let (graph, report) = draft.finish();
    Ok(Imported { name, description, graph, report })
}

fn add(app: &App, node: usize, draft: &mut Draft, ids: &mut Ids) {
    let source = &app.document.nodes[node];
    let (id, kind) = (app.ids[node].as_str(), source.kind);
    let title = if source.title.is_empty() { id } else { &source.title };
    let named = Named { id, title, kind, position: source.position(), original: source.raw };
    match kind {
        "note" => return draft.leave_out(&named, Status::Mapped, "is a note, and left out"),
        _ if source.is_body_start() => {
            return draft.leave_out(&named, Status::Mapped, "is where the loop's output item leads");
        }
        "loop-end" => {
            let why = "ended its loop: here the loop goes around as often as it may";
            return draft.leave_out(&named, Status::Partial, why);
        }
        _ => {}
    }
    let mut made = nodes::make(Context { app, node });
    if made.unsupported.is_none() {
        policies(source.data, &mut made);
    }
    draft.add(&named, made, ids);
}

/// How often it is tried, and what follows when it fails.
fn policies(data: &Value, made: &mut Made) {
    match text(&data["error_strategy"]) {
        "fail-branch" if !made.branch_on_error() => {
            made.notes.push("it cannot fail here, so its way for errors is never gone".to_owned());
        }
        "default-value" => {
            made.set_policy("onError", &json!("continue"));
            made.notes.push("when it fails its value is null, where it had a value of its own for that".to_owned());
        }
        _ => {}
    }
    let retry = &data["retry_config"];
    if retry["retry_enabled"] == true {
        // It counted the tries after the first.
        let attempts = whole(&retry["max_retries"]).unwrap_or(3).saturating_add(1).clamp(1, 10);
        let wait = number(&retry["retry_interval"]).unwrap_or(1_000.0).clamp(0.0, 3_600_000.0) as u64;
        made.set_policy("retry", &json!({"maxAttempts": attempts, "backoffMs": wait, "maxBackoffMs": wait.max(1)}));
    }
}

fn connect(app: &App, draft: &mut Draft) {
    let document = &app.document;
    for edge in &document.edges {
        let source = &document.nodes[edge.from];
        if source.is_body_start() {
            if let Some(&around) = source.parent.and_then(|parent| document.places.get(parent)) {
                draft.connect(around, "item", edge.to, IN);
            }
            continue;
        }
        let exits = draft.exits(edge.from);
        let of = match edge.handle.as_str() {
            "fail-branch" => ERROR,
            // Most nodes have one handle, and name it by chance.
            "" | SOURCE | "success-branch" | "loop" if exits.len() == 1 => &exits[0],
            handle => handle,
        };
        // The end of a loop is no node here; what led to it comes back.
        draft.connect(edge.from, of, edge.to, IN);
    }
    for around in (0..document.nodes.len()).filter(|node| document.nodes[*node].is_container()) {
        // Before there were nodes for it, a container named the first of its body.
        let has_start = document.children(around).any(|child| document.nodes[child].is_body_start());
        let first = text(&document.nodes[around].data["start_node_id"]);
        if let (false, Some(&first)) = (has_start, document.places.get(first)) {
            draft.connect(around, "item", first, IN);
        }
    }
}

/// Where a body ends it comes back to its loop, by every way that leads nowhere else.
fn lead_back(app: &App, draft: &mut Draft) {
    let document = &app.document;
    for around in (0..document.nodes.len()).filter(|node| document.nodes[*node].is_container()) {
        for child in document.children(around).collect::<Vec<_>>() {
            let outgoing: Vec<_> = document
                .edges
                .iter()
                .filter(|edge| edge.from == child && document.nodes[edge.to].kind != "loop-end")
                .collect();
            let exits = draft.exits(child);
            for exit in &exits {
                let is_gone = |handle: &str| handle == exit || (exits.len() == 1 && handle != "fail-branch");
                if exit != "item" && !outgoing.iter().any(|edge| is_gone(&edge.handle)) {
                    draft.lead_back(child, exit, around);
                }
            }
        }
    }
}
