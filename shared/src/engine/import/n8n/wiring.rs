//! What leads where once the nodes that do nothing are taken out: notes, disabled ones, and the parts of agents.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::document::{Document, Wire};
use crate::domain::graph::MAX_CONNECTIONS;
use crate::{Error, Result};

/// Nodes that hand on what came in are followed no further than this.
pub const MAX_HOPS: usize = 64;

/// What becomes of a node, before it is looked at what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Step,
    /// Nothing is done there; what leads to it leads on.
    Passed,
    /// A note, or a disabled trigger: nothing leads to it or on.
    Gone,
    /// A part of the node at that place: its model, its memory, a tool.
    PartOf(usize),
}

pub struct Wiring<'d> {
    pub roles: Vec<Role>,
    /// Between steps, in the order of their inputs.
    pub wires: Vec<Wire<'d>>,
    /// The parts of each node, by what they are to it.
    parts: HashMap<usize, Vec<(&'d str, usize)>>,
    /// The loops, each with the output that its body begins at; there is one other.
    pub(super) loops: HashMap<usize, usize>,
    /// The wires that lead back to their loop.
    backs: HashSet<(usize, usize, usize)>,
    incoming: Vec<Vec<usize>>,
    outgoing: Vec<Vec<usize>>,
}

impl<'d> Wiring<'d> {
    pub fn of(document: &Document<'d>) -> Result<Self> {
        let mut parts: HashMap<usize, Vec<(&str, usize)>> = HashMap::new();
        let mut roles: Vec<Role> = document
            .nodes
            .iter()
            .map(|node| match node.kind {
                "stickyNote" => Role::Gone,
                "noOp" => Role::Passed,
                _ if node.is_disabled && node.is_trigger() => Role::Gone,
                _ if node.is_disabled => Role::Passed,
                _ => Role::Step,
            })
            .collect();
        for wire in document.wires.iter().filter(|wire| wire.kind != "main" && wire.from != wire.to) {
            if !document.nodes[wire.from].is_disabled {
                parts.entry(wire.to).or_default().push((wire.kind, wire.from));
            }
            roles[wire.from] = Role::PartOf(wire.to);
        }
        let wires = passed_through(document, &roles)?;
        let loops = document.nodes.iter().enumerate().filter(|(node, _)| roles[*node] == Role::Step);
        let loops = loops.filter(|(_, source)| source.is_loop()).map(|(node, source)| (node, source.loop_output()));
        let (loops, backs) = (loops.collect(), HashSet::new());
        let (incoming, outgoing) = (Vec::new(), Vec::new());
        let mut wiring = Self { roles, wires: Vec::new(), parts, loops, backs, incoming, outgoing };
        wiring.wire(wires);
        wiring.spread(document);
        wiring.find_backs();
        Ok(wiring)
    }

    pub(super) fn wire(&mut self, mut wires: Vec<Wire<'d>>) {
        // The value of a merge is in the order of its inputs.
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
        (0..self.roles.len()).filter(|node| self.roles[*node] == Role::Step)
    }

    pub fn is_loop(&self, node: usize) -> bool {
        self.loops.contains_key(&node)
    }

    /// Whether an element of a loop comes by it.
    pub fn is_item(&self, wire: &Wire) -> bool {
        self.loops.get(&wire.from) == Some(&wire.output)
    }

    /// The output of a loop for what came of all its elements.
    pub fn done(&self, node: usize) -> Option<usize> {
        self.loops.get(&node).map(|item| 1 - item)
    }

    pub fn parts(&self, node: usize, kind: &str) -> impl Iterator<Item = usize> {
        let parts = self.parts.get(&node).into_iter().flatten();
        parts.filter(move |(named, _)| *named == kind).map(|(_, part)| *part)
    }

    /// What comes in, but for what comes back to a loop.
    pub fn incoming(&self, node: usize) -> impl Iterator<Item = &Wire<'d>> {
        self.incoming[node].iter().map(|index| &self.wires[*index]).filter(|wire| !self.is_back(wire))
    }

    pub fn outgoing(&self, node: usize) -> impl Iterator<Item = &Wire<'d>> {
        self.outgoing[node].iter().map(|index| &self.wires[*index])
    }

    pub fn is_back(&self, wire: &Wire) -> bool {
        self.backs.contains(&(wire.from, wire.output, wire.to))
    }

    /// What came to a node that hands it on, where a classifier stands on its way: that gives its choice here.
    pub fn before_choice(&self, document: &Document, mut node: usize) -> Option<&Wire<'d>> {
        let mut before = None;
        for _ in 0..MAX_HOPS {
            let source = &document.nodes[node];
            let mut incoming = self.incoming(node).filter(|_| source.hands_on());
            let Some(wire) = incoming.next().filter(|_| incoming.next().is_none()) else { break };
            if source.is_classifier() {
                before = Some(wire);
            }
            node = wire.from;
        }
        before
    }

    /// What a loop does for each element.
    pub fn body(&self, of: usize) -> BTreeSet<usize> {
        let firsts = self.outgoing(of).filter(|wire| self.is_item(wire)).map(|wire| wire.to);
        let mut body = self.reach(firsts.collect(), of, |_| true);
        body.remove(&of);
        body
    }

    /// Steps that stand in a circle which no loop makes.
    pub fn circles(&self) -> BTreeSet<usize> {
        let mut waiting: Vec<usize> = (0..self.roles.len()).map(|node| self.incoming(node).count()).collect();
        let ahead = |wire: &Wire| !self.is_back(wire);
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
        // What only stands behind a circle is not in it.
        let next = |node| self.outgoing(node).filter(|wire| ahead(wire)).map(|wire| wire.to).collect();
        left.filter(|node| self.reach(next(*node), usize::MAX, ahead).contains(node)).collect()
    }

    fn find_backs(&mut self) {
        for of in self.steps().filter(|node| self.is_loop(*node)).collect::<Vec<_>>() {
            let body = self.body(of);
            let back = self.wires.iter().filter(|wire| wire.to == of && body.contains(&wire.from));
            let back: Vec<_> = back.map(|wire| (wire.from, wire.output, wire.to)).collect();
            self.backs.extend(back);
        }
    }

    /// All that can be reached, without going on from `stop`.
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

/// The wires between steps: what led to a node that does nothing leads to what it led to.
fn passed_through<'d>(document: &Document<'d>, roles: &[Role]) -> Result<Vec<Wire<'d>>> {
    let main: Vec<&Wire> = document.wires.iter().filter(|wire| wire.kind == "main").collect();
    let mut outgoing: Vec<Vec<&Wire>> = vec![Vec::new(); roles.len()];
    // A disabled node hands on at its first output only.
    let leads = |wire: &&&Wire| roles[wire.from] == Role::Step || wire.output == 0;
    main.iter().filter(leads).for_each(|wire| outgoing[wire.from].push(wire));
    let mut wires = Vec::new();
    for wire in main.iter().filter(|wire| roles[wire.from] == Role::Step) {
        let (mut open, mut seen) = (vec![*wire], HashSet::new());
        while let Some(next) = open.pop() {
            match roles[next.to] {
                Role::Passed if seen.insert(next.to) => open.extend(outgoing[next.to].iter().rev()),
                Role::Step => wires.push(Wire { to: next.to, input: next.input, ..**wire }),
                _ => {}
            }
        }
        // Many that lead through one to many others multiply.
        if wires.len() > 2 * MAX_CONNECTIONS {
            return Err(Error::invalid_body("connections", format!("at most {MAX_CONNECTIONS}")));
        }
    }
    Ok(wires)
}
