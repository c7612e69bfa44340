//! The route table of the door to MCP servers.

use axum::Router;
use axum::routing::get;
use domain::Result;
use platform::Context;
use web::{finish, routes};

use crate::Stores;
use crate::handlers::connections::*;
use crate::handlers::door::*;
use crate::handlers::servers::*;

routes! { Stores;
    "/gateway/v1/mcp" => get(list_own_mcp_servers);
    "/gateway/v1/mcp/{server}" => post(post_mcp_message), get(open_mcp_stream), delete(end_mcp_session);
    "/gateway/v1/mcp/{server}/connect" => post(connect_mcp_account);
    "/gateway/v1/mcp/{server}/connection" => delete(disconnect_mcp_account);
}

pub fn router(context: &Context) -> Result<Router> {
    // The callback is for browsers, so it is not part of the documented API.
    let router = table().route("/gateway/v1/mcp/callback", get(confirm_mcp_connection).post(finish_mcp_connection));
    Ok(finish(router.with_state(Stores::new(context)?), ROUTES, web::gateway::AREA, context))
}
