//! The servers that a caller may use.

use axum::extract::State;
use domain::mcp_server::McpAuth;
use web::Result;
use web::gateway::{ErrorResponses, List};

use crate::Stores;
use crate::access::OpenDoor;
use crate::caller::DoorCaller;
use crate::dto::OwnMcpServerOut;

/// List MCP servers
///
/// Returns the servers of the organization of which the key may use some tools, by name. An MCP client reaches each at
/// `/gateway/v1/mcp/{name}`, with the API key as its bearer token.
#[utoipa::path(
    get, path = "/gateway/v1/mcp", tag = "mcp",
    responses((status = 200, description = "The servers", body = List<OwnMcpServerOut>), ErrorResponses),
)]
pub async fn list_own_mcp_servers(
    State(stores): State<Stores>,
    DoorCaller(caller): DoorCaller,
) -> Result<List<OwnMcpServerOut>> {
    let servers = stores.servers.list(caller.caller.org).await?;
    let mut shown = Vec::new();
    for door in servers.into_iter().filter_map(|stored| OpenDoor::for_caller(stored, &caller)) {
        let is_connected = match door.server().auth {
            McpAuth::Oauth2User { .. } => {
                let found = stores.oauth.connections.find(door.server(), caller.caller.user, stores.clock.now());
                found.await?.is_some()
            }
            _ => false,
        };
        shown.push(OwnMcpServerOut::new(&door, is_connected));
    }
    Ok(List::new(shown))
}
