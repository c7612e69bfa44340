//! The route table of invocations.

use axum::Router;
use domain::Result;
use domain::scope::ScopeArea;
use platform::Context;
use web::{finish, routes};

use crate::Stores;
use crate::handlers::*;

routes! { Stores;
    "/builder/v1/agents/{id}/invoke" => post(invoke_agent);
    "/builder/v1/agents/{id}/tools/{tool}/server" => get(get_tool_server);
    "/builder/v1/agents/{id}/invocations" => get(list_invocations?);
    "/builder/v1/agents/{id}/invocations/{invocation_id}" => get(get_invocation), delete(erase_invocation);
}

const SCOPES: [(&str, ScopeArea); 1] = [("/builder/v1/", ScopeArea::Agents)];

pub fn router(context: &Context) -> Result<Router> {
    let router = table().with_state(Stores::new(context)?);
    Ok(finish(router, ROUTES, web::builder::AREA.with_scopes(&SCOPES), context))
}
