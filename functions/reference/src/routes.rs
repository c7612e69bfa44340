//! The route table of the API reference and the health check.

use axum::Router;
use axum::routing::get;
use domain::Result;
use platform::Context;
use web::{finish, routes};

use crate::Stores;
use crate::handlers::*;

routes! { Stores;
    "/builder/v1/openapi.json" => get(builder_document);
    "/gateway/v1/openapi.json" => get(gateway_document);
    "/workbenches/v1/openapi.json" => get(workbenches_document);
    "/health" => get(health);
}

pub fn router(context: &Context) -> Result<Router> {
    // Pages for people. They are not part of the documented API.
    let pages = Router::new()
        .route("/", get(front))
        .route("/llms.txt", get(llms_text))
        .route("/docs", get(docs_front))
        .route("/docs/", get(docs_folder))
        .route("/docs/{file}", get(docs_file));
    let router = table().merge(pages).with_state(Stores::new(context)?);
    Ok(finish(router, ROUTES, web::builder::AREA, context))
}
