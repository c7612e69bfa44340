//! Response bodies of the workflow import.

use importers::{ImportSource, NodeReport, Reconnect, Report, Status};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::workflow::WorkflowOut;

/// The imported workflow, and a report on each node of the original.
#[derive(Serialize, ToSchema)]
#[schema(title = "Imported")]
pub struct ImportedOut {
    pub data: WorkflowOut,
    pub report: ReportOut,
}

/// The report of an import.
#[derive(Serialize, Deserialize, ToSchema)]
#[schema(title = "ImportReport")]
pub struct ReportOut {
    /// The platform that the file comes from.
    source: ImportSource,
    /// One entry for each node of the original.
    nodes: Vec<NodeReportOut>,
    /// The items to connect again or to check. Credentials and channels are not imported. An export of this platform
    /// keeps the ids of its agents and workflows.
    reconnect: Vec<ReconnectOut>,
}

/// The result of importing one node.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct NodeReportOut {
    /// The id in the new graph, or the id that the node would have had.
    id: String,
    /// How completely the node was imported.
    status: Status,
    /// The explanation of the status.
    why: String,
    /// The original node without its secrets, unless it was imported completely.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Object, nullable = false)]
    original: Option<Value>,
}

/// An item to connect again or to check.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReconnectOut {
    /// The id of the node.
    node_id: String,
    /// The item, such as a credential or an agent.
    #[schema(example = "a credential")]
    what: String,
}

impl From<Report> for ReportOut {
    fn from(Report { source, nodes, reconnect }: Report) -> Self {
        let nodes = nodes.into_iter().map(|NodeReport { id, status, why, original }| NodeReportOut {
            id,
            status,
            why,
            original,
        });
        let reconnect = reconnect.into_iter().map(|Reconnect { node_id, what }| ReconnectOut { node_id, what });
        Self { source, nodes: nodes.collect(), reconnect: reconnect.collect() }
    }
}
