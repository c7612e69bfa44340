//! The routes of the family. A route and its description are one thing: see the attribute on each handler.

use axum::Router;
use shared::http::{finish, standard};
use shared::{Context, Result};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Stores;
use crate::handlers::*;

pub fn routes() -> OpenApiRouter<Stores> {
    OpenApiRouter::new()
        // /builder/v1/agents
        .routes(routes!(list_agents, create_agent))
        // /builder/v1/agents/{id}
        .routes(routes!(get_agent, update_agent, delete_agent))
        // /builder/v1/models
        .routes(routes!(list_models))
}

pub fn router(context: &Context) -> Result<Router> {
    let router = Router::from(routes()).with_state(Stores::new(context)?);
    Ok(finish(router, standard::AREA, "agents", &context.config))
}
