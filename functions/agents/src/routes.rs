//! The route table of the agents API.

use axum::Router;
use domain::Result;
use domain::scope::ScopeArea;
use platform::Context;
use web::{finish, routes};

use crate::Stores;
use crate::handlers::*;

routes! { Stores;
    "/builder/v1/agents" => get(list_agents?), post(create_agent);
    "/builder/v1/agents/{id}" => get(get_agent), patch(update_agent), delete(delete_agent);
    "/builder/v1/agents/{id}/tool" => put(mark_agent_as_tool), delete(unmark_agent_as_tool);
    "/builder/v1/models" => get(list_models?);
}

const SCOPES: [(&str, ScopeArea); 1] = [("/builder/v1/", ScopeArea::Agents)];

pub fn router(context: &Context) -> Result<Router> {
    let router = table().with_state(Stores::new(context)?);
    Ok(finish(router, ROUTES, web::builder::AREA.with_scopes(&SCOPES), context))
}
