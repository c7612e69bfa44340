//! A workflow of n8n as its file has it: nodes by name, and connections from names to names.

use std::collections::HashMap;

use serde_json::Value;

use super::super::loose::{NOTHING, check_names, entries, is_short, list, number, text, whole};
use crate::domain::graph::{MAX_CONNECTIONS, MAX_NODES, Position};
use crate::{Error, Result};

pub struct Document<'d> {
    pub name: &'d str,
    pub description: Option<&'d str>,
    pub settings: &'d Value,
    pub pinned: &'d Value,
    pub nodes: Vec<Source<'d>>,
    pub wires: Vec<Wire<'d>>,
    /// What leads to or from a node that is not in the file: the node that is, and the name of the other.
    pub loose_ends: Vec<(usize, LooseEnd<'d>)>,
}

#[derive(Clone, Copy)]
pub enum LooseEnd<'d> {
    To(&'d str),
    From(&'d str),
}

pub struct Source<'d> {
    pub name: &'d str,
    /// Without its package: `httpRequest`.
    pub kind: &'d str,
    pub version: f64,
    /// Nothing where they are too long.
    pub parameters: &'d Value,
    pub is_too_long: bool,
    pub is_disabled: bool,
    pub raw: &'d Value,
}

/// From an output of a node to an input of another. Both are places in the list of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wire<'d> {
    pub from: usize,
    /// `main`, or what a part of an agent is to it: `ai_tool`.
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
        let nodes: Vec<Source> = raw.iter().enumerate().map(source).collect::<Result<_>>()?;
        // Of several with one name the first counts, as n8n gives each name once.
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
                                let input = whole(&target["index"]).unwrap_or(0) as usize;
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

fn source<'d>((index, raw): (usize, &'d Value)) -> Result<Source<'d>> {
    if !raw.is_object() {
        return Err(Error::invalid_body(format!("nodes[{index}]"), "must be an object"));
    }
    let (name, kind) = (text(&raw["name"]), text(&raw["type"]));
    check_names(&format!("nodes[{index}]"), &[("name", name), ("type", kind), ("id", text(&raw["id"]))])?;
    let is_too_long = !is_short(&raw["parameters"]);
    Ok(Source {
        name,
        kind: kind.rsplit('.').next().unwrap_or(kind),
        version: number(&raw["typeVersion"]).unwrap_or(1.0),
        parameters: if is_too_long { &NOTHING } else { &raw["parameters"] },
        is_too_long,
        is_disabled: raw["disabled"] == true,
        raw,
    })
}

impl Source<'_> {
    pub fn is_trigger(&self) -> bool {
        self.kind.ends_with("Trigger")
            || matches!(self.kind, "webhook" | "cron" | "start" | "interval" | "emailReadImap")
    }

    pub fn is_chat(&self) -> bool {
        matches!(self.kind, "chatTrigger" | "manualChatTrigger")
    }

    /// Whether who began the run gets what its last node gave.
    pub fn answers_with_last(&self) -> bool {
        match self.kind {
            "executeWorkflowTrigger" => true,
            "webhook" => text(&self.parameters["responseMode"]) == "lastNode",
            _ => self.is_chat() && matches!(text(&self.parameters["options"]["responseMode"]), "" | "lastNode"),
        }
    }

    pub fn is_loop(&self) -> bool {
        self.kind == "splitInBatches"
    }

    /// Whether a model chooses the way that what came in goes on by.
    pub fn is_classifier(&self) -> bool {
        matches!(self.kind, "textClassifier" | "sentimentAnalysis")
    }

    /// Whether what came in goes on as it was.
    pub fn hands_on(&self) -> bool {
        matches!(self.kind, "if" | "filter" | "switch") || self.is_classifier()
    }

    /// Whether it makes many items of one.
    pub fn is_split(&self) -> bool {
        self.kind == "splitOut" || (self.kind == "itemLists" && matches!(self.operation(), "" | "splitOutItems"))
    }

    /// Whether it takes all items at once, and hands on several.
    pub fn is_of_all(&self) -> bool {
        matches!(self.kind, "limit" | "sort" | "removeDuplicates")
    }

    /// Whether it can do for one element what it did for many.
    pub fn runs_for_each(&self) -> bool {
        !self.is_trigger() && !self.is_split() && !matches!(self.kind, "merge" | "respondToWebhook")
    }

    /// Whether something comes of it.
    pub fn has_output(&self) -> bool {
        self.kind != "stopAndError"
    }

    /// Whether nothing behind it runs for each item that came to it.
    pub fn is_gather(&self) -> bool {
        matches!(self.kind, "aggregate" | "summarize")
            || (self.kind == "itemLists" && !self.is_split())
            || (self.kind == "executeWorkflow" && text(&self.parameters["mode"]) == "each")
            || self.is_loop()
    }

    fn operation(&self) -> &str {
        text(&self.parameters["operation"])
    }

    /// Where the body of a loop begins. Its two outputs changed their places with version 3.
    pub fn loop_output(&self) -> usize {
        if self.version >= 3.0 { 1 } else { 0 }
    }

    /// Whether it goes on there when it failed: behind all other outputs, of which most have one.
    pub fn is_error_output(&self, output: usize) -> bool {
        let has_one = !matches!(self.kind, "if" | "switch" | "splitInBatches" | "guardrails") && !self.is_classifier();
        self.raw["onError"] == "continueErrorOutput" && has_one && output > 0
    }

    pub fn position(&self) -> Option<Position> {
        let place = list(&self.raw["position"]);
        Some(Position { x: place.first()?.as_f64()?, y: place.get(1)?.as_f64()? })
    }
}
