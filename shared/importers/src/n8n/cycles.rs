//! Leads the cycles of a workflow through loops in rounds. n8n needs no loop to go back to an earlier node.
//!
//! The body of such a loop is the cycle and all that follows it: n8n, too, runs what follows each time that items leave the cycle.
//! What also follows another node, or ends a round of a loop around, is not in the body. It gets its items when the loop ends.

use std::collections::BTreeSet;

use super::document::{Document, SourceNode, Wire};
use super::wiring::Wiring;
use crate::lenient::text;
use domain::graph::MAX_NODES;
use engine::nodes::r#loop::{NEXT, RESULT};

/// The outputs of the loops that are added.
const ITEM: usize = 0;
const DONE: usize = 1;
/// The input of such a loop for its result.
const RESULT_INPUT: usize = 1;

/// A cycle that a loop can repeat.
struct Cycle<'d> {
    /// The node where the cycle is entered.
    first: usize,
    /// The input of this node.
    input: usize,
    body: BTreeSet<usize>,
    /// The wires that leave the body.
    exits: Vec<Wire<'d>>,
}

/// Adds a loop for each cycle. The cycles that no loop can repeat stay.
pub fn repeat<'d>(document: &mut Document<'d>, wiring: &mut Wiring<'d>) {
    for node in wiring.cycles() {
        // The rest of a cycle can be a smaller one.
        while document.nodes.len() < MAX_NODES
            && let Some(cycle) = Cycle::find(document, wiring, node)
        {
            document.nodes.push(SourceNode::repeat(&document.nodes[cycle.first]));
            let added = wiring.add_loop(ITEM);
            wiring.replace_wires(cycle.rewire(wiring, added));
        }
    }
}

impl<'d> Cycle<'d> {
    /// The cycle that a node is in, if a loop can repeat it.
    fn find(document: &Document, wiring: &Wiring<'d>, node: usize) -> Option<Self> {
        let nodes = wiring.cycle_of(node)?;
        let enters = |wire: &&Wire| !nodes.contains(&wire.from);
        let entries: Vec<&Wire> = nodes.iter().flat_map(|node| wiring.incoming(*node)).filter(enters).collect();
        let &Wire { to: first, input, .. } = entries.first().copied()?;
        // The items of the inputs of a node can be mixed only if the node appends them.
        let source = &document.nodes[first];
        let appends = !source.has_inputs() || matches!(text(&source.parameters["mode"]), "" | "append");
        let is_same = |wire: &Wire| wire.to == first && (wire.input == input || appends);
        if !entries.into_iter().all(is_same) || !wiring.incoming(first).all(is_same) {
            return None;
        }
        // The output of a loop without a body never has items.
        if nodes.iter().any(|node| wiring.is_loop(*node) && wiring.body(*node).is_empty()) {
            return None;
        }
        let body = find_body(wiring, first);
        let leaves = |wire: &&Wire| body.contains(&wire.from) && !body.contains(&wire.to);
        let exits: Vec<Wire> = wiring.wires.iter().filter(leaves).copied().collect();
        is_product(&exits).then_some(Self { first, input, body, exits })
    }

    /// The wires of the workflow with a loop before the cycle, with the ports of those that lead back to a loop.
    fn rewire(&self, wiring: &Wiring<'d>, added: usize) -> Vec<(Wire<'d>, Option<&'static str>)> {
        let mut wires = Vec::new();
        for wire in &wiring.wires {
            let port = wiring.back_port(wire);
            if self.exits.contains(wire) {
                wires.push((Wire { to: added, input: RESULT_INPUT, ..*wire }, Some(RESULT)));
                wires.push((Wire { from: added, output: DONE, ..*wire }, port));
            } else if wire.to == self.first && port.is_none() {
                let is_back = self.body.contains(&wire.from);
                wires.push((Wire { to: added, input: 0, ..*wire }, is_back.then_some(NEXT)));
            } else {
                wires.push((*wire, port));
            }
        }
        wires.push((Wire { from: added, kind: "main", output: ITEM, to: self.first, input: self.input }, None));
        wires
    }
}

/// The first node of a cycle and all that follows it, without what also follows other nodes.
fn find_body(wiring: &Wiring, first: usize) -> BTreeSet<usize> {
    let followers = wiring.followers(first);
    let is_entered =
        |node: &&usize| **node != first && wiring.incoming(**node).any(|wire| !followers.contains(&wire.from));
    let others = wiring.reach_ahead(followers.iter().filter(is_entered).copied().collect());
    followers.difference(&others).copied().collect()
}

/// Whether each wire leads from the same outputs to the same inputs, so that one loop can pass their items on.
fn is_product(wires: &[Wire]) -> bool {
    let starts: BTreeSet<_> = wires.iter().map(|wire| (wire.from, wire.output)).collect();
    let ends: BTreeSet<_> = wires.iter().map(|wire| (wire.to, wire.input)).collect();
    starts.len() * ends.len() == wires.len()
}
