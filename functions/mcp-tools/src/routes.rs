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

/// The document that tells clients where they get a token.
const RESOURCE_METADATA: &str = "/.well-known/oauth-protected-resource/mcp/v1";
const SCOPES: [(&str, ScopeArea); 1] = [("/mcp/v1", ScopeArea::Runs)];

pub fn router(context: &Context) -> Result<Router> {
    let router = Router::new()
        .route("/mcp/v1", get(serve).post(serve).delete(serve))
        .route(RESOURCE_METADATA, get(describe_tools))
        .route("/.well-known/oauth-protected-resource/mcp/v1/studio", get(describe_studio));
    let area = web::builder::AREA.with_scopes(&SCOPES).with_resource_metadata(RESOURCE_METADATA);
    Ok(finish(router.with_state(Stores::new(context)?), &[], area, context))
}
