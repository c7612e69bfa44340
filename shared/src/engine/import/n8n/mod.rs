//! Workflows of n8n.

mod context;
mod document;
mod expressions;
mod nodes;
mod parameter;
mod spread;
mod wiring;

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::draft::{Draft, Named};
use super::loose::{clipped, entries, number, said, text, whole};
use super::made::{Made, Step, TOO_LONG};
use super::pieces::note;
use super::slug::Ids;
use super::{Imported, Source, Status};
use crate::Result;
use crate::domain::workflow::{MAX_DESCRIPTION_CHARS, MAX_NAME_CHARS};
use crate::engine::nodes::{ERROR, IN};
use context::{Context, Workflow};
use document::{Document, LooseEnd, Wire};
use wiring::{Role, Wiring};

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
        add(&workflow, node, &mut draft, &mut ids, &circles)?;
    }
    connect(&workflow, &mut draft);
    tell_items(&workflow, &mut draft);
    give_result(&workflow, &mut draft, &mut ids);
    loose_ends(&workflow, &mut draft);
    settings(&workflow, &mut draft);
    let (graph, report) = draft.finish();
    Ok(Imported { name, description, graph, report })
}

fn add(workflow: &Workflow, node: usize, draft: &mut Draft, ids: &mut Ids, circles: &BTreeSet<usize>) -> Result<()> {
    let source = workflow.node(node);
    let (id, kind) = (workflow.ids[node].as_str(), source.kind);
    let title = if source.name.is_empty() { id } else { source.name };
    let named = Named { id, title, kind, position: source.position(), original: source.raw };
    match workflow.wiring.roles[node] {
        Role::Step => {
            let mut made = nodes::make(Context { workflow, node });
            if made.unsupported.is_none() {
                policies(source, &mut made);
            }
            draft.add(&named, made, ids)?;
        }
        role => {
            let (status, why) = left_out(workflow, source, role);
            draft.leave_out(&named, status, why);
        }
    }
    if circles.contains(&node) {
        draft.note(node, "it stands in a circle, which only a loop may make here".to_owned());
    }
    if !nodes::keeps_pinned(source) && !(Context { workflow, node }).pinned().is_empty() {
        draft.note(node, nodes::PINNED.to_owned());
    }
    if matches!(workflow.wiring.roles[node], Role::Step | Role::PartOf(_)) {
        credentials(workflow, node, draft);
    }
    Ok(())
}

/// What comes of a node that has no place of its own.
fn left_out(workflow: &Workflow, source: &document::Source, role: Role) -> (Status, String) {
    let is_disabled = source.is_disabled;
    let (status, why) = match role {
        Role::PartOf(whole) => {
            let (of, of_kind) = (clipped(workflow.node(whole).name, 80), workflow.node(whole).kind);
            let has_model = matches!(
                of_kind,
                "chainLlm" | "textClassifier" | "sentimentAnalysis" | "informationExtractor" | "chainSummarization"
            );
            return match has_model && source.kind.starts_with("lm") {
                _ if source.is_too_long => (Status::Partial, format!("was part of `{of}`: {TOO_LONG}")),
                true => (Status::Mapped, format!("is part of `{of}`")),
                false => {
                    let why = format!("was part of `{of}`: make it part of the agent, or of what stands there");
                    (Status::Partial, why)
                }
            };
        }
        Role::Gone if is_disabled => (Status::Partial, "was disabled, and is left out"),
        Role::Passed if is_disabled => (Status::Partial, "was disabled, and is left out: what led to it leads on"),
        Role::Passed => (Status::Mapped, "does nothing: what led to it leads on"),
        Role::Gone | Role::Step => (Status::Mapped, "is a note, and left out"),
    };
    (status, why.to_owned())
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
    if raw["alwaysOutputData"] == true {
        note(&mut made.notes, "it always gives one value here: `alwaysOutputData` is not carried over");
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

/// What stands behind a list ran for each of its elements there, and here only where a loop could be made of it.
fn tell_items(workflow: &Workflow, draft: &mut Draft) {
    let nodes = &workflow.document.nodes;
    for split in workflow.wiring.steps().filter(|node| nodes[*node].is_split()) {
        let by = clipped(nodes[split].name, 60);
        let leads = |wire: &Wire| !nodes[wire.to].is_gather();
        let behind = workflow.wiring.reach(vec![split], usize::MAX, leads).into_iter();
        let is_once = |node: &usize| !workflow.within[*node].contains(&split) && !nodes[*node].is_of_all();
        for node in behind.filter(|node| *node != split && is_once(node)) {
            draft.note(node, format!("it ran for each element of `{by}`, and runs once here: put it into a loop"));
        }
    }
}

/// A webhook that answers with what the last node gives, and a workflow that others call, need a result; a chat that
/// does so needs an answer.
fn give_result(workflow: &Workflow, draft: &mut Draft, ids: &mut Ids) {
    let nodes = &workflow.document.nodes;
    if nodes.iter().any(|node| node.kind == "respondToWebhook" && !node.is_disabled) {
        return;
    }
    let starts = |is_chat: bool| -> Vec<usize> {
        let is_start = |node: &usize| nodes[*node].is_chat() == is_chat && nodes[*node].answers_with_last();
        (0..nodes.len()).filter(|node| is_start(node) && workflow.wiring.roles[*node] == Role::Step).collect()
    };
    let results = lasts(workflow, draft, starts(false));
    if !results.is_empty() {
        let result = Step { suffix: "", kind: "send_result", config: Map::new() };
        draft.add_end(ids, "Result", result, &results);
    }
    for (node, of) in lasts(workflow, draft, starts(true)) {
        if !draft.sends(node) {
            let text = format!("{{{{ {} }}}}", workflow.said(node));
            let config = Map::from_iter([("text".to_owned(), text.into())]);
            draft.add_end(ids, "Answer", Step { suffix: "", kind: "send_message", config }, &[(node, of)]);
        }
    }
}

/// The nodes that a run ends with, each with its output.
fn lasts(workflow: &Workflow, draft: &Draft, starts: Vec<usize>) -> Vec<(usize, &'static str)> {
    let nodes = &workflow.document.nodes;
    let reached = workflow.wiring.reach(starts, usize::MAX, |_| true);
    let is_last = |node: &usize| {
        let forward = workflow.wiring.outgoing(*node).next().is_none();
        forward && !nodes[*node].is_trigger() && draft.gives(*node)
    };
    let lasts = reached.iter().copied().filter(is_last).map(|node| (node, "0"));
    // A loop that nothing follows gives its results.
    let loops = reached.iter().copied().filter_map(|node| {
        let done = workflow.wiring.done(node)?;
        let leads_on = workflow.wiring.outgoing(node).any(|wire| wire.output == done);
        (!leads_on).then_some((node, if done == 0 { "0" } else { "1" }))
    });
    lasts.chain(loops).collect()
}

/// What the file connects with a node that it does not have.
fn loose_ends(workflow: &Workflow, draft: &mut Draft) {
    for (node, end) in &workflow.document.loose_ends {
        let text = match end {
            LooseEnd::To(name) => format!("it led to `{}`, which is not in the file", clipped(name, 60)),
            LooseEnd::From(name) => format!("`{}`, which is not in the file, led to it", clipped(name, 60)),
        };
        draft.note(*node, text);
    }
}

/// What holds of the workflow as a whole is told where it begins.
fn settings(workflow: &Workflow, draft: &mut Draft) {
    let nodes = &workflow.document.nodes;
    let settings = workflow.document.settings;
    let is_step = |node: &usize| workflow.wiring.roles[*node] == Role::Step;
    let first = (0..nodes.len()).find(is_step);
    let begins = (0..nodes.len()).find(|node| is_step(node) && nodes[*node].is_trigger()).or(first);
    let other = said(&settings["errorWorkflow"]);
    if let (false, Some(first)) = (other.is_empty(), first) {
        draft.reconnect(first, format!("the workflow that ran when this one failed ({})", clipped(&other, 60)));
    }
    if let (Some(seconds), Some(begins)) = (number(&settings["executionTimeout"]).filter(|most| *most > 0.0), begins) {
        draft.note(begins, format!("a run ended after {seconds} s: `executionTimeout` is not carried over"));
    }
}
