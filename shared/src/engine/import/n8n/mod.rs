//! Workflows of n8n.

mod context;
mod document;
mod expressions;
mod nodes;
mod wiring;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::draft::{Draft, Named};
use super::loose::{clipped, entries, number, said, text, whole};
use super::made::Made;
use super::slug::Ids;
use super::{Imported, Source, Status};
use crate::Result;
use crate::engine::nodes::{ERROR, IN};
use context::{Context, Workflow};
use document::Document;
use wiring::{Role, Wiring};

const MAX_NAME_CHARS: usize = 200;
const MAX_DESCRIPTION_CHARS: usize = 2_000;

pub fn read(document: &Value) -> Result<Imported> {
    let document = Document::read(document)?;
    let wiring = Wiring::of(&document)?;
    let mut ids = Ids::default();
    let given = document.nodes.iter().map(|node| ids.give(&[node.name, text(&node.raw["id"]), node.kind])).collect();
    let name = document.name.trim();
    let name = if name.is_empty() { "Imported from n8n".to_owned() } else { clipped(name, MAX_NAME_CHARS - 1) };
    let description = document.description.filter(|text| !text.trim().is_empty());
    let description = description.map(|text| clipped(text, MAX_DESCRIPTION_CHARS - 1));

    let workflow = Workflow::new(document, wiring, given);
    let circles = workflow.wiring.circles();
    let mut draft = Draft::new(Source::N8n);
    for node in 0..workflow.document.nodes.len() {
        add(&workflow, node, &mut draft, &mut ids, &circles);
    }
    connect(&workflow, &mut draft);
    give_result(&workflow, &mut draft, &mut ids);
    settings(&workflow, &mut draft);
    let (graph, report) = draft.finish();
    Ok(Imported { name, description, graph, report })
}

fn add(workflow: &Workflow, node: usize, draft: &mut Draft, ids: &mut Ids, circles: &BTreeSet<usize>) {
    let source = workflow.node(node);
    let (id, kind) = (workflow.ids[node].as_str(), source.kind);
    let title = if source.name.is_empty() { id } else { source.name };
    let named = Named { id, title, kind, position: source.position(), original: source.raw };
    match workflow.wiring.roles[node] {
        Role::Gone if source.is_disabled => {
            return draft.leave_out(&named, Status::Partial, "was disabled, and is left out");
        }
        Role::Gone => return draft.leave_out(&named, Status::Mapped, "is a note, and left out"),
        Role::Passed if source.is_disabled => {
            return draft.leave_out(&named, Status::Partial, "was disabled, and is left out: what led to it leads on");
        }
        Role::Passed => return draft.leave_out(&named, Status::Mapped, "does nothing: what led to it leads on"),
        Role::PartOf(whole) => {
            let of = clipped(workflow.node(whole).name, 80);
            let is_model = matches!(
                workflow.node(whole).kind,
                "chainLlm" | "textClassifier" | "sentimentAnalysis" | "informationExtractor" | "chainSummarization"
            );
            let why = match is_model && kind.starts_with("lm") {
                true => format!("is part of `{of}`"),
                false => format!("was part of `{of}`: make it part of the agent, or of what stands there"),
            };
            draft.leave_out(
                &named,
                if is_model && kind.starts_with("lm") { Status::Mapped } else { Status::Partial },
                why,
            );
            return credentials(workflow, node, draft);
        }
        Role::Step => {}
    }
    let mut made = nodes::make(Context { workflow, node });
    if made.unsupported.is_none() {
        policies(source, &mut made);
    }
    draft.add(&named, made, ids);
    if circles.contains(&node) {
        draft.note(node, "it stands in a circle, which only a loop may make here".to_owned());
    }
    credentials(workflow, node, draft);
}

/// How often it is tried, and what follows when it fails.
fn policies(source: &document::Source, made: &mut Made) {
    let raw = source.raw;
    match text(&raw["onError"]) {
        "continueErrorOutput" if !made.branch_on_error() => {
            made.notes.push("it cannot fail here, so its output for errors leads nowhere".to_owned());
        }
        "continueRegularOutput" => {
            made.set_policy("onError", &json!("continue"));
        }
        "" if raw["continueOnFail"] == true => {
            made.set_policy("onError", &json!("continue"));
        }
        _ => {}
    }
    if raw["retryOnFail"] == true {
        let attempts = whole(&raw["maxTries"]).unwrap_or(3).clamp(1, 10);
        let wait = number(&raw["waitBetweenTries"]).unwrap_or(1_000.0).clamp(0.0, 3_600_000.0) as u64;
        let retry = json!({"maxAttempts": attempts, "backoffMs": wait, "maxBackoffMs": wait.max(1)});
        made.set_policy("retry", &retry);
    }
}

/// Every credential is bound again by hand: the newest of its kind may be the wrong one.
fn credentials(workflow: &Workflow, node: usize, draft: &mut Draft) {
    for (kind, credential) in entries(&workflow.node(node).raw["credentials"]).take(10) {
        let name = said(&credential["name"]);
        let named = if name.is_empty() { String::new() } else { format!(" `{}`", clipped(&name, 80)) };
        draft.reconnect(node, format!("credential{named} ({})", clipped(kind, 60)));
    }
}

fn connect(workflow: &Workflow, draft: &mut Draft) {
    for wire in &workflow.wiring.wires {
        let raw = workflow.node(wire.from).raw;
        // The output for errors stands behind all others.
        let is_error = raw["onError"] == "continueErrorOutput" && wire.output == draft.width(wire.from).max(1);
        let of = if is_error { ERROR.to_owned() } else { wire.output.to_string() };
        let port = if workflow.wiring.is_back(wire) { "next" } else { IN };
        draft.connect(wire.from, &of, wire.to, port);
    }
}

/// A webhook that answers with what the last node gives, and a workflow that others call, need a result.
fn give_result(workflow: &Workflow, draft: &mut Draft, ids: &mut Ids) {
    let nodes = &workflow.document.nodes;
    let gives = |node: &usize| {
        let source = &nodes[*node];
        let is_last = source.kind == "webhook" && text(&source.parameters["responseMode"]) == "lastNode";
        (is_last || source.kind == "executeWorkflowTrigger") && workflow.wiring.roles[*node] == Role::Step
    };
    let starts: Vec<usize> = (0..nodes.len()).filter(gives).collect();
    if starts.is_empty() || nodes.iter().any(|node| node.kind == "respondToWebhook" && !node.is_disabled) {
        return;
    }
    let reached = workflow.wiring.reach(starts.clone(), usize::MAX, |_| true);
    let is_last = |node: &usize| {
        let forward = workflow.wiring.outgoing(*node).next().is_none();
        forward && !nodes[*node].is_trigger() && draft.gives(*node)
    };
    let lasts: Vec<(usize, &str)> = reached.iter().copied().filter(is_last).map(|node| (node, "0")).collect();
    // A loop that nothing follows gives its results.
    let loops = reached.iter().copied().filter(|node| nodes[*node].is_loop()).filter_map(|node| {
        let done = if nodes[node].loop_output() == 1 { 0 } else { 1 };
        let leads_on = workflow.wiring.outgoing(node).any(|wire| wire.output == done);
        (!leads_on).then_some((node, if done == 0 { "0" } else { "1" }))
    });
    let lasts: Vec<(usize, &str)> = lasts.iter().copied().chain(loops).collect();
    if !lasts.is_empty() {
        draft.add_result(ids, &lasts);
    }
}

fn settings(workflow: &Workflow, draft: &mut Draft) {
    let other = said(&workflow.document.settings["errorWorkflow"]);
    let first = (0..workflow.document.nodes.len()).find(|node| workflow.wiring.roles[*node] == Role::Step);
    if let (false, Some(first)) = (other.is_empty(), first) {
        draft.reconnect(first, format!("the workflow that ran when this one failed ({})", clipped(&other, 60)));
    }
}
