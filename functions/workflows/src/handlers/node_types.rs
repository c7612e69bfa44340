//! The catalogue of node types.

use engine::nodes;
use shared::http::standard::{Caller, Data, Refused, Result};

use crate::dto::node_type::NodeTypeOut;

/// List node types
///
/// What a graph can be made of: each type with its ports, the JSON Schema of its configuration, and an example.
#[utoipa::path(
    get, path = "/builder/v1/workflows/node-types", tag = "workflows", security(("bearer" = [])),
    responses((status = 200, description = "All types", body = Data<Vec<NodeTypeOut>>), Refused),
)]
pub async fn list_node_types(_: Caller) -> Result<Data<Vec<NodeTypeOut>>> {
    Ok(Data { data: nodes::all().iter().map(NodeTypeOut::from).collect() })
}
