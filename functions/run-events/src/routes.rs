//! The route table of the events of runs.

use axum::Router;
use domain::Result;
use domain::scope::ScopeArea;
use platform::Context;
use web::{finish, routes};

use crate::Stores;
use crate::handlers::*;
use crate::inbox::*;

routes! { Stores;
    "/builder/v1/workflows/{id}/runs/{run_id}/events" => get(list_run_events?);
    "/builder/v1/workflows/{id}/runs/{run_id}/activity" => get(list_run_activity?);
    "/builder/v1/inbox" => get(list_inbox?);
}

// The inbox is for people: it has parts of several areas.
const SCOPES: [(&str, ScopeArea); 1] = [("/builder/v1/workflows/", ScopeArea::Runs)];

pub fn router(context: &Context) -> Result<Router> {
    let router = table().with_state(Stores::new(context)?);
    Ok(finish(router, ROUTES, web::builder::AREA.with_scopes(&SCOPES), context))
}
