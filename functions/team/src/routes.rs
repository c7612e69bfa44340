//! The route table of teams.

use axum::Router;
use domain::Result;
use domain::scope::ScopeArea;
use platform::Context;
use web::{finish, routes};

use crate::Stores;
use crate::handlers::members::*;
use crate::handlers::organization::*;
use crate::handlers::owners::*;
use crate::handlers::people::*;

routes! { Stores;
    "/builder/v1/members" => get(list_people?);
    "/builder/v1/workflows/{id}/members" => get(list_workflow_members), post(add_workflow_member), delete(remove_workflow_member_by_query?);
    "/builder/v1/workflows/{id}/members/{user_id}" => delete(remove_workflow_member);
    "/builder/v1/workflows/{id}/transfer" => post(transfer_workflow);
    "/builder/v1/agents/{id}/members" => get(list_agent_members), post(add_agent_member), delete(remove_agent_member_by_query?);
    "/builder/v1/agents/{id}/members/{user_id}" => delete(remove_agent_member);
    "/builder/v1/agents/{id}/transfer" => post(transfer_agent);
    "/builder/v1/organization/workflows" => get(list_organization_workflows?);
    "/builder/v1/organization/workflows/{id}/take-over" => post(take_over_workflow);
    "/builder/v1/organization/agents" => get(list_organization_agents?);
    "/builder/v1/organization/agents/{id}/take-over" => post(take_over_agent);
}

/// Service accounts share what they own. The people and the organization are for persons.
const SCOPES: [(&str, ScopeArea); 2] =
    [("/builder/v1/workflows/", ScopeArea::Workflows), ("/builder/v1/agents/", ScopeArea::Agents)];

pub fn router(context: &Context) -> Result<Router> {
    let router = table().with_state(Stores::new(context)?);
    Ok(finish(router, ROUTES, web::builder::AREA.with_scopes(&SCOPES), context))
}
