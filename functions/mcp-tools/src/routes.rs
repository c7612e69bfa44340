//! The route table of the MCP server, and of the documents with which its clients find out where they get tokens.

use axum::Router;
use domain::Result;
use domain::scope::ScopeArea;
use platform::Context;
use web::{finish, routes};

use crate::Stores;
use crate::handlers::*;

routes! { Stores;
    "/mcp/v1" => get(resume_tool_call), post(send_tool_message), delete(close_tool_session);
    "/.well-known/oauth-protected-resource/mcp/v1" => get(describe_tools_resource);
    "/.well-known/oauth-protected-resource/mcp/v1/studio" => get(describe_studio_resource);
}

const SCOPES: [(&str, ScopeArea); 1] = [("/mcp/v1", ScopeArea::Runs)];

pub fn router(context: &Context) -> Result<Router> {
    let router = table().with_state(Stores::new(context)?);
    let area = web::builder::AREA.with_scopes(&SCOPES);
    let area = area.with_resource_metadata("/.well-known/oauth-protected-resource/mcp/v1");
    Ok(finish(router, ROUTES, area, context))
}
