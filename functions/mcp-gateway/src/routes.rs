//! The route table of the door to MCP servers.

use axum::Router;
use domain::Result;
use platform::Context;
use web::{finish, routes};

use crate::Stores;
use crate::handlers::door::*;
use crate::handlers::servers::*;

routes! { Stores;
    "/gateway/v1/mcp" => get(list_own_mcp_servers);
    "/gateway/v1/mcp/{server}" => post(post_mcp_message), get(open_mcp_stream), delete(end_mcp_session);
}

pub fn router(context: &Context) -> Result<Router> {
    let router = table().with_state(Stores::new(context)?);
    Ok(finish(router, ROUTES, web::gateway::AREA, context))
}
