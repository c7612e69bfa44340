//! Handlers for the credentials of the tools of agents.

use axum::extract::State;
use axum::http::StatusCode;
use domain::id::{AgentId, ToolName};
use web::builder::tool_credential::ToolCredentialOut;
use web::builder::{Data, Editor, ErrorBody, ErrorResponses, NotFound, NotJson, NotPermitted};
use web::{Json, Path, Result};

use crate::Stores;
use crate::dto::credential::ToolCredentialIn;
use crate::dto::credential_fields::CredentialFields;

/// Set the credential of a tool
///
/// Stores the credential that an HTTP tool or an MCP server of the agent gets. It replaces the previous credential of the tool. Its `type`
/// must equal the `auth` of the tool. The secrets are stored encrypted and never returned. Only this tool can use the
/// credential, and only for the host of its URL: a change of `auth` or of the host deletes it.
#[utoipa::path(
    put, path = "/builder/v1/agents/{id}/tools/{tool}/credential", tag = "agents",
    params(
        ("id" = Uuid, Path, description = "The agent"),
        ("tool" = String, Path, description = "The name of the tool"),
    ),
    request_body = ToolCredentialIn,
    responses(
        (status = 200, description = "The credential", body = Data<ToolCredentialOut>),
        NotFound<(AgentId, ToolName)>, NotJson, NotPermitted, ErrorResponses,
    ),
)]
pub async fn set_tool_credential(
    State(stores): State<Stores>,
    access: Editor<AgentId>,
    Path((id, ToolName(tool))): Path<(AgentId, ToolName)>,
    Json(fields): Json<CredentialFields>,
) -> Result<Data<ToolCredentialOut>> {
    let credential = fields.into_unnamed()?;
    let account = access.account;
    let sealed = stores.tool_credentials.seal(account, id, &tool, &credential).await?;
    let stored = stores.agents.set_credential(account, id, &tool, credential.r#type(), &sealed).await?;
    Ok(Data { data: ToolCredentialOut::new(&stored) })
}

/// Delete the credential of a tool
///
/// A published agent then has the status `permissions_required`, until the tool has another credential.
#[utoipa::path(
    delete, path = "/builder/v1/agents/{id}/tools/{tool}/credential", tag = "agents",
    params(
        ("id" = Uuid, Path, description = "The agent"),
        ("tool" = String, Path, description = "The name of the tool"),
    ),
    responses(
        (status = 204, description = "Deleted"),
        (status = 404, description = "`agent_not_found`, `tool_not_found` or `credential_not_found`", body = ErrorBody),
        NotPermitted, ErrorResponses,
    ),
)]
pub async fn delete_tool_credential(
    State(stores): State<Stores>,
    access: Editor<AgentId>,
    Path((id, ToolName(tool))): Path<(AgentId, ToolName)>,
) -> Result<StatusCode> {
    stores.agents.delete_credential(access.account, id, &tool).await?;
    Ok(StatusCode::NO_CONTENT)
}
