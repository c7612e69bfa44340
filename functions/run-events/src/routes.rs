//! The route table of the events of runs.

use axum::Router;
use domain::Result;
use domain::scope::ScopeArea;
use platform::Context;
use web::{finish, routes};

use crate::Stores;
use crate::handlers::*;

routes! { Stores;
    "/builder/v1/workflows/{id}/runs/{run_id}/events" => get(list_run_events?);
    "/builder/v1/workflows/{id}/runs/{run_id}/activity" => get(list_run_activity?);
}

const SCOPES: [(&str, ScopeArea); 1] = [("/builder/v1/", ScopeArea::Runs)];

pub fn router(context: &Context) -> Result<Router> {
    let router = table().with_state(Stores::new(context)?);
    Ok(finish(router, ROUTES, web::builder::AREA.with_scopes(&SCOPES), context))
}
