//! The route table of the workbenches API.

use axum::Router;
use domain::Result;
use domain::scope::ScopeArea;
use platform::Context;
use web::{finish, routes};

use crate::Stores;
use crate::dto::WorkbenchOut;
use crate::handlers::members::*;
use crate::handlers::variables::*;
use crate::handlers::*;

routes! { Stores;
    "/workbenches/v1" => get(list_workbenches?), post(create_workbench);
    "/workbenches/v1/plan" => get(get_plan);
    "/workbenches/v1/{id}" => get(get_workbench), delete(delete_workbench);
    "/workbenches/v1/{id}/start" => post(start_workbench);
    "/workbenches/v1/{id}/stop" => post(stop_workbench);
    "/workbenches/v1/{id}/events" => get(list_events?);
    "/workbenches/v1/{id}/variables" => get(get_variables), patch(update_variables);
    "/workbenches/v1/{id}/members" => get(list_members), post(add_member), delete(remove_member_by_query?);
    "/workbenches/v1/{id}/members/{user_id}" => delete(remove_member);
    schemas(WorkbenchOut);
}

const SCOPES: [(&str, ScopeArea); 1] = [("/workbenches/v1", ScopeArea::Workbenches)];

pub fn router(context: &Context) -> Result<Router> {
    let router = table().with_state(Stores::new(context)?);
    Ok(finish(router, ROUTES, web::workbenches::AREA.with_scopes(&SCOPES), context))
}
