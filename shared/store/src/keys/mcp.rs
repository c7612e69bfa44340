//! Keys of the registry of MCP servers.

use super::Key;
use domain::id::{McpServerId, OrgId};

/// The servers of an organization, by name. So a name is unique in it.
pub fn mcp_servers(org: OrgId) -> String {
    format!("MCPSERVERS#{org}")
}

pub fn mcp_server(org: OrgId, name: &str) -> Key {
    Key::new(mcp_servers(org), name)
}

/// The item that maps the id of a server to its place.
pub fn mcp_server_place(id: McpServerId) -> Key {
    Key::new(format!("MCPSERVER#{id}"), "PLACE")
}

pub fn mcp_server_count(org: OrgId) -> Key {
    Key::new(format!("MCPSERVERCOUNT#{org}"), "COUNT")
}
