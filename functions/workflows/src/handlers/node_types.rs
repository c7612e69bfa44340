//! Handler for the catalog of node types.

use engine::nodes;
use web::Result;
use web::builder::{Caller, Data, ErrorResponses};
use web::language::AcceptLanguageHeaders;

use crate::dto::node_type::NodeTypeOut;

/// List node types
///
/// Returns all node types of graphs, each with its ports, the JSON Schemas of its configuration and of its
/// outputs, and an example.
#[utoipa::path(
    get, path = "/builder/v1/workflows/node-types", tag = "workflows", params(AcceptLanguageHeaders),
    responses((status = 200, description = "The node types", body = Data<Vec<NodeTypeOut>>), ErrorResponses),
)]
pub async fn list_node_types(_: Caller) -> Result<Data<Vec<NodeTypeOut>>> {
    Ok(Data { data: nodes::all().iter().map(NodeTypeOut::from).collect() })
}
