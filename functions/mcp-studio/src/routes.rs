//! The route table of the studio. Its protocol describes itself, so the routes are not part of the documented API.

use axum::Router;
use axum::routing::get;
use domain::Result;
use platform::Context;
use web::finish;

use crate::Stores;
use crate::handlers::serve;

/// The document that tells clients where they get a token.
const RESOURCE_METADATA: &str = "/.well-known/oauth-protected-resource/mcp/v1/studio";

pub fn router(context: &Context) -> Result<Router> {
    let router = Router::new().route("/mcp/v1/studio", get(serve).post(serve).delete(serve));
    let area = web::builder::AREA.with_resource_metadata(RESOURCE_METADATA);
    Ok(finish(router.with_state(Stores::new(context)?), &[], area, context))
}
