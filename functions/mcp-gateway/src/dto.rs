//! Response bodies.

use domain::mcp_server::{AllowedTools, McpAuth};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::OpenDoor;

/// An MCP server that the key may use.
#[derive(Serialize, ToSchema)]
#[schema(as = OwnMcpServer)]
pub struct OwnMcpServerOut {
    name: String,
    /// The names of the tools that the key may call. Null if it may call all of them, and use the server's prompts and resources.
    #[schema(required)]
    tools: Option<Vec<String>>,
    /// Whether each user connects their own account.
    needs_connection: bool,
}

impl From<&OpenDoor> for OwnMcpServerOut {
    fn from(door: &OpenDoor) -> Self {
        let tools = match &door.allowed {
            AllowedTools::All => None,
            AllowedTools::Only(tools) => Some(tools.iter().cloned().collect()),
        };
        let needs_connection = matches!(door.server().auth, McpAuth::Oauth2User { .. });
        Self { name: door.server().name.clone(), tools, needs_connection }
    }
}
