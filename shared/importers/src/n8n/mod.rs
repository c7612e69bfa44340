//! Imports n8n workflows.

mod context;
mod document;
mod expressions;
mod implicit_loops;
mod nodes;
mod parameter;
#[cfg_attr(not(test), expect(dead_code, reason = "the nodes call it next"))]
mod services;
mod shapes;
mod wiring;

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::draft::{Draft, Original};
use super::lenient::{entries, number, scalar_text, text, truncate, whole_number};
use super::notes::note;
use super::slug::Ids;
use super::translation::{TOO_LONG, TranslatedStep, Translation};
use super::{ImportSource, Imported, Status};
use context::{Context, Workflow};
use document::{Document, LooseEnd, Wire};
use domain::Result;
use domain::workflow::{MAX_DESCRIPTION_CHARS, MAX_NAME_CHARS};
use engine::nodes::{ERROR, IN};
use wiring::{NodeRole, Wiring};

pub fn read(document: &Value) -> Result<Imported> {
    let document = Document::read(document)?;
    let wiring = Wiring::new(&document)?;
    let mut ids = Ids::default();
    let given = document.nodes.iter().map(|node| ids.assign(&[node.name, text(&node.raw["id"]), node.kind])).collect();
    let name = document.name.trim();
    let name = if name.is_empty() { "Imported from n8n".to_owned() } else { truncate(name, MAX_NAME_CHARS - 1) };
    let description = document.description.filter(|text| !text.trim().is_empty());
    let description = description.map(|text| truncate(text, MAX_DESCRIPTION_CHARS - 1));

    let workflow = Workflow::new(document, wiring, given);
    let cycles = workflow.wiring.cycles();
    let mut draft = Draft::new(ImportSource::N8n);
    for node in 0..workflow.document.nodes.len() {
        add(&workflow, node, &mut draft, &mut ids, &cycles)?;
    }
    connect(&workflow, &mut draft);
    note_unlooped_nodes(&workflow, &mut draft);
    add_result_nodes(&workflow, &mut draft, &mut ids);
    note_loose_ends(&workflow, &mut draft);
    note_settings(&workflow, &mut draft);
    let (graph, report) = draft.finish();
    Ok(Imported { name, description, graph, report })
}

fn add(workflow: &Workflow, node: usize, draft: &mut Draft, ids: &mut Ids, cycles: &BTreeSet<usize>) -> Result<()> {
    let source = workflow.node(node);
    let (id, kind) = (workflow.ids[node].as_str(), source.kind);
    let title = if source.name.is_empty() { id } else { source.name };
    let named = Original { id, title, kind, position: source.position(), raw: source.raw };
    match workflow.wiring.roles[node] {
        NodeRole::Step => {
            let mut translation = nodes::translate(Context { workflow, node });
            if translation.unsupported.is_none() {
                add_policies(source, &mut translation);
            }
            draft.add(&named, translation, ids)?;
        }
        role => {
            let (status, why) = explain_omission(workflow, source, role);
            draft.leave_out(&named, status, why);
        }
    }
    if cycles.contains(&node) {
        draft.note(node, "it is part of a cycle: only a loop may form one".to_owned());
    }
    if !nodes::uses_pinned_data(source) && !(Context { workflow, node }).pinned().is_empty() {
        draft.note(node, nodes::PINNED.to_owned());
    }
    if matches!(workflow.wiring.roles[node], NodeRole::Step | NodeRole::SubNodeOf(_)) {
        list_credentials(workflow, node, draft);
    }
    Ok(())
}

/// Reports a node that is left out of the graph.
fn explain_omission(workflow: &Workflow, source: &document::SourceNode, role: NodeRole) -> (Status, String) {
    let is_disabled = source.is_disabled;
    let (status, why) = match role {
        NodeRole::SubNodeOf(parent) => {
            let (of, of_kind) = (truncate(workflow.node(parent).name, 80), workflow.node(parent).kind);
            let has_model = matches!(
                of_kind,
                "chainLlm" | "textClassifier" | "sentimentAnalysis" | "informationExtractor" | "chainSummarization"
            );
            return match has_model && source.kind.starts_with("lm") {
                _ if source.is_too_long => (Status::Partial, format!("was part of `{of}`: {TOO_LONG}")),
                true => (Status::Mapped, format!("is part of `{of}`")),
                false => {
                    let why = format!("was part of `{of}`: add it to the agent, or to the node in its place");
                    (Status::Partial, why)
                }
            };
        }
        NodeRole::Removed if is_disabled => (Status::Partial, "left out: it was disabled"),
        NodeRole::PassThrough if is_disabled => {
            (Status::Partial, "left out: it was disabled; its input goes to the next nodes")
        }
        NodeRole::PassThrough => (Status::Mapped, "left out: it did nothing; its input goes to the next nodes"),
        NodeRole::Removed | NodeRole::Step => (Status::Mapped, "left out: it is a note"),
    };
    (status, why.to_owned())
}

/// Imports the retry and error policies.
fn add_policies(source: &document::SourceNode, translation: &mut Translation) {
    let raw = source.raw;
    match text(&raw["onError"]) {
        "continueErrorOutput" if !translation.branch_on_error() => {
            translation.notes.push("this node cannot fail here, so its error output is not connected".to_owned());
        }
        "continueRegularOutput" => {
            translation.set_policy("onError", &json!("continue"));
        }
        "" if raw["continueOnFail"] == true => {
            translation.set_policy("onError", &json!("continue"));
        }
        _ => {}
    }
    if raw["alwaysOutputData"] == true {
        note(&mut translation.notes, "a node always has one output: `alwaysOutputData` is not imported");
    }
    if raw["retryOnFail"] == true {
        let attempts = whole_number(&raw["maxTries"]).unwrap_or(3).clamp(1, 10);
        let wait = number(&raw["waitBetweenTries"]).unwrap_or(1_000.0).clamp(0.0, 3_600_000.0) as u64;
        let retry = json!({"maxAttempts": attempts, "backoffMs": wait, "maxBackoffMs": wait.max(1)});
        translation.set_policy("retry", &retry);
    }
}

/// Lists every credential to be connected by hand. Guessing the newest of a kind could bind the wrong one.
fn list_credentials(workflow: &Workflow, node: usize, draft: &mut Draft) {
    for (kind, credential) in entries(&workflow.node(node).raw["credentials"]).take(10) {
        let name = scalar_text(&credential["name"]);
        let named = if name.is_empty() { String::new() } else { format!(" `{}`", truncate(&name, 80)) };
        draft.reconnect(node, format!("credential{named} ({})", truncate(kind, 60)));
    }
}

fn connect(workflow: &Workflow, draft: &mut Draft) {
    for wire in &workflow.wiring.wires {
        let raw = workflow.node(wire.from).raw;
        // The error output comes after all others.
        let is_error = raw["onError"] == "continueErrorOutput" && wire.output == draft.count_outputs(wire.from).max(1);
        let of = if is_error { ERROR.to_owned() } else { wire.output.to_string() };
        let port = if workflow.wiring.is_back_wire(wire) { "next" } else { IN };
        draft.connect(wire.from, &of, wire.to, port);
    }
}

/// Notes nodes that n8n runs once for each element of a list, where no loop could be made.
fn note_unlooped_nodes(workflow: &Workflow, draft: &mut Draft) {
    let nodes = &workflow.document.nodes;
    for split in workflow.wiring.steps().filter(|node| nodes[*node].splits_list()) {
        let by = truncate(nodes[split].name, 60);
        let leads = |wire: &Wire| !nodes[wire.to].gathers_items();
        let behind = workflow.wiring.reach(vec![split], usize::MAX, leads).into_iter();
        let is_once =
            |node: &usize| !workflow.enclosing_loops[*node].contains(&split) && !nodes[*node].takes_all_items();
        for node in behind.filter(|node| *node != split && is_once(node)) {
            draft.note(
                node,
                format!("it ran once for each element of `{by}` and runs only once here: put it into a loop"),
            );
        }
    }
}

/// Adds a result node where a webhook or a calling workflow expects the last node's output, and a message node where a
/// chat does.
fn add_result_nodes(workflow: &Workflow, draft: &mut Draft, ids: &mut Ids) {
    let nodes = &workflow.document.nodes;
    if nodes.iter().any(|node| node.kind == "respondToWebhook" && !node.is_disabled) {
        return;
    }
    let starts = |is_chat: bool| -> Vec<usize> {
        let is_start = |node: &usize| nodes[*node].is_chat() == is_chat && nodes[*node].returns_last_output();
        (0..nodes.len()).filter(|node| is_start(node) && workflow.wiring.roles[*node] == NodeRole::Step).collect()
    };
    let results = find_last_nodes(workflow, draft, starts(false));
    if !results.is_empty() {
        let result = TranslatedStep { suffix: "", kind: "send_result", config: Map::new() };
        draft.add_end(ids, "Result", result, &results);
    }
    for (node, of) in find_last_nodes(workflow, draft, starts(true)) {
        if !draft.sends_message(node) {
            let text = format!("{{{{ {} }}}}", workflow.scalar_text(node));
            let config = Map::from_iter([("text".to_owned(), text.into())]);
            draft.add_end(ids, "Answer", TranslatedStep { suffix: "", kind: "send_message", config }, &[(node, of)]);
        }
    }
}

/// The last nodes of a run, each with its output.
fn find_last_nodes(workflow: &Workflow, draft: &Draft, starts: Vec<usize>) -> Vec<(usize, &'static str)> {
    let nodes = &workflow.document.nodes;
    let reached = workflow.wiring.reach(starts, usize::MAX, |_| true);
    let is_last = |node: &usize| {
        let forward = workflow.wiring.outgoing(*node).next().is_none();
        forward && !nodes[*node].is_trigger() && draft.has_result(*node)
    };
    let lasts = reached.iter().copied().filter(is_last).map(|node| (node, "0"));
    // A loop at the end of a run gives its results.
    let loops = reached.iter().copied().filter_map(|node| {
        let done = workflow.wiring.done_output(node)?;
        let leads_on = workflow.wiring.outgoing(node).any(|wire| wire.output == done);
        (!leads_on).then_some((node, if done == 0 { "0" } else { "1" }))
    });
    lasts.chain(loops).collect()
}

/// Notes connections to nodes that are not in the file.
fn note_loose_ends(workflow: &Workflow, draft: &mut Draft) {
    for (node, end) in &workflow.document.loose_ends {
        let text = match end {
            LooseEnd::To(name) => {
                format!("its connection to `{}` is dropped: that node is not in the file", truncate(name, 60))
            }
            LooseEnd::From(name) => {
                format!("its connection from `{}` is dropped: that node is not in the file", truncate(name, 60))
            }
        };
        draft.note(*node, text);
    }
}

/// Notes settings of the whole workflow at its first node.
fn note_settings(workflow: &Workflow, draft: &mut Draft) {
    let nodes = &workflow.document.nodes;
    let settings = workflow.document.settings;
    let is_step = |node: &usize| workflow.wiring.roles[*node] == NodeRole::Step;
    let first = (0..nodes.len()).find(is_step);
    let begins = (0..nodes.len()).find(|node| is_step(node) && nodes[*node].is_trigger()).or(first);
    let other = scalar_text(&settings["errorWorkflow"]);
    if let (false, Some(first)) = (other.is_empty(), first) {
        draft.reconnect(first, format!("the workflow that ran when this one failed ({})", truncate(&other, 60)));
    }
    if let (Some(seconds), Some(begins)) = (number(&settings["executionTimeout"]).filter(|most| *most > 0.0), begins) {
        draft.note(begins, format!("runs were limited to {seconds} s: `executionTimeout` is not imported"));
    }
}
