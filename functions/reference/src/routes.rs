//! The routes of the family.

use axum::Router;
use axum::routing::get;
use shared::http::{Queries, finish, standard};
use shared::{Context, Result, routes};

use crate::Stores;
use crate::handlers::*;

routes! { Stores;
    "/builder/v1/openapi.json" => get(builder_document);
    "/gateway/v1/openapi.json" => get(gateway_document);
    "/health" => get(health);
}

/// The page keeps in its address which document it shows.
const PAGES: Queries = &[("/docs/{file}", "get")];
const _: () = assert!(QUERIES.is_empty(), "finish() is told of the pages only");

pub fn router(context: &Context) -> Result<Router> {
    // For people; no part of an area's contract.
    let pages = Router::new()
        .route("/docs", get(docs_front))
        .route("/docs/", get(docs_folder))
        .route("/docs/{file}", get(docs_file));
    let router = table().merge(pages).with_state(Stores::new(context)?);
    Ok(finish(router, PAGES, standard::AREA, "reference", &context.config))
}
