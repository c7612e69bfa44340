//! Apps of Dify.

mod chat;
mod context;
mod document;
mod nodes;
mod texts;

use serde_json::{Value, json};

use super::draft::{Draft, Named};
use super::loose::{clipped, entries, is_empty, list, number, text, whole};
use super::made::Made;
use super::slug::Ids;
use super::{Imported, Source, Status};
use crate::Result;
use crate::domain::workflow::{MAX_DESCRIPTION_CHARS, MAX_NAME_CHARS};
use crate::engine::nodes::{ERROR, IN};
use context::{App, Context};
use document::{Document, Node};

/// The handle of a node that has but one.
const SOURCE: &str = "source";

pub fn read(document: &Value) -> Result<Imported> {
    let document = Document::read(document)?;
    let name = document.name.trim();
    let name = if name.is_empty() { "Imported from Dify".to_owned() } else { clipped(name, MAX_NAME_CHARS - 1) };
    let description = Some(document.description.trim()).filter(|text| !text.is_empty());
    let description = description.map(|text| clipped(text, MAX_DESCRIPTION_CHARS - 1));

    let (mut draft, mut ids) = (Draft::new(Source::Dify), Ids::default());
    if !document.has_graph() {
        chat::draw(&document, &mut draft, &mut ids)?;
        uncarried(&document).into_iter().for_each(|text| draft.note(0, text));
    } else {
        let given = document.nodes.iter().map(|node| ids.give(&[&node.title, node.id, node.kind])).collect();
        let app = App { document, ids: given };
        for node in 0..app.document.nodes.len() {
            add(&app, node, &mut draft, &mut ids)?;
        }
        connect(&app, &mut draft);
        lead_back(&app, &mut draft);
        tell(&app.document, &mut draft);
    }
    let (graph, report) = draft.finish();
    Ok(Imported { name, description, graph, report })
}

fn add(app: &App, node: usize, draft: &mut Draft, ids: &mut Ids) -> Result<()> {
    let source = &app.document.nodes[node];
    let (id, kind) = (app.ids[node].as_str(), source.kind);
    let title = if source.title.is_empty() { id } else { &source.title };
    let named = Named { id, title, kind, position: source.position(), original: source.raw };
    match kind {
        "note" => draft.leave_out(&named, Status::Mapped, "is a note, and left out"),
        _ if source.is_body_start() => {
            draft.leave_out(&named, Status::Mapped, "is where the loop's output item leads");
        }
        "loop-end" => {
            let why = "ended its loop: here the loop goes around as often as it may";
            draft.leave_out(&named, Status::Partial, why);
        }
        _ => {
            let mut made = nodes::make(Context { app, node });
            if made.unsupported.is_none() {
                policies(source.data, &mut made);
            }
            draft.add(&named, made, ids)?;
        }
    }
    Ok(())
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

/// What is known only of the file as a whole: it is told where it belongs, or where the app begins.
fn tell(document: &Document, draft: &mut Draft) {
    document.loose_ends.iter().for_each(|(node, text)| draft.note(*node, text.clone()));
    let begins = |node: &Node| node.kind == "start" || node.kind.starts_with("trigger-");
    let first = document.nodes.iter().position(begins);
    if let Some(first) = first.or_else(|| document.nodes.iter().position(|node| node.kind != "note")) {
        uncarried(document).into_iter().for_each(|text| draft.note(first, text));
    }
}

/// What an app has beside its nodes, of which nothing is carried over.
fn uncarried(document: &Document) -> Vec<String> {
    let is_on = |feature: &Value| match &feature["enabled"] {
        Value::Bool(is_enabled) => *is_enabled,
        _ => !feature.is_object() && !is_empty(feature) && *feature != false,
    };
    let features: Vec<&str> = entries(&document.workflow["features"])
        .filter(|(_, feature)| is_on(feature))
        .map(|(name, _)| name.as_str())
        .collect();
    let variables = ["environment_variables", "conversation_variables"];
    let variables = variables.into_iter().flat_map(|kind| list(&document.workflow[kind]));
    let variables: Vec<&str> = variables.map(|variable| text(&variable["name"])).collect();
    let dependencies: Vec<&str> = document.dependencies.iter().map(dependency).collect();
    let told = [("features", features), ("variables", variables), ("plugins", dependencies)];
    let told = told.into_iter().filter(|(_, names)| !names.is_empty());
    let told = told.map(|(what, names)| format!("the app's {what} are not imported: {}", listed(&names)));
    let newer = document.is_newer().then(|| {
        let version = clipped(document.version, 20);
        format!("the file is of version {version}, which is not known here: see that nothing is missing")
    });
    newer.into_iter().chain(told).collect()
}

/// `langgenius/openai:0.0.7@…` without what it is held to.
fn dependency(dependency: &Value) -> &str {
    let value = &dependency["value"];
    let names = ["marketplace_plugin_unique_identifier", "plugin_unique_identifier", "repo"];
    let name = names.into_iter().map(|name| text(&value[name])).find(|name| !name.is_empty());
    name.unwrap_or("one without a name").split([':', '@']).next().unwrap_or_default()
}

/// So many of them that it can be read.
fn listed(names: &[&str]) -> String {
    const MAX_LISTED: usize = 8;
    let shown: Vec<String> = names.iter().take(MAX_LISTED).map(|name| clipped(name, 40)).collect();
    let more = names.len().saturating_sub(MAX_LISTED);
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}
