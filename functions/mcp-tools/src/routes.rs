//! The route table of the MCP server, and of the documents with which its clients find out where they get tokens. The protocol
//! describes itself, so the routes are not part of the documented API.

use axum::Router;
use axum::routing::get;
use domain::Result;
use domain::scope::ScopeArea;
use platform::Context;
use web::finish;

use crate::Stores;
use crate::handlers::*;

const SCOPES: [(&str, ScopeArea); 1] = [("/mcp/v1", ScopeArea::Runs)];

pub fn router(context: &Context) -> Result<Router> {
    let router = Router::new()
        .route("/mcp/v1", get(resume_stream).post(send_message).delete(close_session))
        .route("/.well-known/oauth-protected-resource/mcp/v1", get(describe_tools))
        .route("/.well-known/oauth-protected-resource/mcp/v1/studio", get(describe_studio));
    let area = web::builder::AREA.with_scopes(&SCOPES);
    let area = area.with_resource_metadata("/.well-known/oauth-protected-resource/mcp/v1");
    Ok(finish(router.with_state(Stores::new(context)?), &[], area, context))
}
