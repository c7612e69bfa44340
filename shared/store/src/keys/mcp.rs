//! Keys of the registry of MCP servers.

use super::Key;
use domain::id::{McpServerId, OrgId, UserId};

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

/// The connections of users to a server.
pub fn mcp_connections(server: McpServerId) -> String {
    format!("MCPCONNECTIONS#{server}")
}

pub fn mcp_connection(server: McpServerId, user: UserId) -> Key {
    Key::new(mcp_connections(server), user)
}

/// The gateway's registration as a client, for a server.
pub fn mcp_registration(server: McpServerId) -> Key {
    Key::new(format!("MCPREGISTRATION#{server}"), "CLIENT")
}

// counters

/// A state of a connection that was used, by its random part.
pub fn used_mcp_state(nonce: &str) -> Key {
    Key::new(format!("MCPSTATE#{nonce}"), "USED")
}
