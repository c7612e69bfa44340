//! Copies nodes that are reached both from a body and from elsewhere. n8n runs a node each time that items reach it, but here only
//! its loop leads into a body. So what comes from elsewhere goes to the copies.

use std::collections::{BTreeSet, HashMap};

use super::document::{Document, Wire};
use super::references::References;
use super::wiring::Wiring;
use domain::graph::MAX_NODES;

/// The most nodes that are copied for one body.
const MAX_COPIED: usize = 20;

/// Separates the bodies of loops, and the cycles, from what also leads into them.
pub fn separate<'d>(document: &mut Document<'d>, references: &mut Vec<References>, wiring: &mut Wiring<'d>) {
    for of in (0..document.nodes.len()).filter(|node| wiring.is_loop(*node)).collect::<Vec<_>>() {
        let firsts = wiring.outgoing(of).filter(|wire| wiring.is_item(wire)).map(|wire| wire.to).collect();
        let mut nodes = wiring.reach(firsts, of, |wire| !wiring.is_back_wire(wire));
        nodes.remove(&of);
        let body = Region { nodes, first: of };
        if let Some(copied) = body.find_shared(document, references, wiring) {
            body.copy(&copied, document, references, wiring);
        }
    }
    let mut seen = BTreeSet::new();
    for node in wiring.cycles() {
        let Some(nodes) = wiring.cycle_of(node).filter(|_| !seen.contains(&node)) else { continue };
        seen.extend(nodes.iter().copied());
        let is_entered = |node: &&usize| wiring.incoming(**node).any(|wire| !nodes.contains(&wire.from));
        let cycles = nodes.iter().filter(is_entered).map(|first| Region { nodes: nodes.clone(), first: *first });
        let found = cycles.filter_map(|cycle| Some((cycle.find_shared(document, references, wiring)?, cycle)));
        if let Some((copied, cycle)) = found.min_by_key(|(copied, _)| copied.len()) {
            cycle.copy(&copied, document, references, wiring);
        }
    }
}

/// The body of a loop, or a cycle.
struct Region {
    nodes: BTreeSet<usize>,
    /// The loop, or the node at which the cycle is to be entered.
    first: usize,
}

impl Region {
    fn is_entry(&self, wire: &Wire, wiring: &Wiring) -> bool {
        let begins_body = wire.from == self.first && wiring.is_item(wire);
        self.nodes.contains(&wire.to) && wire.to != self.first && !self.nodes.contains(&wire.from) && !begins_body
    }

    /// The nodes that are to be copied; none if there are none, or if copies would not mean the same.
    fn find_shared(&self, document: &Document, references: &[References], wiring: &Wiring) -> Option<BTreeSet<usize>> {
        let entries: Vec<&Wire> = wiring.wires.iter().filter(|wire| self.is_entry(wire, wiring)).collect();
        let entered: BTreeSet<usize> = entries.iter().map(|wire| wire.to).collect();
        let ahead = |wire: &Wire| !wiring.is_back_wire(wire);
        let mut copied = wiring.reach(entered.into_iter().collect(), self.first, ahead);
        copied.remove(&self.first);
        let is_few = copied.len() <= MAX_COPIED && document.nodes.len() + copied.len() <= MAX_NODES;
        let is_separate = !entries.iter().any(|wire| copied.contains(&wire.from));
        // An expression that names a node does not say which copy.
        let is_named = |node: &usize| references.iter().any(|found| found.nodes.contains(document.nodes[*node].name));
        // A node that joins its inputs waits for those from elsewhere.
        let joins = |node: &usize| {
            document.nodes[*node].has_inputs() && wiring.incoming(*node).any(|wire| !copied.contains(&wire.from))
        };
        let is_sound = is_few && is_separate && !copied.iter().any(|node| is_named(node) || joins(node));
        (!copied.is_empty() && is_sound).then_some(copied)
    }

    fn copy<'d>(
        &self,
        copied: &BTreeSet<usize>,
        document: &mut Document<'d>,
        references: &mut Vec<References>,
        wiring: &mut Wiring<'d>,
    ) {
        let mut copies = HashMap::new();
        for &node in copied {
            copies.insert(node, wiring.add_copy(node));
            document.nodes.push(document.nodes[node].copied());
            references.push(references[node].clone());
        }
        let mut wires = Vec::new();
        for wire in &wiring.wires {
            let (port, to) = (wiring.back_port(wire), copies.get(&wire.to).copied());
            match to.filter(|_| self.is_entry(wire, wiring)) {
                Some(to) => wires.push((Wire { to, ..*wire }, port)),
                None => wires.push((*wire, port)),
            }
            if let Some(&from) = copies.get(&wire.from) {
                // The copies are outside of the body.
                let port = port.filter(|_| wire.to != self.first);
                wires.push((Wire { from, to: to.unwrap_or(wire.to), ..*wire }, port));
            }
        }
        wiring.replace_wires(wires);
    }
}
