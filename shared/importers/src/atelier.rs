//! Imports a workflow that Atelier itself exported. Nothing is translated.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::draft::bindings;
use super::{ImportSource, Imported, NodeReport, Reconnect, Report, Status};
use domain::graph::Graph;
use domain::{Error, Result, json};

pub const PREFIX: &str = "atelier.workflow/";
pub const FORMAT: &str = "atelier.workflow/1";

/// The file of an exported workflow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Export {
    #[schema(example = "atelier.workflow/1")]
    pub format: String,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub description: Option<String>,
    pub graph: Graph,
}

impl Export {
    pub fn new(name: &str, description: Option<&str>, graph: &Graph) -> Self {
        let (name, description) = (name.to_owned(), description.map(str::to_owned));
        Self { format: FORMAT.to_owned(), name, description, graph: graph.clone() }
    }
}

pub fn read(document: &Value) -> Result<Imported> {
    if document["format"] != FORMAT {
        let format: String = document["format"].as_str().unwrap_or_default().chars().take(40).collect();
        return Err(Error::invalid_body(
            "format",
            format!("unknown format `{format}`; the known format is `{FORMAT}`"),
        ));
    }
    let export: Export = json::deserialize(document).map_err(Error::unreadable_body)?;
    let Export { name, description, mut graph, .. } = export;
    let mut report = Report { source: ImportSource::Atelier, nodes: Vec::new(), reconnect: Vec::new() };
    for node in &mut graph.nodes {
        // A credential belongs to one workflow. The imported copy must be given its own.
        let had_credential = node.config.shift_remove("credentialId").is_some();
        let bound = bindings(node);
        let (status, why) = match had_credential {
            true => (Status::Partial, "its credential must be connected again".to_owned()),
            false => (Status::Mapped, String::new()),
        };
        let credential = had_credential.then(|| "a credential".to_owned());
        let what = credential.into_iter().chain(bound);
        report.reconnect.extend(what.map(|what| Reconnect { node_id: node.id.clone(), what }));
        report.nodes.push(NodeReport { id: node.id.clone(), status, why, original: None });
    }
    Ok(Imported { name, description, graph, report, recorded: BTreeMap::new(), agents: Vec::new() })
}
