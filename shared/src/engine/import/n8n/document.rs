//! A workflow of n8n as its file has it: nodes by name, and connections from names to names.

use std::collections::HashMap;

use serde_json::Value;

use super::super::loose::{entries, list, number, text, whole};
use crate::domain::graph::{MAX_CONNECTIONS, MAX_NODES, Position};
use crate::{Error, Result};

pub struct Document<'d> {
    pub name: &'d str,
    pub description: Option<&'d str>,
    pub settings: &'d Value,
    pub pinned: &'d Value,
    pub nodes: Vec<Source<'d>>,
    pub wires: Vec<Wire>,
}

pub struct Source<'d> {
    pub name: &'d str,
    /// Without its package: `httpRequest`.
    pub kind: &'d str,
    pub version: f64,
    pub parameters: &'d Value,
    pub is_disabled: bool,
    pub raw: &'d Value,
}

/// From an output of a node to an input of another. Both are places in the list of nodes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wire {
    pub from: usize,
    /// `main`, or what a part of an agent is to it: `ai_tool`.
    pub kind: String,
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
        let mut wires = Vec::new();
        for (name, outgoing) in entries(&document["connections"]) {
            let Some(&from) = places.get(name.as_str()) else { continue };
            for (kind, outputs) in entries(outgoing) {
                for (output, targets) in list(outputs).iter().enumerate() {
                    for target in list(targets) {
                        let Some(&to) = places.get(text(&target["node"])) else { continue };
                        let input = whole(&target["index"]).unwrap_or(0) as usize;
                        wires.push(Wire { from, kind: kind.clone(), output, to, input });
                    }
                }
            }
        }
        if wires.len() > MAX_CONNECTIONS {
            return Err(Error::invalid_body("connections", format!("at most {MAX_CONNECTIONS}")));
        }
        let description = document["description"].as_str().or(document["meta"]["description"].as_str());
        let (settings, pinned) = (&document["settings"], &document["pinData"]);
        Ok(Self { name: text(&document["name"]), description, settings, pinned, nodes, wires })
    }
}

fn source<'d>((index, raw): (usize, &'d Value)) -> Result<Source<'d>> {
    if !raw.is_object() {
        return Err(Error::invalid_body(format!("nodes[{index}]"), "must be an object"));
    }
    let kind = text(&raw["type"]);
    Ok(Source {
        name: text(&raw["name"]),
        kind: kind.rsplit('.').next().unwrap_or(kind),
        version: number(&raw["typeVersion"]).unwrap_or(1.0),
        parameters: &raw["parameters"],
        is_disabled: raw["disabled"] == true,
        raw,
    })
}

impl Source<'_> {
    pub fn is_trigger(&self) -> bool {
        self.kind.ends_with("Trigger")
            || matches!(self.kind, "webhook" | "cron" | "start" | "interval" | "emailReadImap")
    }

    pub fn is_loop(&self) -> bool {
        self.kind == "splitInBatches"
    }

    /// Where the body of a loop begins. Its two outputs changed their places with version 3.
    pub fn loop_output(&self) -> usize {
        if self.version >= 3.0 { 1 } else { 0 }
    }

    /// Whether it goes on there when it failed: behind all other outputs, of which most have one.
    pub fn is_error_output(&self, output: usize) -> bool {
        let has_one = !matches!(self.kind, "if" | "switch" | "splitInBatches" | "guardrails")
            && !matches!(self.kind, "textClassifier" | "sentimentAnalysis");
        self.raw["onError"] == "continueErrorOutput" && has_one && output > 0
    }

    pub fn position(&self) -> Option<Position> {
        let place = list(&self.raw["position"]);
        Some(Position { x: place.first()?.as_f64()?, y: place.get(1)?.as_f64()? })
    }
}
