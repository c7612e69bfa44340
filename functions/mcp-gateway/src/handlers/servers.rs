//! The servers that a caller may use.

use axum::extract::State;
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
    let open = servers.into_iter().filter_map(|stored| OpenDoor::for_caller(stored, &caller));
    Ok(List::new(open.map(|door| OwnMcpServerOut::from(&door))))
}
