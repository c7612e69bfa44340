//! The routes of the family. A route and its description are one thing: see the attribute on each handler.

use axum::Router;
use axum::routing::get;
use shared::http::{finish, standard};
use shared::{Context, Result};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Stores;
use crate::handlers::*;

pub fn routes() -> OpenApiRouter<Stores> {
    OpenApiRouter::new()
        // /builder/v1/openapi.json
        .routes(routes!(builder_document))
        // /health
        .routes(routes!(health))
}

pub fn router(context: &Context) -> Result<Router> {
    let pages = Router::new().route("/docs", get(docs_front)).route("/docs/{file}", get(docs_file));
    let router = Router::from(routes()).merge(pages).with_state(Stores::new(context)?);
    Ok(finish(router, standard::AREA, "reference", &context.config))
}
