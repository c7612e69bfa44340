//! Handlers for an organization's administrators: all workflows and agents, and those whose owner is gone. Each call is an
//! entry of the audit log.

use axum::extract::State;
use domain::id::{AgentId, UserId, WorkflowId};
use domain::identity::Account;
use domain::sharing::{Shareable, SharedId, Sharing};
use domain::{Error, Result as DomainResult};
use web::builder::{Administrator, AdministratorOnly, Data, DataSlice, ErrorBody, ErrorResponses, NotJson};
use web::cursor::{CursorQuery, Cursors};
use web::{Json, Path, Query, Result};

use crate::Stores;
use crate::dto::{OrganizationAgentOut, OrganizationWorkflowOut, OwnershipOut, TakeOverIn};

const WORKFLOWS: Cursors = Cursors("organization-workflows");
const AGENTS: Cursors = Cursors("organization-agents");

/// List the workflows of the organization
///
/// Returns the workflows of all its members, newest first. Only for administrators.
#[utoipa::path(
    get, path = "/builder/v1/organization/workflows", tag = "team", params(CursorQuery),
    responses(
        (status = 200, description = "A page of workflows", body = DataSlice<OrganizationWorkflowOut>),
        AdministratorOnly, ErrorResponses,
    ),
)]
pub async fn list_organization_workflows(
    State(stores): State<Stores>,
    administrator: Administrator,
    Query(query): Query<CursorQuery>,
) -> Result<DataSlice<OrganizationWorkflowOut>> {
    let after = WORKFLOWS.read(query.cursor.as_deref())?;
    stores.admin.record(&administrator.audit_action("workflow.list", administrator.0.org)).await?;
    let page = stores.workflows.list_of_org(administrator.0.org, query.limit, after).await?;
    Ok(DataSlice::new(page, WORKFLOWS))
}

/// List the agents of the organization
///
/// Returns the agents of all its members, newest first. Only for administrators.
#[utoipa::path(
    get, path = "/builder/v1/organization/agents", tag = "team", params(CursorQuery),
    responses(
        (status = 200, description = "A page of agents", body = DataSlice<OrganizationAgentOut>),
        AdministratorOnly, ErrorResponses,
    ),
)]
pub async fn list_organization_agents(
    State(stores): State<Stores>,
    administrator: Administrator,
    Query(query): Query<CursorQuery>,
) -> Result<DataSlice<OrganizationAgentOut>> {
    let after = AGENTS.read(query.cursor.as_deref())?;
    stores.admin.record(&administrator.audit_action("agent.list", administrator.0.org)).await?;
    let page = stores.agents.list_of_org(administrator.0.org, query.limit, after).await?;
    Ok(DataSlice::new(page, AGENTS))
}

/// Take over a workflow
///
/// Gives the workflow of a user who is suspended, or is not in the organization any more, to another owner. Its runs that wait
/// go on, and the new owner pays for them. Only for administrators.
#[utoipa::path(
    post, path = "/builder/v1/organization/workflows/{id}/take-over", tag = "team",
    params(("id" = Uuid, Path, description = "The workflow")), request_body = TakeOverIn,
    responses(
        (status = 200, description = "The owner and the members", body = Data<OwnershipOut>),
        (status = 404, description = "`workflow_not_found`: this user owns no such workflow. `member_not_in_organization`: the \
            organization has no such user", body = ErrorBody),
        (status = 409, description = "`invalid_state`: the owner is neither suspended nor gone", body = ErrorBody),
        AdministratorOnly, NotJson, ErrorResponses,
    ),
)]
pub async fn take_over_workflow(
    State(stores): State<Stores>,
    administrator: Administrator,
    Path(id): Path<WorkflowId>,
    Json(body): Json<TakeOverIn>,
) -> Result<Data<OwnershipOut>> {
    Ok(take_over(&stores, &administrator, "workflow.take_over", id.shareable(), body).await?)
}

/// Take over an agent
///
/// Gives the agent of a user who is suspended, or is not in the organization any more, to another owner. Only for administrators.
#[utoipa::path(
    post, path = "/builder/v1/organization/agents/{id}/take-over", tag = "team",
    params(("id" = Uuid, Path, description = "The agent")), request_body = TakeOverIn,
    responses(
        (status = 200, description = "The owner and the members", body = Data<OwnershipOut>),
        (status = 404, description = "`agent_not_found`: this user owns no such agent. `member_not_in_organization`: the \
            organization has no such user", body = ErrorBody),
        (status = 409, description = "`invalid_state`: the owner is neither suspended nor gone, or the agent is private to a \
            workflow", body = ErrorBody),
        AdministratorOnly, NotJson, ErrorResponses,
    ),
)]
pub async fn take_over_agent(
    State(stores): State<Stores>,
    administrator: Administrator,
    Path(id): Path<AgentId>,
    Json(body): Json<TakeOverIn>,
) -> Result<Data<OwnershipOut>> {
    Ok(take_over(&stores, &administrator, "agent.take_over", id.shareable(), body).await?)
}

async fn take_over(
    stores: &Stores,
    administrator: &Administrator,
    action: &'static str,
    what: Shareable,
    TakeOverIn { owner, user_id }: TakeOverIn,
) -> DomainResult<Data<OwnershipOut>> {
    let org = administrator.0.org;
    let to = user_id.unwrap_or(administrator.0.user);
    let home = find_home(stores, Account { org, user: owner }, what).await?;
    if stores.changes.get(home, what).await?.owner != owner {
        return Err(what.not_found());
    }
    require_gone(stores, Account { org, user: owner }).await?;
    if stores.identities.find(org, to).await?.is_none_or(|identity| identity.user.suspended) {
        return Err(Error::not_in_organization());
    }
    let change = |sharing: &Sharing| match sharing.owner == owner {
        true => sharing.transferred(to, false),
        false => Err(what.not_found()),
    };
    let action = administrator.audit_action(action, what);
    let sharing = stores.changes.change_as(&action, home, what, change).await?;
    Ok(Data { data: sharing.into() })
}

/// The account under which something of an owner is stored.
async fn find_home(stores: &Stores, owner: Account, what: Shareable) -> DomainResult<Account> {
    match stores.shares.find(owner, what).await? {
        Some(access) => Ok(Account { org: owner.org, user: access.home }),
        None => Ok(owner),
    }
}

/// Refuses to take something from a user who can still act.
async fn require_gone(stores: &Stores, owner: Account) -> DomainResult<()> {
    let can_act =
        |user: UserId| format!("the owner {user} can still act; ask them to transfer it, or suspend them first");
    match stores.identities.find(owner.org, owner.user).await? {
        Some(identity) if !identity.user.suspended => Err(Error::invalid_state(can_act(owner.user))),
        _ => Ok(()),
    }
}
