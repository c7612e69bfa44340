//! Handlers for the members of workflows and agents.

use axum::extract::State;
use axum::http::StatusCode;
use domain::Error;
use domain::id::{AgentId, UserId, WorkflowId};
use domain::sharing::{Shareable, SharedId, TeamRole};
use web::builder::{
    Access, Created, Data, ErrorBody, ErrorResponses, NotFound, NotJson, NotPermitted, Owner, PrivateAgent, Viewer,
};
use web::{Json, Path, Query, Result};

use crate::Stores;
use crate::dto::{MemberQuery, TeamMemberIn, TeamMemberOut};

/// List the members of a workflow
///
/// Returns the users with whom the owner shares the workflow.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/members", tag = "team",
    params(("id" = Uuid, Path, description = "The workflow")),
    responses(
        (status = 200, description = "The members", body = Data<Vec<TeamMemberOut>>),
        NotFound<WorkflowId>, ErrorResponses,
    ),
)]
pub async fn list_workflow_members(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path(id): Path<WorkflowId>,
) -> Result<Data<Vec<TeamMemberOut>>> {
    list(&stores, &access, id.shareable()).await
}

/// Share a workflow
///
/// Makes a user of the organization a member, or changes the role of one. A `viewer` reads everything except credentials. An
/// `operator` also starts and stops runs, answers conversations and resolves reviews. An `editor` also changes the draft and the
/// credentials, which nobody can read, and publishes. Members see the workflow in their lists with `ownership=shared`. Its
/// agents and workflows stay the owner's, who pays for its runs. Only the owner can share a workflow.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/members", tag = "team",
    params(("id" = Uuid, Path, description = "The workflow")), request_body = TeamMemberIn,
    responses(
        Created<TeamMemberOut>,
        (status = 200, description = "The user was a member already, and has this role now", body = Data<TeamMemberOut>),
        (status = 403, description = "`not_owner`, `member_is_owner` or `invalid_role`", body = ErrorBody),
        (status = 404, description = "`workflow_not_found`: the workflow does not exist or is not shared with the caller. \
            `member_not_in_organization`: the organization has no such user", body = ErrorBody),
        (status = 409, description = "`too_many_members`: there are 50 already", body = ErrorBody),
        NotJson, ErrorResponses,
    ),
)]
pub async fn add_workflow_member(
    State(stores): State<Stores>,
    access: Owner<WorkflowId>,
    Path(id): Path<WorkflowId>,
    Json(body): Json<TeamMemberIn>,
) -> Result<(StatusCode, Data<TeamMemberOut>)> {
    add(&stores, &access, id.shareable(), body).await
}

/// Remove a member of a workflow
///
/// The owner can remove each member, and a member can leave.
#[utoipa::path(
    delete, path = "/builder/v1/workflows/{id}/members/{user_id}", tag = "team",
    params(("id" = Uuid, Path, description = "The workflow"), ("user_id" = String, Path, description = "The member")),
    responses((status = 204, description = "Removed"), NotFound<(WorkflowId, UserId)>, NotPermitted, ErrorResponses),
)]
pub async fn remove_workflow_member(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Path((id, user)): Path<(WorkflowId, UserId)>,
) -> Result<StatusCode> {
    remove(&stores, &access, id.shareable(), user).await
}

/// Remove a member of a workflow, named by the query
///
/// The same as `DELETE /builder/v1/workflows/{id}/members/{user_id}`.
#[utoipa::path(
    delete, path = "/builder/v1/workflows/{id}/members", tag = "team",
    params(("id" = Uuid, Path, description = "The workflow"), MemberQuery),
    responses((status = 204, description = "Removed"), NotFound<(WorkflowId, UserId)>, NotPermitted, ErrorResponses),
)]
pub async fn remove_workflow_member_by_query(
    State(stores): State<Stores>,
    access: Viewer<WorkflowId>,
    Query(MemberQuery { user_id }): Query<MemberQuery>,
    Path(id): Path<WorkflowId>,
) -> Result<StatusCode> {
    remove(&stores, &access, id.shareable(), user_id).await
}

/// List the members of an agent
///
/// Returns the users with whom the owner shares the agent.
#[utoipa::path(
    get, path = "/builder/v1/agents/{id}/members", tag = "team",
    params(("id" = Uuid, Path, description = "The agent")),
    responses(
        (status = 200, description = "The members", body = Data<Vec<TeamMemberOut>>),
        NotFound<AgentId>, ErrorResponses,
    ),
)]
pub async fn list_agent_members(
    State(stores): State<Stores>,
    access: Viewer<AgentId>,
    Path(id): Path<AgentId>,
) -> Result<Data<Vec<TeamMemberOut>>> {
    list(&stores, &access, id.shareable()).await
}

/// Share an agent
///
/// Makes a user of the organization a member, or changes the role of one. A `viewer` reads the agent, an `operator` also calls
/// it, and pays for these calls, and an `editor` also changes it and the credentials of its tools, which nobody can read.
/// Only the owner can share an agent. An agent that is private to a workflow is shared with the workflow.
#[utoipa::path(
    post, path = "/builder/v1/agents/{id}/members", tag = "team",
    params(("id" = Uuid, Path, description = "The agent")), request_body = TeamMemberIn,
    responses(
        Created<TeamMemberOut>,
        (status = 200, description = "The user was a member already, and has this role now", body = Data<TeamMemberOut>),
        (status = 403, description = "`not_owner`, `member_is_owner` or `invalid_role`", body = ErrorBody),
        (status = 404, description = "`agent_not_found`: the agent does not exist or is not shared with the caller. \
            `member_not_in_organization`: the organization has no such user", body = ErrorBody),
        (status = 409, description = "`too_many_members`: there are 50 already. `invalid_state`: the agent is private to a \
            workflow", body = ErrorBody),
        NotJson, ErrorResponses,
    ),
)]
pub async fn add_agent_member(
    State(stores): State<Stores>,
    access: Owner<AgentId>,
    Path(id): Path<AgentId>,
    Json(body): Json<TeamMemberIn>,
) -> Result<(StatusCode, Data<TeamMemberOut>)> {
    add(&stores, &access, id.shareable(), body).await
}

/// Remove a member of an agent
///
/// The owner can remove each member, and a member can leave.
#[utoipa::path(
    delete, path = "/builder/v1/agents/{id}/members/{user_id}", tag = "team",
    params(("id" = Uuid, Path, description = "The agent"), ("user_id" = String, Path, description = "The member")),
    responses((status = 204, description = "Removed"), NotFound<(AgentId, UserId)>, NotPermitted, PrivateAgent, ErrorResponses),
)]
pub async fn remove_agent_member(
    State(stores): State<Stores>,
    access: Viewer<AgentId>,
    Path((id, user)): Path<(AgentId, UserId)>,
) -> Result<StatusCode> {
    remove(&stores, &access, id.shareable(), user).await
}

/// Remove a member of an agent, named by the query
///
/// The same as `DELETE /builder/v1/agents/{id}/members/{user_id}`.
#[utoipa::path(
    delete, path = "/builder/v1/agents/{id}/members", tag = "team",
    params(("id" = Uuid, Path, description = "The agent"), MemberQuery),
    responses((status = 204, description = "Removed"), NotFound<(AgentId, UserId)>, NotPermitted, PrivateAgent, ErrorResponses),
)]
pub async fn remove_agent_member_by_query(
    State(stores): State<Stores>,
    access: Viewer<AgentId>,
    Query(MemberQuery { user_id }): Query<MemberQuery>,
    Path(id): Path<AgentId>,
) -> Result<StatusCode> {
    remove(&stores, &access, id.shareable(), user_id).await
}

async fn list(stores: &Stores, access: &Access, what: Shareable) -> Result<Data<Vec<TeamMemberOut>>> {
    let sharing = stores.changes.get(access.account, what).await?;
    Ok(Data { data: sharing.members.into_iter().map(TeamMemberOut::from).collect() })
}

async fn add(
    stores: &Stores,
    access: &Access,
    what: Shareable,
    TeamMemberIn { user_id, role }: TeamMemberIn,
) -> Result<(StatusCode, Data<TeamMemberOut>)> {
    // The role is checked after the resource, so that a stranger learns nothing.
    let before = stores.changes.get(access.account, what).await?;
    let role = TeamRole::of_member(&role)?;
    if user_id != before.owner && stores.identities.find(access.caller.org, user_id).await?.is_none() {
        return Err(Error::not_in_organization().into());
    }
    stores.changes.change(access.account, what, |sharing| sharing.with_member(user_id, role)).await?;
    let status = if before.members.contains_key(&user_id) { StatusCode::OK } else { StatusCode::CREATED };
    Ok((status, Data { data: (user_id, role).into() }))
}

async fn remove(stores: &Stores, access: &Access, what: Shareable, user: UserId) -> Result<StatusCode> {
    if user != access.caller.user {
        access.role.require(TeamRole::Owner)?;
    }
    stores.changes.change(access.account, what, |sharing| sharing.without_member(user)).await?;
    Ok(StatusCode::NO_CONTENT)
}
