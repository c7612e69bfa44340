//! The route table of the runs API.

use axum::Router;
use domain::Result;
use shared::http::{finish, standard};
use shared::{Context, routes};

use crate::Stores;
use crate::handlers::controls::*;
use crate::handlers::reviews::*;
use crate::handlers::runs::*;

routes! { Stores;
    "/builder/v1/workflows/{id}/runs" => post(start_run);
    "/builder/v1/workflows/{id}/runs/{run_id}" => get(get_run);
    "/builder/v1/workflows/{id}/runs/{run_id}/cancel" => post(cancel_run);
    "/builder/v1/workflows/{id}/runs/{run_id}/stop" => post(stop_run);
    "/builder/v1/workflows/{id}/runs/{run_id}/resolve-wait" => post(resolve_wait);
}

pub fn router(context: &Context) -> Result<Router> {
    let router = table().with_state(Stores::new(context)?);
    Ok(finish(router, ROUTES, standard::AREA, "runs", &context.config))
}
