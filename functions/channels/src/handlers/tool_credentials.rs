//! Handlers for the credentials of the tools of agents.

use axum::extract::State;
use axum::http::StatusCode;
use domain::id::{AgentId, ToolName};
use shared::http::standard::{Caller, Data, ErrorResponses, Json, NotFound, NotJson, Path, Result};
use shared::http::tool_credential::ToolCredentialOut;

use crate::Stores;
use crate::dto::credential::{CredentialFields, ToolCredentialIn};

/// Set the credential of a tool
///
/// Stores the credential that an HTTP tool of the agent sends, in place of the one that it had. Its type must be the
/// `auth` of the tool. The secrets are stored encrypted and never returned. Only this tool can use the credential.
#[utoipa::path(
    put, path = "/builder/v1/agents/{id}/tools/{tool}/credential", tag = "agents",
    params(
        ("id" = Uuid, Path, description = "The agent"),
        ("tool" = String, Path, description = "The name of the tool"),
    ),
    request_body = ToolCredentialIn,
    responses(
        (status = 200, description = "The credential", body = Data<ToolCredentialOut>),
        NotFound<(AgentId, ToolName)>, NotJson, ErrorResponses,
    ),
)]
pub async fn set_tool_credential(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Path((id, ToolName(tool))): Path<(AgentId, ToolName)>,
    Json(fields): Json<CredentialFields>,
) -> Result<Data<ToolCredentialOut>> {
    let credential = fields.into_unnamed()?;
    let stored = stores.tool_credentials.set(caller.account(), id, &tool, &credential).await?;
    Ok(Data { data: ToolCredentialOut::new(tool, &stored) })
}

/// Delete the credential of a tool
///
/// The agent changes to `permissions_required` until the tool has another credential.
#[utoipa::path(
    delete, path = "/builder/v1/agents/{id}/tools/{tool}/credential", tag = "agents",
    params(
        ("id" = Uuid, Path, description = "The agent"),
        ("tool" = String, Path, description = "The name of the tool"),
    ),
    responses((status = 204, description = "Deleted"), NotFound<(AgentId, ToolName)>, ErrorResponses),
)]
pub async fn delete_tool_credential(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    Path((id, ToolName(tool))): Path<(AgentId, ToolName)>,
) -> Result<StatusCode> {
    stores.tool_credentials.delete(caller.account(), id, &tool).await?;
    Ok(StatusCode::NO_CONTENT)
}
