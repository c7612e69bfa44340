//! Imports workflows of n8n and Dify, and our own exports. The result is a draft graph and a report with one entry for each
//! original node. A node that cannot be translated becomes a placeholder; it never fails the import. Secrets and credentials
//! are removed. `reconnect` lists them, with the channels, models and agents to choose again. An import of our own export
//! keeps the ids of agents and workflows, and lists them to be checked, because they may belong to another organization.

pub mod atelier;
mod bounds;
mod call;
mod comparison;
mod dify;
mod draft;
mod format;
mod json_text;
mod lenient;
mod model;
mod n8n;
mod notes;
mod pieces;
mod secrets;
mod slug;
mod syntax;
mod translation;
mod yaml;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use domain::Result;
use domain::graph::Graph;

pub use format::read;

/// The result of an import.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    pub name: String,
    pub description: Option<String>,
    pub graph: Graph,
    pub report: Report,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    pub source: ImportSource,
    /// One entry for each node of the original, including those that were left out of the graph.
    pub nodes: Vec<NodeReport>,
    pub reconnect: Vec<Reconnect>,
}

/// The platform that the workflow comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImportSource {
    Atelier,
    N8n,
    Dify,
}

#[derive(Clone, Debug, PartialEq)]
pub struct NodeReport {
    /// The id in the graph, or the id it would have had.
    pub id: String,
    pub status: Status,
    pub why: String,
    /// The original node without its secrets. None if it was translated completely, is larger than 16 KiB, or comes from our
    /// own export.
    pub original: Option<Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Translated completely.
    Mapped,
    /// Translated in part. The report lists what to check.
    Partial,
    /// Replaced by a placeholder.
    Unsupported,
}

/// Something that the user must connect again, or check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reconnect {
    pub node_id: String,
    pub what: String,
}

#[cfg(test)]
mod tests;
