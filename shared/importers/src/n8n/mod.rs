//! Imports n8n workflows. Each node becomes one that works on items (`itemMode`), and its expressions stay as they are written.

mod context;
mod copies;
mod cycles;
mod differences;
mod document;
mod http_config;
mod javascript;
mod nodes;
mod parameter;
mod parts;
mod policies;
mod references;
mod services;
mod wiring;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::draft::{Draft, Original};
use super::lenient::{entries, number, scalar_text, text, truncate};
use super::notes::{Notes, header_problem};
use super::slug::Ids;
use super::translation::TranslatedStep;
use super::{ImportSource, Imported, Status};
use context::{Context, Workflow};
use document::{Document, LooseEnd};
use domain::Result;
use domain::workflow::{MAX_DESCRIPTION_CHARS, MAX_NAME_CHARS};
use engine::nodes::{ERROR, IN};
use references::References;
use wiring::{NodeRole, Wiring};

pub fn read(document: &Value) -> Result<Imported> {
    let mut document = Document::read(document)?;
    let mut references: Vec<References> = document.nodes.iter().map(|node| References::find(node.parameters)).collect();
    let mut wiring = Wiring::new(&document, &references)?;
    copies::separate(&mut document, &mut references, &mut wiring);
    cycles::repeat(&mut document, &mut wiring);
    references.resize_with(document.nodes.len(), References::default);
    let mut ids = Ids::default();
    let given = document.nodes.iter().map(|node| ids.assign(&[node.name, text(&node.raw["id"]), node.kind])).collect();
    let name = document.name.trim();
    let name = if name.is_empty() { "Imported from n8n".to_owned() } else { truncate(name, MAX_NAME_CHARS - 1) };
    let description = document.description.filter(|text| !text.trim().is_empty());
    let description = description.map(|text| truncate(text, MAX_DESCRIPTION_CHARS - 1));

    let workflow = Workflow::new(document, wiring, references, given);
    let cycles = workflow.wiring.cycles();
    let mut draft = Draft::new(ImportSource::N8n);
    for node in 0..workflow.document.nodes.len() {
        add(&workflow, node, &mut draft, &mut ids, &cycles)?;
    }
    connect(&workflow, &mut draft);
    add_start(&workflow, &mut draft, &mut ids);
    add_results(&workflow, &mut draft, &mut ids);
    note_loose_ends(&workflow, &mut draft);
    differences::note_all(&workflow, &mut draft);
    note_settings(&workflow, &mut draft);
    let (graph, report, agents) = draft.finish();
    let recorded = workflow.recorded();
    Ok(Imported { name, description, graph, report, recorded, agents })
}

fn add(workflow: &Workflow, node: usize, draft: &mut Draft, ids: &mut Ids, cycles: &BTreeSet<usize>) -> Result<()> {
    let source = workflow.node(node);
    let (id, kind) = (workflow.ids[node].as_str(), source.kind);
    let title = if source.name.is_empty() { id } else { source.name };
    let named = Original { id, title, kind, position: source.position, raw: source.raw };
    match workflow.wiring.roles[node] {
        NodeRole::Step => {
            let translation = nodes::translate(Context { workflow, node });
            let is_translated = translation.placeholder().is_none();
            draft.add(&named, translation, ids)?;
            if is_translated {
                note_references(workflow, node, draft);
            }
        }
        role => {
            let (status, why) = explain_omission(workflow, node, role);
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

/// Notes what the expressions of a node name, and do not find.
fn note_references(workflow: &Workflow, node: usize, draft: &mut Draft) {
    let references = &workflow.references[node];
    if !references.nodes.is_empty() {
        let ancestors = workflow.wiring.ancestors(node);
        for name in &references.nodes {
            if let Some(problem) = find_problem(workflow, node, name, &ancestors) {
                draft.note(node, format!("it reads `{}`, {problem}", truncate(name, 60)));
            }
        }
    }
    for variable in &references.variables {
        draft.note(node, format!("variables are not imported: replace `{}` by its value", truncate(variable, 60)));
    }
    if workflow.document.nodes.iter().any(|node| node.kind == "webhook" && !node.is_disabled) {
        let problems = references.headers.iter().filter_map(|name| header_problem(name));
        problems.for_each(|problem| draft.note(node, problem));
    }
    if references.keeps_data {
        draft.note(node, "it keeps data between runs, which ends with the run here: use a table".to_owned());
    }
    if references.reads_parameters {
        draft.note(node, "it reads parameters of a node, which are not known here: write their values".to_owned());
    }
    if references.reads_counters {
        draft.note(node, "it reads the counters of a loop, which are not known here: use `$runIndex`".to_owned());
    }
    if references.reads_runs && !workflow.enclosing_loops[node].is_empty() {
        draft.note(node, "it reads the items of several rounds, but only those of the last one are kept".to_owned());
    }
    if references.has_link {
        draft.note(node, "no link continues the run here: people do so on the platform".to_owned());
    }
}

/// Why a node cannot read another one.
fn find_problem(workflow: &Workflow, node: usize, name: &str, ancestors: &BTreeSet<usize>) -> Option<&'static str> {
    let Some(&named) = workflow.indexes.get(name) else { return Some("which does not exist") };
    match workflow.wiring.roles[named] {
        NodeRole::Step if workflow.shares_rounds(named, node) => None,
        NodeRole::Step if named == node || !ancestors.contains(&named) => Some("which does not lead here"),
        NodeRole::Step if !workflow.enclosing_loops[named].is_subset(&workflow.enclosing_loops[node]) => {
            Some("which is in a loop that has ended here")
        }
        NodeRole::Step => None,
        _ => Some("which has no items here"),
    }
}

/// Reports a node that is left out of the graph.
fn explain_omission(workflow: &Workflow, node: usize, role: NodeRole) -> (Status, String) {
    let source = workflow.node(node);
    let is_disabled = source.is_disabled;
    let (status, why) = match role {
        NodeRole::SubNodeOf(parent) => return parts::explain(workflow, node, parent),
        NodeRole::Removed if is_disabled => (Status::Partial, "left out: it was disabled"),
        NodeRole::PassThrough if is_disabled => {
            (Status::Partial, "left out: it was disabled; its input goes to the next nodes")
        }
        NodeRole::PassThrough => (Status::Mapped, "left out: it did nothing; its input goes to the next nodes"),
        NodeRole::Unreached if source.kind == "mcpTrigger" => {
            (Status::Partial, "left out: an MCP server is made apart from workflows, with tools of its own")
        }
        NodeRole::Unreached => (Status::Partial, "left out: no trigger leads to it, or it leads to nothing"),
        NodeRole::Removed | NodeRole::Step => (Status::Mapped, "left out: it is a note"),
    };
    (status, why.to_owned())
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
        let port = match workflow.wiring.back_port(wire) {
            Some(port) => port.to_owned(),
            None if workflow.node(wire.to).has_inputs() => nodes::data::input_port(wire.input),
            None => IN.to_owned(),
        };
        draft.connect(wire.from, &of, wire.to, &port);
    }
}

/// Adds a trigger to a file without one.
fn add_start(workflow: &Workflow, draft: &mut Draft, ids: &mut Ids) {
    let wiring = &workflow.wiring;
    let firsts = find_first_nodes(workflow);
    if !firsts.is_empty() && !wiring.steps().any(|node| workflow.node(node).is_trigger()) {
        draft.add_start(ids, "Start", &firsts);
    }
}

/// Adds a result node where a webhook or a calling workflow expects the last node's output, and a message node where a
/// chat does. A workflow that only computes gets a result, too.
fn add_results(workflow: &Workflow, draft: &mut Draft, ids: &mut Ids) {
    let nodes = &workflow.document.nodes;
    let is_step = |node: &usize| workflow.wiring.roles[*node] == NodeRole::Step;
    let starts = |is_start: &dyn Fn(&document::SourceNode) -> bool| -> Vec<usize> {
        (0..nodes.len()).filter(is_step).filter(|node| is_start(&nodes[*node])).collect()
    };
    let responds = nodes.iter().any(|node| node.kind == "respondToWebhook" && !node.is_disabled);
    let callers = starts(&|node| node.returns_last_output() && !node.is_chat());
    let mut lasts = find_last_nodes(workflow, draft, callers.clone());
    if responds {
        // What a webhook or a node in the middle responds with is the result of those runs.
        let others = starts(&|node| node.answers_calls() || node.kind == "respondToWebhook");
        let responded = workflow.wiring.reach(others, usize::MAX, |_| true);
        lasts.retain(|(node, _)| !responded.contains(node));
    } else if lasts.is_empty() && !draft.has_output() {
        lasts = find_last_nodes(workflow, draft, find_first_nodes(workflow));
    }
    if !lasts.is_empty() {
        let caller = callers.first().map(|node| Context { workflow, node: *node });
        let mut notes = Notes::new();
        let output = nodes::last_output(caller, &mut notes);
        if let Some(caller) = caller {
            notes.into_iter().for_each(|text| draft.note(caller.node, text));
        }
        // No node is both in a body and after it.
        let mut by_body: BTreeMap<&BTreeSet<usize>, Vec<(usize, String)>> = BTreeMap::new();
        for last in lasts {
            by_body.entry(&workflow.enclosing_loops[last.0]).or_default().push(last);
        }
        for lasts in by_body.values() {
            draft.add_end(ids, "Result", end("send_result", nodes::result(&output)), lasts);
        }
    }
    let chats = starts(&|node| node.returns_last_output() && node.is_chat());
    for (node, of) in find_last_nodes(workflow, draft, chats) {
        if !draft.sends_message(node) {
            let text = json!({"js": "$json.output ?? $json.text ?? $json"});
            let config = json!({"text": text, "itemMode": {"run": "first"}});
            draft.add_end(ids, "Answer", end("send_message", config), &[(node, of)]);
        }
    }
}

/// The nodes where runs begin.
fn find_first_nodes(workflow: &Workflow) -> Vec<usize> {
    workflow.wiring.steps().filter(|node| workflow.wiring.incoming(*node).next().is_none()).collect()
}

fn end(kind: &'static str, config: Value) -> TranslatedStep {
    TranslatedStep { suffix: "", kind, config: config.as_object().cloned().unwrap_or_default() }
}

/// The last nodes of a run, each with its outputs.
fn find_last_nodes(workflow: &Workflow, draft: &Draft, starts: Vec<usize>) -> Vec<(usize, String)> {
    let nodes = &workflow.document.nodes;
    let mut lasts = Vec::new();
    for node in workflow.wiring.reach(starts, usize::MAX, |_| true) {
        let mut outgoing = workflow.wiring.outgoing(node);
        match workflow.wiring.done_output(node) {
            _ if nodes[node].is_repeat() => {}
            // A loop at the end of a run gives its results.
            Some(done) if outgoing.all(|wire| wire.output != done) => lasts.push((node, done.to_string())),
            None if outgoing.next().is_none() && !nodes[node].is_trigger() && draft.has_result(node) => {
                lasts.extend(draft.exits(node).into_iter().map(|of| (node, of)));
            }
            _ => {}
        }
    }
    lasts.retain(|(node, _)| workflow.enclosing_loops[*node].iter().all(|outer| nodes[*outer].is_repeat()));
    lasts
}

/// Notes connections to nodes that are not in the file, and items that lead to sub-nodes.
fn note_loose_ends(workflow: &Workflow, draft: &mut Draft) {
    let roles = &workflow.wiring.roles;
    let leads_to_part = |wire: &&document::Wire| {
        wire.kind == "main" && roles[wire.from] == NodeRole::Step && matches!(roles[wire.to], NodeRole::SubNodeOf(_))
    };
    for wire in workflow.document.wires.iter().filter(leads_to_part) {
        let name = truncate(workflow.node(wire.to).name, 60);
        draft.note(wire.from, format!("its connection to `{name}` is dropped: that node is part of another one"));
    }
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
