//! The graph and the report as they are put together. Whatever a node became, it is held to its type's schema here:
//! nothing else leaves this module as mapped.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::loose::clipped;
use super::made::{Made, Step, problem};
use super::slug::Ids;
use super::{NodeReport, Reconnect, Report, Source, Status, bounds, secrets, written};
use crate::domain::graph::{Connection, End, Graph, MAX_GRAPH_BYTES, Node, Position};
use crate::engine::nodes::r#loop::NEXT;
use crate::engine::nodes::{self, ERROR, IN, OUT};
use crate::{Error, Result};

/// Longer ones are not kept in the report.
const MAX_ORIGINAL_BYTES: usize = 16 * 1024;
const MAX_TITLE_CHARS: usize = 200;
const MAX_PORT_CHARS: usize = 64;
/// How far apart the parts of what was one node stand.
const APART: f64 = 240.0;

/// A node of the original as it stands in the draft.
struct Placed {
    report: usize,
    entry: Option<String>,
    /// The type of what is entered.
    kind: Option<&'static str>,
    /// The step that makes the result of a loop's body, where there is one.
    result: Option<String>,
    is_stub: bool,
    exits: Vec<(String, String, String)>,
}

impl Placed {
    fn takes(&self, port: &str) -> bool {
        self.kind.and_then(nodes::find).is_some_and(|kind| kind.has_input(port))
    }
}

/// How a node of the original is known.
pub struct Named<'d> {
    pub id: &'d str,
    pub title: &'d str,
    /// Its type there.
    pub kind: &'d str,
    pub position: Option<Position>,
    pub original: &'d Value,
}

pub struct Draft {
    graph: Graph,
    report: Report,
    placed: Vec<Placed>,
    seen: HashSet<(End, End)>,
    /// What the configurations take together.
    bytes: usize,
}

impl Draft {
    pub fn new(source: Source) -> Self {
        let report = Report { source, nodes: Vec::new(), reconnect: Vec::new() };
        Self { graph: Graph::default(), report, placed: Vec::new(), seen: HashSet::new(), bytes: 0 }
    }

    /// A node of the original that has no place of its own.
    pub fn leave_out(&mut self, named: &Named, status: Status, why: impl Into<String>) {
        let report = self.say(named, status, why.into());
        self.placed.push(Placed { report, entry: None, kind: None, result: None, is_stub: false, exits: Vec::new() });
    }

    /// The next node of the original. The nodes get their places in the order they are given in.
    /// Many may take a little from one place: what becomes too much for a graph ends as soon as it does.
    pub fn add(&mut self, named: &Named, mut made: Made, ids: &mut Ids) -> Result<()> {
        let wrong = made.steps.iter().find_map(|step| problem(step.kind, &step.config).map(|why| (step.kind, why)));
        if let (Some((kind, why)), None) = (wrong, &made.unsupported) {
            made = Made { reconnect: made.reconnect, ..Made::unsupported(format!("cannot be made `{kind}`: {why}")) };
        }
        let is_stub = made.unsupported.is_some();
        if let Some(why) = &made.unsupported {
            let message =
                format!("`{}` ({}) was not imported: {why}", clipped(named.title, 80), clipped(named.kind, 80));
            made.steps[0].config = Map::from_iter([("message".to_owned(), written::plain(&message).into())]);
        }
        for step in &made.steps {
            self.bytes += serde_json::to_vec(&step.config).map_err(Error::internal)?.len();
        }
        if self.bytes > MAX_GRAPH_BYTES {
            return Err(Error::invalid_body("graph", format!("at most {MAX_GRAPH_BYTES} bytes as JSON")));
        }
        let kinds: Vec<&'static str> = made.steps.iter().map(|step| step.kind).collect();
        let (status, why) = match &made.unsupported {
            Some(why) => (Status::Unsupported, why.clone()),
            None if made.notes.is_empty() => (Status::Mapped, format!("is {} here", kinds.join(" and "))),
            None => (Status::Partial, format!("is {} here; {}", kinds.join(" and "), made.notes.join("; "))),
        };
        let report = self.say(named, status, why);
        let what = made.reconnect.into_iter();
        self.report.reconnect.extend(what.map(|what| Reconnect { node_id: named.id.to_owned(), what }));

        let mut step_ids = Vec::new();
        for (index, step) in made.steps.into_iter().enumerate() {
            let id = match step.suffix {
                "" => named.id.to_owned(),
                suffix => ids.give(&[&format!("{}_{suffix}", named.id)]),
            };
            let place = |at: Position| Position { x: at.x + APART * index as f64, ..at };
            let name = match step.suffix {
                "" => clipped(named.title, MAX_TITLE_CHARS - 1),
                suffix => format!("{} ({suffix})", clipped(named.title, MAX_TITLE_CHARS - 20)),
            };
            let position = named.position.map(place);
            self.graph.nodes.push(Node {
                id: id.clone(),
                r#type: step.kind.into(),
                name,
                config: step.config,
                position,
            });
            step_ids.push(id);
        }
        for (from, port, to) in made.wires {
            // What leads back leads back to a loop.
            let back = if to < from { NEXT } else { IN };
            self.wire(&step_ids[from], &port, &step_ids[to], back);
        }
        let exits = made.exits.into_iter().map(|(of, step, port)| (of, step_ids[step].clone(), port));
        let exits = exits.collect();
        let (entry, result) = (step_ids.first().cloned(), step_ids.get(1).cloned());
        self.placed.push(Placed { report, entry, kind: kinds.first().copied(), result, is_stub, exits });
        Ok(())
    }

    /// What led from an output of one node of the original to another one. Both are named by their places.
    pub fn connect(&mut self, from: usize, of: &str, to: usize, port: &str) {
        let Some(entry) = self.placed[to].entry.clone() else { return };
        let placed = &self.placed[from];
        let Some(stub) = &placed.entry else { return };
        // A stub keeps what led from it, for what will stand in its place.
        let exits: Vec<(String, String)> = if placed.is_stub {
            let port = if of == "0" { OUT.to_owned() } else { clipped(of, MAX_PORT_CHARS - 1) };
            vec![(stub.clone(), if port.is_empty() { OUT.to_owned() } else { port })]
        } else {
            let exits = placed.exits.iter().filter(|(name, ..)| name == of);
            exits.map(|(_, id, port)| (id.clone(), port.clone())).collect()
        };
        if exits.is_empty() {
            let title = clipped(&entry, 64);
            self.note(
                from,
                format!("its output `{}`, which leads to `{title}`, has none to match here", clipped(of, 40)),
            );
        }
        let port = if self.placed[to].is_stub { IN } else { port };
        if !self.placed[to].takes(port) {
            return self.note(to, "what led to it has no way in here".to_owned());
        }
        for (id, exit) in exits {
            self.wire(&id, &exit, &entry, port);
        }
    }

    /// What led to the end of the body of a loop.
    pub fn lead_back(&mut self, from: usize, of: &str, to: usize) {
        if self.placed[to].is_stub {
            return;
        }
        let exits: Vec<_> = self.placed[from].exits.iter().filter(|(name, ..)| name == of).cloned().collect();
        let (entry, result) = (self.placed[to].entry.clone(), self.placed[to].result.clone());
        for (_, id, port) in exits {
            match (&entry, &result) {
                (_, Some(result)) => self.wire(&id, &port, result, IN),
                (Some(entry), None) => self.wire(&id, &port, entry, NEXT),
                (None, None) => {}
            }
        }
    }

    /// The outputs of the original, but for the one for failures.
    pub fn exits(&self, node: usize) -> Vec<String> {
        let mut names: Vec<String> = self.placed[node].exits.iter().map(|(of, ..)| of.clone()).collect();
        names.retain(|of| of != ERROR);
        names.dedup();
        names
    }

    /// How many outputs it has, but for the one for failures.
    pub fn width(&self, node: usize) -> usize {
        let names: HashSet<&str> = self.placed[node].exits.iter().map(|(of, ..)| of.as_str()).collect();
        names.into_iter().filter(|of| *of != ERROR).count()
    }

    /// Something that is only known once all is put together.
    pub fn note(&mut self, node: usize, text: String) {
        let report = &mut self.report.nodes[self.placed[node].report];
        if report.status == Status::Mapped {
            report.status = Status::Partial;
        }
        // A note for each of very many connections would say no more.
        if !report.why.contains(&text) && report.why.len() < 4_000 {
            report.why = if report.why.is_empty() { text } else { format!("{}; {text}", report.why) };
        }
    }

    pub fn reconnect(&mut self, node: usize, what: String) {
        let node_id = self.report.nodes[self.placed[node].report].id.clone();
        self.report.reconnect.push(Reconnect { node_id, what });
    }

    /// A node that the original did without: its run ended with what its last nodes gave.
    pub fn add_end(&mut self, ids: &mut Ids, name: &str, made: Step, lasts: &[(usize, &str)]) {
        let id = ids.give(&[name]);
        let place = self.graph.nodes.iter().filter_map(|node| node.position).max_by(|a, b| a.x.total_cmp(&b.x));
        let position = place.map(|at| Position { x: at.x + APART, ..at });
        let (r#type, config) = (made.kind.to_owned(), made.config);
        self.graph.nodes.push(Node { id: id.clone(), r#type, name: name.to_owned(), config, position });
        for (node, of) in lasts {
            let exits: Vec<_> = self.placed[*node].exits.iter().filter(|(name, ..)| name == of).cloned().collect();
            for (_, from, port) in exits {
                self.wire(&from, &port, &id, IN);
            }
        }
    }

    /// Whether it sends a message itself.
    pub fn sends(&self, node: usize) -> bool {
        self.placed[node].kind == Some("send_message")
    }

    /// Whether it gives a value that can be a run's result.
    pub fn gives(&self, node: usize) -> bool {
        let placed = &self.placed[node];
        !placed.is_stub && placed.exits.iter().any(|(of, ..)| of != ERROR)
    }

    pub fn finish(mut self) -> (Graph, Report) {
        bounds::hold(&mut self.report);
        (self.graph, self.report)
    }

    fn wire(&mut self, from: &str, exit: &str, to: &str, port: &str) {
        let end = |node: &str, port: &str| End { node: node.to_owned(), port: port.to_owned() };
        let (from, to) = (end(from, exit), end(to, port));
        if self.seen.insert((from.clone(), to.clone())) {
            self.graph.connections.push(Connection { from, to });
        }
    }

    fn say(&mut self, named: &Named, status: Status, why: String) -> usize {
        let is_whole = status == Status::Mapped;
        let is_small = || named.original.to_string().len() <= MAX_ORIGINAL_BYTES;
        let original = (!is_whole && is_small()).then(|| secrets::shown(named.original));
        self.report.nodes.push(NodeReport { id: named.id.to_owned(), status, why, original });
        self.report.nodes.len() - 1
    }
}

/// What a node of ours was bound to where it comes from.
pub fn bindings(node: &Node) -> Vec<String> {
    let named = |field: &str| node.config.get(field).and_then(Value::as_str);
    let what = match node.r#type.as_str() {
        // A file may come from another account, where these are not.
        "agent" => named("agentId").map(|id| format!("agent {id}: it stays bound, see that it is there")),
        "workflow" => named("workflowId").map(|id| format!("workflow {id}: it stays bound, see that it is there")),
        "webhook" => Some("a webhook channel".to_owned()),
        "message" | "send_message" => Some("a messaging channel".to_owned()),
        _ => None,
    };
    what.map(|what| clipped(&what, 120)).into_iter().collect()
}
