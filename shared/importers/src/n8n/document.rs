//! The file of an n8n workflow: nodes by name, and connections between names.

use std::collections::HashMap;

use serde_json::Value;

use crate::lenient::{NOTHING, check_names, entries, is_short, list, number, text, whole_number};
use domain::graph::{CanvasPosition, MAX_CONNECTIONS, MAX_NODES};
use domain::{Error, Result};

pub struct Document<'d> {
    pub name: &'d str,
    pub description: Option<&'d str>,
    pub settings: &'d Value,
    pub pinned: &'d Value,
    pub nodes: Vec<SourceNode<'d>>,
    pub wires: Vec<Wire<'d>>,
    /// Wires to or from a node that is not in the file: the node that is, and the name of the other.
    pub loose_ends: Vec<(usize, LooseEnd<'d>)>,
}

#[derive(Clone, Copy)]
pub enum LooseEnd<'d> {
    To(&'d str),
    From(&'d str),
}

#[derive(Clone, Copy)]
pub struct SourceNode<'d> {
    pub name: &'d str,
    /// The type without its package: `httpRequest`.
    pub kind: &'d str,
    pub version: f64,
    /// Null when they are too long to be read.
    pub parameters: &'d Value,
    pub is_too_long: bool,
    pub is_disabled: bool,
    pub raw: &'d Value,
    pub position: Option<CanvasPosition>,
}

/// The kind of the loops that the import adds. No kind of a file has a dot.
pub const REPEAT: &str = "n8n.repeat";
/// How far a copy is below its original.
const COPY_OFFSET: f64 = 140.0;
/// Where such a loop is, from the first node of its body.
const REPEAT_OFFSET: CanvasPosition = CanvasPosition { x: -40.0, y: -140.0 };

/// A connection from an output of one node to an input of another. Both are indexes into the list of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wire<'d> {
    pub from: usize,
    /// `main`, or the role of a sub-node: `ai_tool`.
    pub kind: &'d str,
    pub output: usize,
    pub to: usize,
    pub input: usize,
}

impl<'d> Document<'d> {
    pub fn read(document: &'d Value) -> Result<Self> {
        let raw = list(&document["nodes"]);
        if raw.len() > MAX_NODES {
            return Err(Error::invalid_body("nodes", format!("at most {MAX_NODES}")));
        }
        let nodes: Vec<SourceNode> = raw.iter().enumerate().map(source).collect::<Result<_>>()?;
        // Names are unique in n8n. If not, the first node wins.
        let mut places = HashMap::new();
        nodes.iter().enumerate().for_each(|(place, node)| {
            places.entry(node.name).or_insert(place);
        });
        let (mut wires, mut loose_ends) = (Vec::new(), Vec::new());
        for (name, outgoing) in entries(&document["connections"]) {
            let from = places.get(name.as_str()).copied();
            for (kind, outputs) in entries(outgoing) {
                for (output, targets) in list(outputs).iter().enumerate() {
                    for target in list(targets) {
                        let to_name = text(&target["node"]);
                        match (from, places.get(to_name).copied()) {
                            (Some(from), Some(to)) => {
                                let input = whole_number(&target["index"]).unwrap_or(0) as usize;
                                wires.push(Wire { from, kind, output, to, input });
                            }
                            (Some(from), None) => loose_ends.push((from, LooseEnd::To(to_name))),
                            (None, Some(to)) => loose_ends.push((to, LooseEnd::From(name))),
                            (None, None) => {}
                        }
                        if wires.len() + loose_ends.len() > MAX_CONNECTIONS {
                            return Err(Error::invalid_body("connections", format!("at most {MAX_CONNECTIONS}")));
                        }
                    }
                }
            }
        }
        let description = document["description"].as_str().or(document["meta"]["description"].as_str());
        let (settings, pinned) = (&document["settings"], &document["pinData"]);
        Ok(Self { name: text(&document["name"]), description, settings, pinned, nodes, wires, loose_ends })
    }
}

fn source<'d>((index, raw): (usize, &'d Value)) -> Result<SourceNode<'d>> {
    if !raw.is_object() {
        return Err(Error::invalid_body(format!("nodes[{index}]"), "must be an object"));
    }
    let (name, kind) = (text(&raw["name"]), text(&raw["type"]));
    check_names(&format!("nodes[{index}]"), &[("name", name), ("type", kind), ("id", text(&raw["id"]))])?;
    let is_too_long = !is_short(&raw["parameters"]);
    Ok(SourceNode {
        name,
        kind: kind.rsplit('.').next().unwrap_or(kind),
        version: number(&raw["typeVersion"]).unwrap_or(1.0),
        parameters: if is_too_long { &NOTHING } else { &raw["parameters"] },
        is_too_long,
        is_disabled: raw["disabled"] == true,
        raw,
        position: position(raw),
    })
}

fn position(raw: &Value) -> Option<CanvasPosition> {
    let place = list(&raw["position"]);
    Some(CanvasPosition { x: place.first()?.as_f64()?, y: place.get(1)?.as_f64()? })
}

impl SourceNode<'_> {
    /// A loop whose body begins at a node, and runs in rounds.
    pub fn repeat(first: &Self) -> Self {
        let position = first.position.map(|at| CanvasPosition { x: at.x + REPEAT_OFFSET.x, y: at.y + REPEAT_OFFSET.y });
        let (name, kind, version) = ("Repeat", REPEAT, 1.0);
        let (is_too_long, is_disabled) = (false, false);
        Self { name, kind, version, parameters: &NOTHING, is_too_long, is_disabled, raw: &NOTHING, position }
    }

    /// A copy that is below the original.
    pub fn copied(&self) -> Self {
        Self { position: self.position.map(|at| CanvasPosition { y: at.y + COPY_OFFSET, ..at }), ..*self }
    }

    /// Whether the import has added it.
    pub fn is_repeat(&self) -> bool {
        self.kind == REPEAT
    }

    pub fn is_trigger(&self) -> bool {
        self.kind.ends_with("Trigger")
            || matches!(self.kind, "webhook" | "cron" | "start" | "interval" | "emailReadImap")
    }

    pub fn is_chat(&self) -> bool {
        matches!(self.kind, "chatTrigger" | "manualChatTrigger")
    }

    /// Whether the node belongs to one of the supported messaging services.
    pub fn is_messaging(&self) -> bool {
        matches!(self.kind.trim_end_matches("Trigger"), "slack" | "telegram" | "whatsApp")
    }

    /// Whether the node sends a message and waits for the answer.
    pub fn waits_for_answer(&self) -> bool {
        text(&self.parameters["operation"]) == "sendAndWait"
    }

    /// Whether the caller of the run gets the output of its last node.
    pub fn returns_last_output(&self) -> bool {
        match self.kind {
            "executeWorkflowTrigger" => true,
            "webhook" => text(&self.parameters["responseMode"]) == "lastNode",
            _ => self.is_chat() && matches!(text(&self.parameters["options"]["responseMode"]), "" | "lastNode"),
        }
    }

    /// Whether the node is a webhook whose callers wait for the response of the run.
    pub fn answers_calls(&self) -> bool {
        let mode = text(&self.parameters["responseMode"]).trim_start_matches('=');
        self.kind == "webhook" && !self.is_disabled && matches!(mode, "lastNode" | "responseNode" | "streaming")
    }

    /// Whether the node does nothing.
    pub fn passes_items_on(&self) -> bool {
        self.is_disabled || self.kind == "noOp"
    }

    pub fn is_loop(&self) -> bool {
        self.kind == "splitInBatches"
    }

    /// Whether the items of each input are kept apart.
    pub fn has_inputs(&self) -> bool {
        matches!(self.kind, "merge" | "compareDatasets")
    }

    /// The output that leads to a loop's body. Version 3 swapped the two outputs.
    pub fn loop_output(&self) -> usize {
        if self.version >= 3.0 { 1 } else { 0 }
    }
}
