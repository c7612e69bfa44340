//! Workflows that were drawn elsewhere, and our own exports. A text becomes a graph and a report of what came of each
//! of its nodes: one that nobody knows here fails by itself, never the whole. Nothing that is read keeps its secrets,
//! credentials or channels, nor what other platforms bound it to: all of these are listed, to be connected again. Only
//! our own exports keep the ids of agents and workflows, which are listed to be checked: they may be somebody else's.

pub mod atelier;
mod bounds;
mod call;
mod comparison;
mod dify;
mod draft;
mod json_text;
mod loose;
mod made;
mod model;
mod n8n;
mod pieces;
mod recognise;
mod secrets;
mod slug;
mod written;
mod yaml;

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::Result;
use crate::domain::graph::Graph;

pub use recognise::read;

/// What came of reading somebody else's workflow.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    pub name: String,
    pub description: Option<String>,
    pub graph: Graph,
    pub report: Report,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    pub source: Source,
    /// One for each node of the original, also for those that have no place in the graph.
    pub nodes: Vec<NodeReport>,
    pub reconnect: Vec<Reconnect>,
}

/// Where the workflow comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = ImportSource)]
pub enum Source {
    Atelier,
    N8n,
    Dify,
}

#[derive(Clone, Debug, PartialEq)]
pub struct NodeReport {
    /// Its id in the graph; where it was left out, the one it would have had.
    pub id: String,
    pub status: Status,
    pub why: String,
    /// The node as it was but for its secrets, unless all of it was carried over.
    pub original: Option<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It does what it did.
    Mapped,
    /// It does most of it; the report says what is to be looked at.
    Partial,
    /// A node that fails stands in its place.
    Unsupported,
}

/// Something that must be bound again, or of which it must be seen that it is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reconnect {
    pub node_id: String,
    pub what: String,
}

#[cfg(test)]
mod tests;
