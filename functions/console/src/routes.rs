//! The route table of the console. Its routes are for browsers, so they are not part of the documented API.

use axum::Router;
use axum::routing::{get, post};
use domain::Result;
use platform::Context;
use web::finish;

use crate::Stores;
use crate::handlers::*;

pub fn router(context: &Context) -> Result<Router> {
    let router = Router::new()
        .route("/console", get(show_console))
        .route("/console/", get(leave_folder))
        .route("/console/{file}", get(show_file))
        .route("/console/login", get(log_in))
        .route("/console/callback", get(call_back))
        .route("/console/logout", post(log_out));
    Ok(finish(router.with_state(Stores::new(context)?), &[], web::builder::AREA, context))
}
