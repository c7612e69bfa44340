//! Handlers for the registry of MCP servers.

use axum::Json as Body;
use axum::extract::State;
use axum::http::StatusCode;
use domain::Error;
use domain::id::{McpServerId, OrgId};
use domain::merge::MergePatch;
use serde_json::Value;
use store::mcp_servers::{StoredMcpServer, StoredSecret};
use web::etag::{ETag, IfMatch, IfMatchHeaders};
use web::gateway::{BodyRefused, Created, ErrorBody, ErrorResponses, List, NotFound, Operator, OperatorOnly, Stale};
use web::{Path, Query, Result, UncheckedJson};

use crate::Stores;
use crate::dto::mcp_servers::{McpAuthIn, McpServerIn, McpServerOut, McpServersQuery};
use crate::dto::meters::parse_id;
use crate::snapshot::{check_version, etag, render_snapshot};

/// List an organization's MCP servers
#[utoipa::path(
    get, path = "/gateway/v1/admin/mcp-servers", tag = "admin", params(McpServersQuery),
    responses(
        (status = 200, description = "The servers, by name", body = List<McpServerOut>),
        (status = 404, description = "The id of the organization is malformed", body = ErrorBody),
        OperatorOnly, ErrorResponses,
    ),
)]
pub async fn list_mcp_servers(
    State(stores): State<Stores>,
    _: Operator,
    Query(query): Query<McpServersQuery>,
) -> Result<List<McpServerOut>> {
    let servers = stores.mcp_servers.list(parse_id::<OrgId>(&query.org)?).await?;
    Ok(List::new(servers.iter().map(McpServerOut::from)))
}

/// Read an MCP server
#[utoipa::path(
    get, path = "/gateway/v1/admin/mcp-servers/{id}", tag = "admin",
    params(("id" = String, Path, description = "The server")),
    responses(
        (status = 200, description = "The server", body = McpServerOut,
            headers(("ETag" = String, description = "The server's version"))),
        NotFound<McpServerId>, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn get_mcp_server(
    State(stores): State<Stores>,
    _: Operator,
    Path(id): Path<McpServerId>,
) -> Result<(ETag, Body<McpServerOut>)> {
    let server = stores.mcp_servers.get(id).await?;
    Ok((etag(&render(&server)), Body(McpServerOut::from(&server))))
}

/// Add an MCP server
///
/// The keys of the organization reach it at `/gateway/v1/mcp/{name}`, with the tools that `access` allows.
#[utoipa::path(
    post, path = "/gateway/v1/admin/mcp-servers", tag = "admin", request_body = McpServerIn,
    responses(
        Created<McpServerOut>,
        (status = 404, description = "The organization does not exist", body = ErrorBody),
        (status = 409, description = "`mcp_server_exists`: the organization has a server with this name; \
            `too_many_mcp_servers`: it has 100 servers", body = ErrorBody),
        BodyRefused, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn create_mcp_server(
    State(stores): State<Stores>,
    operator: Operator,
    UncheckedJson(mut body): UncheckedJson<McpServerIn>,
) -> Result<(StatusCode, Body<McpServerOut>)> {
    let id = McpServerId::new();
    let secret = seal(&stores, id, body.take_secret()).await?;
    let server = body.read_new(id, secret, &stores.outbound, operator.at())?;
    let action = operator.audit_action("mcp_server.create", id);
    stores.admin.create_mcp_server(&action, &server, render).await?;
    Ok((StatusCode::CREATED, Body(McpServerOut::from(&server))))
}

/// Update an MCP server
///
/// Applies a JSON merge patch (RFC 7396), except that `auth` is replaced as a whole. Without its secret, the stored one is kept; after
/// a change of the server's origin or of the client, it must be sent again.
#[utoipa::path(
    patch, path = "/gateway/v1/admin/mcp-servers/{id}", tag = "admin",
    params(("id" = String, Path, description = "The server"), IfMatchHeaders),
    request_body(content = Object, description = "Any of `url`, `auth`, `enabled` and `access`"),
    responses(
        (status = 200, description = "The updated server", body = McpServerOut,
            headers(("ETag" = String, description = "The server's version"))),
        NotFound<McpServerId>, Stale, BodyRefused, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn update_mcp_server(
    State(stores): State<Stores>,
    operator: Operator,
    Path(id): Path<McpServerId>,
    if_match: IfMatch,
    UncheckedJson(mut patch): UncheckedJson<Value>,
) -> Result<(ETag, Body<McpServerOut>)> {
    let action = operator.audit_action("mcp_server.update", id);
    let replaces_auth = patch.get("auth").is_some();
    let secret = take_secret(&mut patch)?;
    let secret = seal(&stores, id, secret).await?;
    let patch = MergePatch::try_from(patch).map_err(|problem| Error::invalid_body("", problem))?;
    let change = |before: &StoredMcpServer| {
        let document = McpServerIn::from(before);
        let document = if replaces_auth { document.without_auth() } else { document };
        let after: McpServerIn = patch.merge(&document, &[])?;
        let after = after.read_changed(before, secret.clone(), &stores.outbound, operator.at())?;
        check_version(&if_match, &render(before))?;
        Ok(after)
    };
    let server = stores.admin.change_mcp_server(&action, &stores.mcp_servers, id, change, render).await?;
    Ok((etag(&render(&server)), Body(McpServerOut::from(&server))))
}

/// Delete an MCP server
#[utoipa::path(
    delete, path = "/gateway/v1/admin/mcp-servers/{id}", tag = "admin",
    params(("id" = String, Path, description = "The server")),
    responses((status = 204, description = "Deleted"), NotFound<McpServerId>, OperatorOnly, ErrorResponses),
)]
pub async fn delete_mcp_server(
    State(stores): State<Stores>,
    operator: Operator,
    Path(id): Path<McpServerId>,
) -> Result<StatusCode> {
    let action = operator.audit_action("mcp_server.delete", id);
    stores.admin.delete_mcp_server(&action, &stores.mcp_servers, id, render).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Moves the secret out of the `auth` of a patch, so that it reaches no document that is compared or logged.
fn take_secret(patch: &mut Value) -> Result<Option<String>> {
    let Some(auth) = patch.get_mut("auth").filter(|auth| !auth.is_null()) else { return Ok(None) };
    let mut read: McpAuthIn =
        serde_json::from_value(auth.take()).map_err(|error| Error::invalid_body("auth", error))?;
    let secret = read.take_secret();
    *auth = serde_json::to_value(read).map_err(Error::internal)?;
    Ok(secret)
}

async fn seal(stores: &Stores, id: McpServerId, secret: Option<String>) -> domain::Result<Option<StoredSecret>> {
    match secret {
        None => Ok(None),
        Some(secret) => {
            domain::schema::check_text::<crate::dto::mcp_servers::SecretText>("auth", &secret)?;
            stores.mcp_servers.seal(id, &secret).await.map(Some)
        }
    }
}

fn render(server: &StoredMcpServer) -> String {
    render_snapshot(&McpServerOut::from(server))
}
