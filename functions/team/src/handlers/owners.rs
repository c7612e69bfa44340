//! Handlers that give workflows and agents to another owner.

use axum::extract::State;
use domain::Error;
use domain::id::{AgentId, WorkflowId};
use domain::sharing::{Shareable, SharedId, Sharing};
use web::builder::{Access, Data, ErrorBody, ErrorResponses, NotJson, Owner, PrivateAgent};
use web::{Json, Path, Result};

use crate::Stores;
use crate::dto::{OwnershipOut, TeamMemberOut, TransferIn};

/// Transfer a workflow
///
/// Makes another user of the organization the owner, who pays for the runs that begin from now on. The caller becomes an editor.
/// What the workflow uses, such as agents, stays where it is and goes on working.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/transfer", tag = "team",
    params(("id" = Uuid, Path, description = "The workflow")), request_body = TransferIn,
    responses(
        (status = 200, description = "The owner and the members", body = Data<OwnershipOut>),
        (status = 403, description = "`not_owner`, or `member_is_owner` for the present owner", body = ErrorBody),
        (status = 404, description = "`workflow_not_found`: the workflow does not exist or is not shared with the caller. \
            `member_not_in_organization`: the organization has no such user", body = ErrorBody),
        NotJson, ErrorResponses,
    ),
)]
pub async fn transfer_workflow(
    State(stores): State<Stores>,
    access: Owner<WorkflowId>,
    Path(id): Path<WorkflowId>,
    Json(body): Json<TransferIn>,
) -> Result<Data<OwnershipOut>> {
    transfer(&stores, &access, id.shareable(), body).await
}

/// Transfer an agent
///
/// Makes another user of the organization the owner. The caller becomes an editor. Agents and workflows that use the agent go
/// on working.
#[utoipa::path(
    post, path = "/builder/v1/agents/{id}/transfer", tag = "team",
    params(("id" = Uuid, Path, description = "The agent")), request_body = TransferIn,
    responses(
        (status = 200, description = "The owner and the members", body = Data<OwnershipOut>),
        (status = 403, description = "`not_owner`, or `member_is_owner` for the present owner", body = ErrorBody),
        (status = 404, description = "`agent_not_found`: the agent does not exist or is not shared with the caller. \
            `member_not_in_organization`: the organization has no such user", body = ErrorBody),
        NotJson, PrivateAgent, ErrorResponses,
    ),
)]
pub async fn transfer_agent(
    State(stores): State<Stores>,
    access: Owner<AgentId>,
    Path(id): Path<AgentId>,
    Json(body): Json<TransferIn>,
) -> Result<Data<OwnershipOut>> {
    transfer(&stores, &access, id.shareable(), body).await
}

async fn transfer(
    stores: &Stores,
    access: &Access,
    what: Shareable,
    TransferIn { user_id }: TransferIn,
) -> Result<Data<OwnershipOut>> {
    stores.changes.get(access.account, what).await?;
    if stores.identities.find(access.caller.org, user_id).await?.is_none() {
        return Err(Error::not_in_organization().into());
    }
    let from = access.caller.user;
    let change = |sharing: &Sharing| match sharing.owner == from {
        true => sharing.transferred(user_id, true),
        // Another request has transferred it meanwhile.
        false => Err(what.not_found()),
    };
    let sharing = stores.changes.change(access.account, what, change).await?;
    Ok(Data { data: sharing.into() })
}

impl From<Sharing> for OwnershipOut {
    fn from(Sharing { owner, members }: Sharing) -> Self {
        let members = members.into_iter().map(TeamMemberOut::from).collect();
        Self { owner: owner.to_string(), members }
    }
}
