//! The handler that lists the tools of an MCP server.

use axum::extract::State;
use domain::Error;
use domain::id::{AgentId, ToolName};
use effects::AgentServer;
use engine::drive::EffectError;
use serde_json::json;
use web::builder::{Data, Editor, ErrorBody, ErrorResponses, NotFound, NotPermitted};
use web::{Path, Result};

use crate::Stores;
use crate::dto::server::ToolServerOut;

/// List the tools of an MCP server
///
/// Asks the MCP server of one of the agent's tools for its tools, with the credential of the tool. To allow a tool, add its
/// `name` and its `schemaHash` to the `tools` of the agent's tool with `PATCH /builder/v1/agents/{id}`. If a tool is `changed`,
/// the server has another description or schema than the allowed one: the agent does not use it until the new `schemaHash` is
/// allowed. Descriptions and schemas are written by the server: read them before you allow a tool.
#[utoipa::path(
    get, path = "/builder/v1/agents/{id}/tools/{tool}/server", tag = "agents",
    params(
        ("id" = Uuid, Path, description = "The agent"),
        ("tool" = String, Path, description = "The name of the tool, which is of the type `mcp`"),
    ),
    responses(
        (status = 200, description = "The server and its tools", body = Data<ToolServerOut>),
        (status = 422, description = "`server_failed`: the server was not reached, refused the credential, or is no MCP \
            server; the details have the `code`", body = ErrorBody),
        NotFound<(AgentId, ToolName)>, NotPermitted, ErrorResponses,
    ),
)]
pub async fn get_tool_server(
    State(stores): State<Stores>,
    access: Editor<AgentId>,
    Path((id, ToolName(tool))): Path<(AgentId, ToolName)>,
) -> Result<Data<ToolServerOut>> {
    let agent = stores.agents.get(access.account, id).await?;
    let server = agent.config.find_tool(&tool).and_then(|tool| AgentServer::new(access.account, id, tool));
    let server = server.ok_or(Error::NotFound { kind: ToolName::KIND })?;
    let listing = stores.performers.list_server(&server).await.map_err(to_error)?;
    Ok(Data { data: ToolServerOut::new(&listing, server.pins) })
}

fn to_error(EffectError { error, .. }: EffectError) -> Error {
    Error::Unprocessable { code: "server_failed", message: error.message, details: json!({"code": error.code}) }
}
