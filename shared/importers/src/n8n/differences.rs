//! Notes about runs that differ from those of n8n. n8n runs a node once for each branch that reaches it, one branch after the other.

use std::collections::{BTreeMap, BTreeSet};

use super::context::{Context, Workflow};
use super::nodes::combines_items;
use crate::draft::Draft;
use crate::lenient::{text, truncate};

const MAX_NAMED: usize = 5;
const MAX_NAME_CHARS: usize = 40;

pub fn note_all(workflow: &Workflow, draft: &mut Draft) {
    note_branches(workflow, draft);
    for node in workflow.wiring.steps() {
        if workflow.wiring.is_loop(node) && !workflow.node(node).is_repeat() {
            note_loop(workflow, node, draft);
        }
        if workflow.node(node).kind == "merge" {
            note_merge(workflow, node, draft);
        }
    }
}

fn note_branches(workflow: &Workflow, draft: &mut Draft) {
    let reached = workflow.wiring.steps().filter(|node| is_reached_by_branches(workflow, *node));
    let (combining, others): (Vec<_>, Vec<_>) =
        reached.partition(|node| combines_items(Context { workflow, node: *node }));
    for node in combining {
        let why = "several branches lead here: n8n runs the node once for each of them; here it runs once, with the items of all";
        draft.note(node, why.to_owned());
    }
    // The other nodes rarely differ, so one note names all of them.
    if let [first, rest @ ..] = &others[..] {
        let named = |node: &usize| format!("`{}`", truncate(workflow.node(*node).name, MAX_NAME_CHARS));
        let names: Vec<String> = rest.iter().take(MAX_NAMED).map(named).collect();
        let others = match names.is_empty() {
            true => String::new(),
            false => format!(", and to {}", names.join(", ")),
        };
        let why = "n8n runs a node for each of them in turn; here it runs once, so items may have another order, and `$runIndex` is 0";
        draft.note(*first, format!("several branches lead here{others}: {why}"));
    }
}

/// Whether several branches of one run lead to an input of a node.
fn is_reached_by_branches(workflow: &Workflow, node: usize) -> bool {
    if workflow.wiring.incoming(node).nth(1).is_none() {
        return false;
    }
    let mut inputs: BTreeMap<usize, Vec<BTreeSet<usize>>> = BTreeMap::new();
    for wire in workflow.wiring.incoming(node) {
        let mut found = workflow.wiring.ancestors(wire.from);
        found.insert(wire.from);
        let others = inputs.entry(wire.input).or_default();
        if others.iter().any(|other| !other.is_disjoint(&found)) {
            return true;
        }
        others.push(found);
    }
    false
}

fn note_loop(workflow: &Workflow, node: usize, draft: &mut Draft) {
    let wiring = &workflow.wiring;
    let context = Context { workflow, node };
    let body = wiring.body(node);
    if !workflow.enclosing_loops[node].is_empty() && context.option("reset").is_null() {
        let why = "without `reset`, n8n repeats it only in the first round of the loop around it; here it begins anew in each round";
        draft.note(node, why.to_owned());
    }
    if body.iter().any(|step| may_drop_items(workflow, *step)) {
        draft.note(
            node,
            "n8n ends a loop when its body gives no items; here the loop continues with the next batch".to_owned(),
        );
    }
    let leads_back = |step: usize| {
        let mut steps = wiring.followers(step);
        steps.insert(step);
        steps.into_iter().any(|step| wiring.outgoing(step).any(|wire| wiring.is_back_wire(wire) && wire.to == node))
    };
    let item_wires = wiring.outgoing(node).filter(|wire| wiring.is_item(wire));
    let mut branches: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for wire in item_wires.chain(body.iter().flat_map(|step| wiring.outgoing(*step))) {
        branches.entry((wire.from, wire.output)).or_default().push(wire.to);
    }
    let is_aside = |steps: &Vec<usize>| steps.len() > 1 && !steps.iter().all(|step| *step == node || leads_back(*step));
    if branches.values().any(is_aside) {
        let why = "n8n may run a branch that does not lead back after the loop; here it runs in each round";
        draft.note(node, why.to_owned());
    }
    let back = wiring.wires.iter().filter(|wire| wire.to == node && wiring.is_back_wire(wire));
    let is_one_by_one = matches!(context.parameter("batchSize").as_u64(), None | Some(1));
    if !is_one_by_one && back.map(|wire| wire.from).collect::<BTreeSet<_>>().len() > 1 {
        let why = "several branches lead back: n8n begins the next batch after the first of them; here the batch ends with all of them";
        draft.note(node, why.to_owned());
    }
}

/// Whether a node may give no items.
fn may_drop_items(workflow: &Workflow, node: usize) -> bool {
    match workflow.node(node).kind {
        "filter" | "removeDuplicates" | "code" | "function" => true,
        "if" => workflow.wiring.outgoing(node).map(|wire| wire.output).collect::<BTreeSet<_>>().len() < 2,
        _ => false,
    }
}

fn note_merge(workflow: &Workflow, node: usize, draft: &mut Draft) {
    let is_old = text(&workflow.document.settings["executionOrder"]) != "v1";
    let chooses = |step: &usize| matches!(workflow.node(*step).kind, "if" | "switch" | "filter");
    if is_old && workflow.wiring.ancestors(node).iter().any(chooses) {
        let why = "in this file’s order of execution, n8n gives it an empty item from a branch without items; here it gets none";
        draft.note(node, why.to_owned());
    }
}
