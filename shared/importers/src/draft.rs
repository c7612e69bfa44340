//! Builds the graph and the report. Every converted node is validated against the schema of its type here, so no invalid
//! node is ever reported as mapped.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::lenient::truncate;
use super::slug::Ids;
use super::translation::{TranslatedStep, Translation, find_problem};
use super::{ImportSource, ImportedAgent, NodeReport, Reconnect, Report, Status, bounds, secrets};
use domain::graph::{CanvasPosition, Connection, End, Graph, MAX_GRAPH_BYTES, Node};
use domain::{Error, Result};
use engine::nodes::input::InputNode;
use engine::nodes::r#loop::{MAX_ROUNDS, NEXT};
use engine::nodes::send_result::SendResultNode;
use engine::nodes::{self, ERROR, IN, NodeKind, OUT};

/// A longer original is left out of the report.
const MAX_ORIGINAL_BYTES: usize = 16 * 1024;
const MAX_TITLE_CHARS: usize = 200;
const MAX_MESSAGE_CHARS: usize = 2_000;
const MAX_PORT_CHARS: usize = 64;
const MAX_PORTS: usize = 50;
/// The distance on the canvas between the steps of one original node.
const STEP_DISTANCE: f64 = 240.0;

/// Where a node of the original is in the draft.
struct DraftNode {
    report: usize,
    entry: Option<String>,
    /// The type of the first step.
    kind: Option<&'static str>,
    /// The input ports of the first step.
    inputs: Vec<String>,
    /// The step that computes the result of a loop's body, if the loop needs one.
    result: Option<String>,
    /// The step that another node must replace.
    placeholder: Option<String>,
    exits: Vec<(String, String, String)>,
}

impl DraftNode {
    fn accepts_port(&self, port: &str) -> bool {
        self.inputs.iter().any(|input| input == port)
    }
}

/// A node of the original workflow.
pub struct Original<'d> {
    pub id: &'d str,
    pub title: &'d str,
    /// The type on the original platform.
    pub kind: &'d str,
    pub position: Option<CanvasPosition>,
    pub raw: &'d Value,
}

pub struct Draft {
    graph: Graph,
    report: Report,
    nodes: Vec<DraftNode>,
    seen: HashSet<(End, End)>,
    /// The size of all configurations together.
    bytes: usize,
    agents: Vec<ImportedAgent>,
}

impl Draft {
    pub fn new(source: ImportSource) -> Self {
        let report = Report { source, nodes: Vec::new(), reconnect: Vec::new() };
        Self { graph: Graph::default(), report, nodes: Vec::new(), seen: HashSet::new(), bytes: 0, agents: Vec::new() }
    }

    /// Reports a node of the original that gets no node in the graph.
    pub fn leave_out(&mut self, original: &Original, status: Status, why: impl Into<String>) {
        let report = self.report_node(original, status, why.into());
        self.nodes.push(DraftNode {
            report,
            entry: None,
            kind: None,
            inputs: Vec::new(),
            result: None,
            placeholder: None,
            exits: Vec::new(),
        });
    }

    /// Adds the next node of the original. Its index in the draft is the order of these calls.
    /// Small originals can expand a lot, so the size limit of a graph is checked after every node.
    pub fn add(&mut self, original: &Original, mut translation: Translation, ids: &mut Ids) -> Result<()> {
        let invalid =
            translation.steps.iter().find_map(|step| find_problem(step.kind, &step.config).map(|why| (step.kind, why)));
        if let (Some((kind, why)), None) = (invalid, &translation.unsupported) {
            translation = Translation {
                reconnect: translation.reconnect,
                ..Translation::unsupported(format!("cannot be converted to `{kind}`: {why}"))
            };
        }
        let placeholder = translation.placeholder();
        if let (Some(step), Some(why)) = (placeholder, &translation.unsupported) {
            let of = format!("`{}` ({})", truncate(original.title, 80), truncate(original.kind, 80));
            let message = truncate(&format!("{of} was not imported: {why}"), MAX_MESSAGE_CHARS - 1);
            translation.steps[step].config.insert("message".to_owned(), message.into());
        }
        for step in &translation.steps {
            self.bytes += serde_json::to_vec(&step.config).map_err(Error::internal)?.len();
        }
        if self.bytes > MAX_GRAPH_BYTES {
            return Err(Error::invalid_body("graph", format!("at most {MAX_GRAPH_BYTES} bytes as JSON")));
        }
        let inputs = translation.steps.first().map_or_else(Vec::new, |step| list_inputs(step.kind, &step.config));
        let kinds: Vec<&'static str> = translation.steps.iter().map(|step| step.kind).collect();
        let (status, why) = match &translation.unsupported {
            Some(why) => (Status::Unsupported, why.clone()),
            None if translation.notes.is_empty() => (Status::Mapped, format!("imported as {}", kinds.join(" and "))),
            None => (Status::Partial, format!("imported as {}; {}", kinds.join(" and "), translation.notes.join("; "))),
        };
        let report = self.report_node(original, status, why);
        let what = translation.reconnect.into_iter();
        self.report.reconnect.extend(what.map(|what| Reconnect { node_id: original.id.to_owned(), what }));

        let mut step_ids = Vec::new();
        for (index, step) in translation.steps.into_iter().enumerate() {
            let id = match step.suffix {
                "" => original.id.to_owned(),
                suffix => ids.assign(&[&format!("{}_{suffix}", original.id)]),
            };
            let place = |at: CanvasPosition| CanvasPosition { x: at.x + STEP_DISTANCE * index as f64, ..at };
            let name = match step.suffix {
                "" => truncate(original.title, MAX_TITLE_CHARS - 1),
                suffix => format!("{} ({suffix})", truncate(original.title, MAX_TITLE_CHARS - 20)),
            };
            let position = original.position.map(place);
            self.graph.nodes.push(Node {
                id: id.clone(),
                r#type: step.kind.into(),
                name,
                config: step.config,
                position,
            });
            step_ids.push(id);
        }
        for (from, port, to) in translation.wires {
            // A connection to an earlier step closes a loop.
            let back = if to < from { NEXT } else { IN };
            self.add_connection(&step_ids[from], &port, &step_ids[to], back);
        }
        if let (Some(fields), Some(id)) = (translation.agent, step_ids.first()) {
            self.agents.push(ImportedAgent { node_id: id.clone(), fields });
        }
        let exits = translation.exits.into_iter().map(|(of, step, port)| (of, step_ids[step].clone(), port));
        let exits = exits.collect();
        let placeholder = placeholder.map(|step| step_ids[step].clone());
        let (entry, result) = (step_ids.first().cloned(), step_ids.get(1).cloned());
        self.nodes.push(DraftNode { report, entry, kind: kinds.first().copied(), inputs, result, placeholder, exits });
        Ok(())
    }

    /// Adds a connection of the original. Both nodes are given by their index.
    pub fn connect(&mut self, from: usize, of: &str, to: usize, port: &str) {
        let Some(entry) = self.nodes[to].entry.clone() else { return };
        let placed = &self.nodes[from];
        if placed.entry.is_none() {
            return;
        }
        // A placeholder keeps its outgoing connections for the node that will replace it.
        let exits: Vec<(String, String)> = if let Some(placeholder) = placed.placeholder.clone() {
            let port = if matches!(of, "0" | "") { OUT.to_owned() } else { truncate(of, MAX_PORT_CHARS - 1) };
            self.open_port(&placeholder, &port).then_some((placeholder, port)).into_iter().collect()
        } else {
            let exits = placed.exits.iter().filter(|(name, ..)| name == of);
            exits.map(|(_, id, port)| (id.clone(), port.clone())).collect()
        };
        if exits.is_empty() {
            let title = truncate(&entry, 64);
            self.note(from, format!("its output `{}` to `{title}` has no equivalent here", truncate(of, 40)));
        }
        let port = if self.nodes[to].placeholder.is_some() { IN } else { port };
        if !self.nodes[to].accepts_port(port) {
            return self.note(to, "its incoming connections are dropped: this node has no input".to_owned());
        }
        for (id, exit) in exits {
            self.add_connection(&id, &exit, &entry, port);
        }
    }

    /// Gives a placeholder an output port. False if it has too many.
    fn open_port(&mut self, id: &str, port: &str) -> bool {
        let Some(placeholder) = self.graph.nodes.iter_mut().rev().find(|node| node.id == id) else { return false };
        let outputs = placeholder.config.get("outputs").and_then(Value::as_array);
        let mut outputs = outputs.cloned().unwrap_or_else(|| vec![OUT.into()]);
        if outputs.iter().any(|name| name == port) {
            return true;
        }
        outputs.push(port.into());
        let has_room = outputs.len() <= MAX_PORTS;
        if has_room {
            placeholder.config.insert("outputs".to_owned(), outputs.into());
        }
        has_room
    }

    /// Connects the end of a loop's body back to its loop.
    pub fn connect_back(&mut self, from: usize, of: &str, to: usize) {
        if self.nodes[to].placeholder.is_some() {
            return;
        }
        let exits: Vec<_> = self.nodes[from].exits.iter().filter(|(name, ..)| name == of).cloned().collect();
        let (entry, result) = (self.nodes[to].entry.clone(), self.nodes[to].result.clone());
        for (_, id, port) in exits {
            match (&entry, &result) {
                (_, Some(result)) => self.add_connection(&id, &port, result, IN),
                (Some(entry), None) => self.add_connection(&id, &port, entry, NEXT),
                (None, None) => {}
            }
        }
    }

    /// The outputs of the original, without the error output.
    pub fn exits(&self, node: usize) -> Vec<String> {
        let mut names: Vec<String> = self.nodes[node].exits.iter().map(|(of, ..)| of.clone()).collect();
        names.retain(|of| of != ERROR);
        names.dedup();
        names
    }

    /// The number of outputs, without the error output.
    pub fn count_outputs(&self, node: usize) -> usize {
        let names: HashSet<&str> = self.nodes[node].exits.iter().map(|(of, ..)| of.as_str()).collect();
        names.into_iter().filter(|of| *of != ERROR).count()
    }

    /// Adds a note to a node's report that is only known once the graph is complete.
    pub fn note(&mut self, node: usize, text: String) {
        let report = &mut self.report.nodes[self.nodes[node].report];
        if report.status == Status::Mapped {
            report.status = Status::Partial;
        }
        // A node with thousands of connections must not produce thousands of notes.
        if !report.why.contains(&text) && report.why.len() < 4_000 {
            report.why = if report.why.is_empty() { text } else { format!("{}; {text}", report.why) };
        }
    }

    pub fn reconnect(&mut self, node: usize, what: String) {
        let node_id = self.report.nodes[self.nodes[node].report].id.clone();
        self.report.reconnect.push(Reconnect { node_id, what });
    }

    /// Adds a trigger. The original had none, so that nothing started its runs.
    pub fn add_start(&mut self, ids: &mut Ids, name: &str, firsts: &[usize]) {
        let id = ids.assign(&[name]);
        let place = self.graph.nodes.iter().filter_map(|node| node.position).min_by(|a, b| a.x.total_cmp(&b.x));
        let position = place.map(|at| CanvasPosition { x: at.x - STEP_DISTANCE, ..at });
        let r#type = InputNode::NAME.to_owned();
        self.graph.nodes.push(Node { id: id.clone(), r#type, name: name.to_owned(), config: Map::new(), position });
        for first in firsts {
            if let Some(entry) = self.nodes[*first].entry.clone() {
                self.add_connection(&id, OUT, &entry, IN);
            }
        }
    }

    /// Adds a final node. The original had none: its run ended with the output of its last nodes.
    pub fn add_end(&mut self, ids: &mut Ids, name: &str, translation: TranslatedStep, last_nodes: &[(usize, String)]) {
        let id = ids.assign(&[name]);
        let place = self.graph.nodes.iter().filter_map(|node| node.position).max_by(|a, b| a.x.total_cmp(&b.x));
        let position = place.map(|at| CanvasPosition { x: at.x + STEP_DISTANCE, ..at });
        let (r#type, config) = (translation.kind.to_owned(), translation.config);
        self.graph.nodes.push(Node { id: id.clone(), r#type, name: name.to_owned(), config, position });
        for (node, of) in last_nodes {
            let exits: Vec<_> = self.nodes[*node].exits.iter().filter(|(name, ..)| name == of).cloned().collect();
            for (_, from, port) in exits {
                self.add_connection(&from, &port, &id, IN);
            }
        }
    }

    /// Whether a run has an output, or an effect.
    pub fn has_output(&self) -> bool {
        let is_output = |kind: &str| kind == SendResultNode::NAME || nodes::find(kind).is_some_and(|kind| kind.effects);
        self.graph.nodes.iter().any(|node| is_output(&node.r#type))
    }

    /// Whether the node itself sends a message.
    pub fn sends_message(&self, node: usize) -> bool {
        self.nodes[node].kind == Some("send_message")
    }

    /// Whether the node has an output that can be the result of a run.
    pub fn has_result(&self, node: usize) -> bool {
        let placed = &self.nodes[node];
        placed.placeholder.is_none() && placed.exits.iter().any(|(of, ..)| of != ERROR)
    }

    /// Adds the originals to their placeholders, as far as the graph has room for them.
    fn add_originals(&mut self) {
        let placeholders: HashMap<&str, usize> =
            self.nodes.iter().filter_map(|node| Some((node.placeholder.as_deref()?, node.report))).collect();
        for node in &mut self.graph.nodes {
            let report = placeholders.get(&*node.id);
            let Some(original) = report.and_then(|report| self.report.nodes[*report].original.as_ref()) else {
                continue;
            };
            let bytes = self.bytes + original.to_string().len();
            if bytes <= MAX_GRAPH_BYTES / 2 {
                self.bytes = bytes;
                node.config.insert("original".to_owned(), original.clone());
            }
        }
    }

    pub fn finish(mut self) -> (Graph, Report, Vec<ImportedAgent>) {
        self.add_originals();
        bounds::limit_report(&mut self.report);
        (self.graph, self.report, self.agents)
    }

    fn add_connection(&mut self, from: &str, exit: &str, to: &str, port: &str) {
        let end = |node: &str, port: &str| End { node: node.to_owned(), port: port.to_owned() };
        let (from, to) = (end(from, exit), end(to, port));
        if self.seen.insert((from.clone(), to.clone())) {
            self.graph.connections.push(Connection { from, to });
        }
    }

    fn report_node(&mut self, original: &Original, status: Status, why: String) -> usize {
        let is_whole = status == Status::Mapped;
        let is_small = || original.raw.to_string().len() <= MAX_ORIGINAL_BYTES;
        let kept = (!is_whole && is_small()).then(|| secrets::redact(original.raw));
        self.report.nodes.push(NodeReport { id: original.id.to_owned(), status, why, original: kept });
        self.report.nodes.len() - 1
    }
}

/// The input ports of a configuration.
fn list_inputs(kind: &str, config: &Map<String, Value>) -> Vec<String> {
    let Some(kind) = nodes::find(kind) else { return Vec::new() };
    let names_them = ["inputs", MAX_ROUNDS].iter().any(|field| config.contains_key(*field));
    let summary = names_them.then(|| kind.read(config).ok()).flatten();
    kind.input_names(summary.as_ref()).into_iter().map(Cow::into_owned).collect()
}

/// The resources that a node was bound to in the workspace it was exported from.
pub fn bindings(node: &Node) -> Vec<String> {
    let named = |field: &str| node.config.get(field).and_then(Value::as_str);
    let what = match node.r#type.as_str() {
        // The file may come from another organization, whose agents do not exist here.
        "agent" => named("agentId").map(|id| format!("agent {id}: it stays connected, check that it exists")),
        "workflow" => named("workflowId").map(|id| format!("workflow {id}: it stays connected, check that it exists")),
        "webhook" => Some("a webhook channel".to_owned()),
        "message" | "send_message" => Some("a messaging channel".to_owned()),
        _ => None,
    };
    what.map(|what| truncate(&what, 120)).into_iter().collect()
}
