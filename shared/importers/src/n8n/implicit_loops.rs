//! Turns n8n's implicit iteration into loops. After a node that splits a list into items, n8n runs each node once for every
//! item. Those nodes become the body of a loop when nothing else leads into them, and all that leads out of them leads to
//! one node that gathers the items.

use std::collections::BTreeSet;

use super::document::{Document, Wire};
use super::wiring::Wiring;

/// The output for an element, and the output for all results.
const ITEM: usize = 0;
const DONE: usize = 1;

impl<'d> Wiring<'d> {
    /// Makes loops where possible. Wires that left the body lead back to the loop.
    pub fn add_implicit_loops(&mut self, document: &Document<'d>) {
        let splits: Vec<usize> = self.steps().filter(|node| document.nodes[*node].splits_list()).collect();
        for split in splits {
            let Some(body) = self.find_implicit_body(document, split) else { continue };
            self.loops.insert(split, ITEM);
            let mut wires = Vec::new();
            for wire in &self.wires {
                if !body.contains(&wire.from) || body.contains(&wire.to) {
                    wires.push(*wire);
                    continue;
                }
                wires.push(Wire { to: split, input: 0, ..*wire });
                wires.push(Wire { from: split, output: DONE, ..*wire });
            }
            let is_end = |node: &usize| document.nodes[*node].has_output() && self.outgoing(*node).next().is_none();
            let ends = body.iter().copied().filter(is_end);
            wires.extend(ends.map(|from| Wire { from, kind: "main", output: 0, to: split, input: 0 }));
            self.set_wires(wires);
        }
    }

    /// The nodes that run for each element, if they can form the body of a loop.
    fn find_implicit_body(&self, document: &Document, split: usize) -> Option<BTreeSet<usize>> {
        let takes_all = |node: usize| document.nodes[node].gathers_items() || document.nodes[node].takes_all_items();
        let mut body = self.reach(vec![split], usize::MAX, |wire| !takes_all(wire.to));
        body.remove(&split);
        let is_entered = |wire: &&Wire| body.contains(&wire.to) && wire.from != split && !body.contains(&wire.from);
        let leads_out = self.wires.iter().filter(|wire| body.contains(&wire.from) && !body.contains(&wire.to));
        let outside: BTreeSet<usize> = leads_out.map(|wire| wire.to).collect();
        let is_clean = !body.is_empty()
            && document.nodes[split].raw["onError"] != "continueErrorOutput"
            && self.outgoing(split).all(|wire| body.contains(&wire.to))
            && !self.wires.iter().any(|wire| is_entered(&wire))
            && !outside.contains(&split)
            && outside.len() <= 1
            && body.iter().all(|node| document.nodes[*node].runs_per_item());
        is_clean.then_some(body)
    }
}
