//! Imports Dify apps.

mod app;
mod chat;
mod context;
mod document;
mod nodes;
mod python;
mod texts;

use serde_json::{Value, json};

use super::draft::{Draft, Original};
use super::lenient::{entries, is_empty, list, number, text, truncate, whole_number};
use super::slug::Ids;
use super::translation::Translation;
use super::{ImportSource, Imported, Status};
use app::{App, SECRET};
use context::Context;
use document::{Document, SourceNode};
use domain::Result;
use domain::workflow::{MAX_DESCRIPTION_CHARS, MAX_NAME_CHARS};
use engine::nodes::{ERROR, IN};

/// The handle of a node with a single output.
const SOURCE: &str = "source";

pub fn read(document: &Value) -> Result<Imported> {
    let document = Document::read(document)?;
    let name = document.name.trim();
    let name = if name.is_empty() { "Imported from Dify".to_owned() } else { truncate(name, MAX_NAME_CHARS - 1) };
    let description = Some(document.description.trim()).filter(|text| !text.is_empty());
    let description = description.map(|text| truncate(text, MAX_DESCRIPTION_CHARS - 1));

    let (mut draft, mut ids) = (Draft::new(ImportSource::Dify), Ids::default());
    if !document.has_graph() {
        chat::add_chain(&document, &mut draft, &mut ids)?;
        list_losses(&document).into_iter().for_each(|text| draft.note(0, text));
    } else {
        let given = document.nodes.iter().map(|node| ids.assign(&[&node.title, node.id, node.kind])).collect();
        let app = App::new(document, given);
        for node in 0..app.document.nodes.len() {
            add(&app, node, &mut draft, &mut ids)?;
        }
        connect(&app, &mut draft);
        connect_loops(&app, &mut draft);
        note_losses(&app, &mut draft);
    }
    let (graph, report) = draft.finish();
    Ok(Imported { name, description, graph, report })
}

fn add(app: &App, node: usize, draft: &mut Draft, ids: &mut Ids) -> Result<()> {
    let source = &app.document.nodes[node];
    let (id, kind) = (app.ids[node].as_str(), source.kind);
    let title = if source.title.is_empty() { id } else { &source.title };
    let named = Original { id, title, kind, position: source.position(), raw: source.raw };
    match kind {
        "note" => draft.leave_out(&named, Status::Mapped, "left out: it is a note"),
        _ if source.is_body_start() => {
            draft.leave_out(&named, Status::Mapped, "replaced by the loop's output `item`");
        }
        "loop-end" => {
            let why = "left out: a loop cannot end early, so it runs all its rounds";
            draft.leave_out(&named, Status::Partial, why);
        }
        _ => {
            let mut translation = nodes::translate(Context { app, node });
            if translation.unsupported.is_none() {
                add_policies(source.data, &mut translation);
            }
            draft.add(&named, translation, ids)?;
        }
    }
    Ok(())
}

/// Imports the retry and error policies.
fn add_policies(data: &Value, translation: &mut Translation) {
    match text(&data["error_strategy"]) {
        "fail-branch" if !translation.branch_on_error() => {
            translation.notes.push("this node cannot fail here, so its error branch is never taken".to_owned());
        }
        "default-value" => {
            translation.set_policy("onError", &json!("continue"));
            translation.notes.push("when it fails, its output is null instead of its default value".to_owned());
        }
        _ => {}
    }
    let retry = &data["retry_config"];
    if retry["retry_enabled"] == true {
        // Dify counts the attempts after the first.
        let attempts = whole_number(&retry["max_retries"]).unwrap_or(3).saturating_add(1).clamp(1, 10);
        let wait = number(&retry["retry_interval"]).unwrap_or(1_000.0).clamp(0.0, 3_600_000.0) as u64;
        translation
            .set_policy("retry", &json!({"maxAttempts": attempts, "backoffMs": wait, "maxBackoffMs": wait.max(1)}));
    }
}

fn connect(app: &App, draft: &mut Draft) {
    let document = &app.document;
    for edge in &document.edges {
        let source = &document.nodes[edge.from];
        if source.is_body_start() {
            if let Some(&container) = source.parent.and_then(|parent| document.indexes.get(parent)) {
                draft.connect(container, "item", edge.to, IN);
            }
            continue;
        }
        let exits = draft.exits(edge.from);
        let of = match edge.handle.as_str() {
            "fail-branch" => ERROR,
            // Nodes with one handle name it inconsistently.
            "" | SOURCE | "success-branch" | "loop" if exits.len() == 1 => &exits[0],
            handle => handle,
        };
        // A loop's end is no node here. Connections to it lead back to the loop.
        draft.connect(edge.from, of, edge.to, IN);
    }
    for container in (0..document.nodes.len()).filter(|node| document.nodes[*node].is_container()) {
        // Older files have no start node: the container names the first node of its body.
        let has_start = document.children(container).any(|child| document.nodes[child].is_body_start());
        let first = text(&document.nodes[container].data["start_node_id"]);
        if let (false, Some(&first)) = (has_start, document.indexes.get(first)) {
            draft.connect(container, "item", first, IN);
        }
    }
}

/// Connects every unconnected output in a loop's body back to the loop.
fn connect_loops(app: &App, draft: &mut Draft) {
    let document = &app.document;
    for container in (0..document.nodes.len()).filter(|node| document.nodes[*node].is_container()) {
        for child in document.children(container).collect::<Vec<_>>() {
            let outgoing: Vec<_> = document
                .edges
                .iter()
                .filter(|edge| edge.from == child && document.nodes[edge.to].kind != "loop-end")
                .collect();
            let exits = draft.exits(child);
            for exit in &exits {
                let is_gone = |handle: &str| handle == exit || (exits.len() == 1 && handle != "fail-branch");
                if exit != "item" && !outgoing.iter().any(|edge| is_gone(&edge.handle)) {
                    draft.connect_back(child, exit, container);
                }
            }
        }
    }
}

/// Reports what concerns the whole file: at the node it belongs to, or at the first node.
fn note_losses(app: &App, draft: &mut Draft) {
    let document = &app.document;
    document.loose_ends.iter().for_each(|(node, text)| draft.note(*node, text.clone()));
    let begins = |node: &SourceNode| node.kind == "start" || node.kind.starts_with("trigger-");
    let first = document.nodes.iter().position(begins);
    if let Some(first) = first.or_else(|| document.nodes.iter().position(|node| node.kind != "note")) {
        list_losses(document).into_iter().for_each(|text| draft.note(first, text));
        let names = list(&document.workflow["environment_variables"]).iter().map(|variable| text(&variable["name"]));
        for name in names.filter(|name| app.environment(name).is_err_and(|why| why == SECRET)).take(40) {
            draft
                .reconnect(first, format!("the secret `{}`: it is an empty text where it is read", truncate(name, 60)));
        }
    }
}

/// Parts of the app outside its nodes. None of them is imported.
fn list_losses(document: &Document) -> Vec<String> {
    let is_on = |feature: &Value| match &feature["enabled"] {
        Value::Bool(is_enabled) => *is_enabled,
        _ => !feature.is_object() && !is_empty(feature) && *feature != false,
    };
    let features: Vec<&str> = entries(&document.workflow["features"])
        .filter(|(_, feature)| is_on(feature))
        .map(|(name, _)| name.as_str())
        .collect();
    let dependencies: Vec<&str> = document.dependencies.iter().map(dependency).collect();
    let losses = [("features", features), ("plugins", dependencies)];
    let losses = losses.into_iter().filter(|(_, names)| !names.is_empty());
    let losses = losses.map(|(what, names)| format!("the app's {what} are not imported: {}", summarize_names(&names)));
    let newer = document.is_newer().then(|| {
        let version = truncate(document.version, 20);
        format!("the file has version {version}, which is newer than the supported ones: check that nothing is missing")
    });
    newer.into_iter().chain(losses).collect()
}

/// The name of a dependency, `langgenius/openai:0.0.7@…`, without its version.
fn dependency(dependency: &Value) -> &str {
    let value = &dependency["value"];
    let names = ["marketplace_plugin_unique_identifier", "plugin_unique_identifier", "repo"];
    let name = names.into_iter().map(|name| text(&value[name])).find(|name| !name.is_empty());
    name.unwrap_or("unnamed").split([':', '@']).next().unwrap_or_default()
}

/// The first names, and the number of the others.
fn summarize_names(names: &[&str]) -> String {
    const MAX_LISTED: usize = 8;
    let shown: Vec<String> = names.iter().take(MAX_LISTED).map(|name| truncate(name, 40)).collect();
    let more = names.len().saturating_sub(MAX_LISTED);
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}
