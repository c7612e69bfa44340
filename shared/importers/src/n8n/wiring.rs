//! The wires between steps, after notes, disabled nodes and sub-nodes of agents are removed.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::document::{Document, Wire};
use super::references::References;
use domain::graph::MAX_CONNECTIONS;
use domain::{Error, Result};
use engine::nodes::r#loop::NEXT;

/// The role of a node in the wiring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeRole {
    Step,
    /// The node does nothing. Its incoming wires continue at its outgoing ones.
    PassThrough,
    /// A note or a disabled trigger. Its wires are dropped.
    Removed,
    /// No trigger leads to it, or it is a trigger that leads to nothing.
    Unreached,
    /// A sub-node of the node at that index: its model, its memory or a tool.
    SubNodeOf(usize),
}

pub struct Wiring<'d> {
    pub roles: Vec<NodeRole>,
    /// The wires between steps, in the order of their inputs.
    pub wires: Vec<Wire<'d>>,
    /// The sub-nodes of each node, with their roles.
    parts: HashMap<usize, Vec<(&'d str, usize)>>,
    /// The loops, each with the output of its body. A loop has one other output.
    loops: HashMap<usize, usize>,
    /// The wires that lead back to their loop, with its port.
    back_wires: BTreeMap<Wire<'d>, &'static str>,
    incoming: Vec<Vec<usize>>,
    outgoing: Vec<Vec<usize>>,
}

impl<'d> Wiring<'d> {
    pub fn new(document: &Document<'d>, references: &[References]) -> Result<Self> {
        let named: HashSet<&str> = references.iter().flat_map(|found| &found.nodes).map(String::as_str).collect();
        let mut parts: HashMap<usize, Vec<(&str, usize)>> = HashMap::new();
        // A body that does nothing is still a body.
        let leads = |wire: &&Wire, from: usize, to: usize| wire.from == from && wire.to == to;
        let is_body = |index: usize| {
            let loops = document.wires.iter().filter(|wire| wire.to == index && document.nodes[wire.from].is_loop());
            loops.into_iter().any(|wire| document.wires.iter().any(|back| leads(&back, index, wire.from)))
        };
        let mut roles: Vec<NodeRole> = document
            .nodes
            .iter()
            .enumerate()
            .map(|(index, node)| match node.kind {
                "stickyNote" => NodeRole::Removed,
                _ if node.is_disabled && node.is_trigger() => NodeRole::Removed,
                // One that an expression names stays, because its items are needed.
                _ if node.passes_items_on() && !named.contains(node.name) && !is_body(index) => NodeRole::PassThrough,
                _ => NodeRole::Step,
            })
            .collect();
        // The first model of a node is at its first input.
        let mut of_parts: Vec<&Wire> =
            document.wires.iter().filter(|wire| wire.kind != "main" && wire.from != wire.to).collect();
        of_parts.sort_by_key(|wire| wire.input);
        for wire in of_parts {
            if !document.nodes[wire.from].is_disabled {
                parts.entry(wire.to).or_default().push((wire.kind, wire.from));
            }
            roles[wire.from] = NodeRole::SubNodeOf(wire.to);
        }
        let wires = resolve_pass_through(document, &roles)?;
        let loops = document.nodes.iter().enumerate().filter(|(node, _)| roles[*node] == NodeRole::Step);
        let loops = loops.filter(|(_, source)| source.is_loop()).map(|(node, source)| (node, source.loop_output()));
        let (loops, back_wires) = (loops.collect(), BTreeMap::new());
        let (incoming, outgoing) = (Vec::new(), Vec::new());
        let mut wiring = Self { roles, wires: Vec::new(), parts, loops, back_wires, incoming, outgoing };
        wiring.set_wires(wires);
        wiring.leave_out_unreached(document);
        wiring.find_back_wires();
        Ok(wiring)
    }

    /// Leaves out what never runs, unless nothing does.
    fn leave_out_unreached(&mut self, document: &Document) {
        let leads_on = |node: &usize| document.nodes[*node].is_trigger() && self.outgoing(*node).next().is_some();
        let triggers: Vec<usize> = self.steps().filter(leads_on).collect();
        if triggers.is_empty() {
            return;
        }
        let reached = self.reach(triggers, usize::MAX, |_| true);
        let unreached: Vec<usize> = self.steps().filter(|node| !reached.contains(node)).collect();
        unreached.iter().for_each(|node| self.roles[*node] = NodeRole::Unreached);
        self.loops.retain(|node, _| reached.contains(node));
        let wires = self.wires.iter().filter(|wire| reached.contains(&wire.from)).copied().collect();
        self.set_wires(wires);
    }

    fn set_wires(&mut self, mut wires: Vec<Wire<'d>>) {
        // A merge gives its values in the order of its inputs.
        wires.sort_by_key(|wire| (wire.to, wire.input));
        wires.dedup();
        let none = vec![Vec::new(); self.roles.len()];
        (self.incoming, self.outgoing) = (none.clone(), none);
        for (index, wire) in wires.iter().enumerate() {
            self.incoming[wire.to].push(index);
            self.outgoing[wire.from].push(index);
        }
        self.wires = wires;
    }

    pub fn steps(&self) -> impl Iterator<Item = usize> {
        (0..self.roles.len()).filter(|node| self.roles[*node] == NodeRole::Step)
    }

    pub fn is_loop(&self, node: usize) -> bool {
        self.loops.contains_key(&node)
    }

    /// Whether the wire carries an element of a loop.
    pub fn is_item(&self, wire: &Wire) -> bool {
        self.loops.get(&wire.from) == Some(&wire.output)
    }

    /// The output of a loop for all its results.
    pub fn done_output(&self, node: usize) -> Option<usize> {
        self.loops.get(&node).map(|item| 1 - item)
    }

    pub fn parts(&self, node: usize, kind: &str) -> impl Iterator<Item = usize> {
        let parts = self.parts.get(&node).into_iter().flatten();
        parts.filter(move |(named, _)| *named == kind).map(|(_, part)| *part)
    }

    /// The incoming wires, without those that lead back to a loop.
    pub fn incoming(&self, node: usize) -> impl Iterator<Item = &Wire<'d>> {
        self.incoming[node].iter().map(|index| &self.wires[*index]).filter(|wire| !self.is_back_wire(wire))
    }

    pub fn outgoing(&self, node: usize) -> impl Iterator<Item = &Wire<'d>> {
        self.outgoing[node].iter().map(|index| &self.wires[*index])
    }

    pub fn is_back_wire(&self, wire: &Wire) -> bool {
        self.back_wires.contains_key(wire)
    }

    /// The port of a loop to which a wire leads back.
    pub fn back_port(&self, wire: &Wire) -> Option<&'static str> {
        self.back_wires.get(wire).copied()
    }

    /// Adds a loop after the last node.
    pub fn add_loop(&mut self, item_output: usize) -> usize {
        self.loops.insert(self.roles.len(), item_output);
        self.roles.push(NodeRole::Step);
        self.roles.len() - 1
    }

    /// Adds a copy of a step after the last node.
    pub fn add_copy(&mut self, of: usize) -> usize {
        let copy = self.roles.len();
        self.roles.push(NodeRole::Step);
        self.loops.extend(self.loops.get(&of).map(|output| (copy, *output)));
        self.parts.extend(self.parts.get(&of).map(|parts| (copy, parts.clone())));
        copy
    }

    /// Replaces the wires. Those that lead back to a loop have its port.
    pub fn replace_wires(&mut self, wires: Vec<(Wire<'d>, Option<&'static str>)>) {
        self.back_wires = wires.iter().filter_map(|(wire, port)| Some((*wire, (*port)?))).collect();
        self.set_wires(wires.into_iter().map(|(wire, _)| wire).collect());
    }

    /// The body of a loop.
    pub fn body(&self, of: usize) -> BTreeSet<usize> {
        let firsts = self.outgoing(of).filter(|wire| self.is_item(wire)).map(|wire| wire.to);
        let mut body = self.reach(firsts.collect(), of, |_| true);
        body.remove(&of);
        body
    }

    /// The steps from which a step is reached, without those that come only around a loop.
    pub fn ancestors(&self, node: usize) -> BTreeSet<usize> {
        let (mut found, mut open) = (BTreeSet::new(), vec![node]);
        while let Some(node) = open.pop() {
            for wire in self.incoming(node) {
                if found.insert(wire.from) {
                    open.push(wire.from);
                }
            }
        }
        found
    }

    /// The steps in cycles that no loop makes.
    pub fn cycles(&self) -> BTreeSet<usize> {
        let mut waiting: Vec<usize> = (0..self.roles.len()).map(|node| self.incoming(node).count()).collect();
        let ahead = |wire: &Wire| !self.is_back_wire(wire);
        let mut ready: Vec<usize> = (0..waiting.len()).filter(|node| waiting[*node] == 0).collect();
        while let Some(node) = ready.pop() {
            for wire in self.outgoing(node).filter(|wire| ahead(wire)) {
                waiting[wire.to] -= 1;
                if waiting[wire.to] == 0 {
                    ready.push(wire.to);
                }
            }
        }
        let left = (0..waiting.len()).filter(|node| waiting[*node] > 0);
        // A step that only follows a cycle is not in it.
        left.filter(|node| self.followers(*node).contains(node)).collect()
    }

    /// The steps of the cycle that a step is in.
    pub fn cycle_of(&self, node: usize) -> Option<BTreeSet<usize>> {
        let followers = self.followers(node);
        followers.contains(&node).then(|| self.ancestors(node).intersection(&followers).copied().collect())
    }

    /// The steps that follow a step, without going back to a loop.
    pub fn followers(&self, node: usize) -> BTreeSet<usize> {
        let ahead = self.outgoing(node).filter(|wire| !self.is_back_wire(wire));
        self.reach_ahead(ahead.map(|wire| wire.to).collect())
    }

    /// These steps and those that follow them, without going back to a loop.
    pub fn reach_ahead(&self, starts: Vec<usize>) -> BTreeSet<usize> {
        self.reach(starts, usize::MAX, |wire| !self.is_back_wire(wire))
    }

    fn find_back_wires(&mut self) {
        for of in self.steps().filter(|node| self.is_loop(*node)).collect::<Vec<_>>() {
            let body = self.body(of);
            let back = self.wires.iter().filter(|wire| wire.to == of && body.contains(&wire.from));
            self.back_wires.extend(back.map(|wire| (*wire, NEXT)));
        }
    }

    /// All nodes that can be reached, without continuing from `stop`.
    pub fn reach(&self, starts: Vec<usize>, stop: usize, leads: impl Fn(&Wire) -> bool) -> BTreeSet<usize> {
        let mut reached: BTreeSet<usize> = starts.iter().copied().collect();
        let mut open = starts;
        while let Some(node) = open.pop() {
            if node == stop {
                continue;
            }
            for wire in self.outgoing(node).filter(|wire| leads(wire)) {
                if reached.insert(wire.to) {
                    open.push(wire.to);
                }
            }
        }
        reached
    }
}

/// The wires between steps, with pass-through nodes replaced by the wires through them.
fn resolve_pass_through<'d>(document: &Document<'d>, roles: &[NodeRole]) -> Result<Vec<Wire<'d>>> {
    let main: Vec<&Wire> = document.wires.iter().filter(|wire| wire.kind == "main").collect();
    let mut outgoing: Vec<Vec<&Wire>> = vec![Vec::new(); roles.len()];
    // A disabled node passes its input on at its first output only.
    let leads = |wire: &&&Wire| roles[wire.from] == NodeRole::Step || wire.output == 0;
    main.iter().filter(leads).for_each(|wire| outgoing[wire.from].push(wire));
    let mut wires = Vec::new();
    for wire in main.iter().filter(|wire| roles[wire.from] == NodeRole::Step) {
        let (mut open, mut seen) = (vec![*wire], HashSet::new());
        while let Some(next) = open.pop() {
            match roles[next.to] {
                NodeRole::PassThrough if seen.insert(next.to) => open.extend(outgoing[next.to].iter().rev()),
                NodeRole::Step => wires.push(Wire { to: next.to, input: next.input, ..**wire }),
                _ => {}
            }
        }
        // Many wires into and out of one pass-through node multiply.
        if wires.len() > 2 * MAX_CONNECTIONS {
            return Err(Error::invalid_body("connections", format!("at most {MAX_CONNECTIONS}")));
        }
    }
    Ok(wires)
}
