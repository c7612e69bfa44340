//! The tools of an MCP server.

use domain::agent::PinnedTool;
use mcp_client::{ListedTool, Listing, RefusedTool, ServerInfo};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// An MCP server, as it describes itself and its tools.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "ToolServer")]
pub struct ToolServerOut {
    #[schema(example = "crm")]
    server_name: String,
    #[schema(example = "1.4.0")]
    server_version: String,
    #[schema(example = "2025-11-25")]
    protocol_version: String,
    tools: Vec<ServerToolOut>,
    /// The tools that cannot be allowed, and allowed tools that the server does not list any more.
    problems: Vec<ServerToolProblemOut>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "ServerTool")]
pub struct ServerToolOut {
    #[schema(example = "search_orders")]
    name: String,
    #[schema(required)]
    title: Option<String>,
    /// At most 4,000 characters; the rest is cut.
    #[schema(required)]
    description: Option<String>,
    /// The JSON Schema of the arguments.
    input_schema: Map<String, Value>,
    /// The JSON Schema of the structured result.
    #[schema(required)]
    output_schema: Option<Map<String, Value>>,
    /// Pins the tool to what it is now.
    schema_hash: String,
    /// Whether the agent may call the tool as it is now.
    allowed: bool,
    /// Whether the agent is allowed to call the tool, but as it was before the server changed it.
    changed: bool,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "ServerToolProblem")]
pub struct ServerToolProblemOut {
    name: String,
    message: String,
}

impl ToolServerOut {
    pub fn new(listing: &Listing, pins: &[PinnedTool]) -> Self {
        let ServerInfo { name, version, protocol_version } = listing.server.clone();
        let refused = listing
            .refused
            .iter()
            .map(|RefusedTool { name, problem }| ServerToolProblemOut { name: name.clone(), message: problem.clone() });
        let is_listed = |pin: &&PinnedTool| {
            listing.find(&pin.name).is_some() || listing.refused.iter().any(|refused| refused.name == pin.name)
        };
        let gone = pins.iter().filter(|pin| !is_listed(pin)).map(|pin| ServerToolProblemOut {
            name: pin.name.clone(),
            message: "the server does not list this tool any more; remove it from the agent".to_owned(),
        });
        Self {
            server_name: name,
            server_version: version,
            protocol_version,
            tools: listing.tools.iter().map(|tool| ServerToolOut::new(tool, pins)).collect(),
            problems: refused.chain(gone).collect(),
        }
    }
}

impl ServerToolOut {
    fn new(tool: &ListedTool, pins: &[PinnedTool]) -> Self {
        let ListedTool { name, title, description, input_schema, output_schema, schema_hash } = tool.clone();
        let pin = pins.iter().find(|pin| pin.name == name);
        let allowed = pin.is_some_and(|pin| pin.schema_hash == schema_hash);
        let changed = pin.is_some() && !allowed;
        Self { name, title, description, input_schema, output_schema, schema_hash, allowed, changed }
    }
}
