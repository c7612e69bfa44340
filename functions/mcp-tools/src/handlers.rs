//! The handlers.

use axum::body::Bytes;
use axum::extract::State;
use axum::response::Response;
use domain::Error;
use http::request::Parts;
use serde::Serialize;
use utoipa::ToSchema;
use web::base_url::BaseUrl;
use web::builder::{Caller, ErrorBody, ErrorResponses};
use web::{NoBody, RawBody, Result};

use crate::Stores;
use crate::server::ToolServer;

/// Send a message to the MCP server of your tools
///
/// The Model Context Protocol over Streamable HTTP, in its versions from 2025-03-26 to 2026-07-28. The tools are the published
/// workflows and agents that their owners have marked as tools, and that you may run. A call of a workflow is a run with the
/// origin `mcp`; its progress comes as notifications, and cancelling the call stops the run.
///
/// The session that `initialize` opens belongs to the caller, and is valid for 24 hours.
#[utoipa::path(
    post, path = "/mcp/v1", tag = "mcp",
    params(
        ("Mcp-Session-Id" = Option<Uuid>, Header, description = "The session, in versions before 2026-07-28"),
        ("MCP-Protocol-Version" = Option<String>, Header, description = "The version of the protocol"),
    ),
    request_body(content = Object, description = "A message of JSON-RPC", content_type = "application/json"),
    responses(
        (status = 200, description = "The answer, or a stream of messages that ends with it",
            content((Object = "application/json"), (Value = "text/event-stream")),
            headers(("Mcp-Session-Id" = Uuid, description = "The session that `initialize` has opened"))),
        (status = 202, description = "A notification was accepted"),
        (status = 403, description = "`origin_not_allowed`: a page of this origin may not call the server", body = ErrorBody),
        (status = 404, description = "There is no such session of the caller", body = Object),
        (status = 406, description = "`Accept` does not have both `application/json` and `text/event-stream`"),
        (status = 415, description = "The body is not JSON"),
        ErrorResponses,
    ),
)]
pub async fn send_tool_message(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    BaseUrl(base_url): BaseUrl,
    parts: Parts,
    RawBody(body): RawBody,
) -> Result<Response> {
    serve(stores, caller, base_url, parts, body).await
}

/// Resume a stream of the MCP server of your tools
///
/// Continues the stream of a call of a workflow after the event `Last-Event-ID`, with all that happened since. Other streams are
/// not offered.
#[utoipa::path(
    get, path = "/mcp/v1", tag = "mcp",
    params(
        ("Mcp-Session-Id" = Option<Uuid>, Header, description = "The session"),
        ("Last-Event-ID" = Option<String>, Header, description = "The last event that the client has"),
    ),
    responses(
        (status = 200, description = "The rest of the stream", content((Value = "text/event-stream"))),
        (status = 403, description = "`origin_not_allowed`: a page of this origin may not call the server", body = ErrorBody),
        (status = 404, description = "There is no such session of the caller", body = Object),
        (status = 405, description = "The request resumes no stream"),
        (status = 406, description = "`Accept` does not have `text/event-stream`"),
        ErrorResponses,
    ),
)]
pub async fn resume_tool_call(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    BaseUrl(base_url): BaseUrl,
    parts: Parts,
) -> Result<Response> {
    serve(stores, caller, base_url, parts, Bytes::new()).await
}

/// Close a session at the MCP server of your tools
///
/// Runs that were started in it go on.
#[utoipa::path(
    delete, path = "/mcp/v1", tag = "mcp",
    params(("Mcp-Session-Id" = Uuid, Header, description = "The session")),
    responses(
        (status = 204, description = "Closed"),
        (status = 403, description = "`origin_not_allowed`: a page of this origin may not call the server", body = ErrorBody),
        (status = 404, description = "There is no such session of the caller", body = Object),
        ErrorResponses,
    ),
)]
pub async fn close_tool_session(
    State(stores): State<Stores>,
    Caller(caller): Caller,
    BaseUrl(base_url): BaseUrl,
    parts: Parts,
    _: NoBody,
) -> Result<Response> {
    serve(stores, caller, base_url, parts, Bytes::new()).await
}

async fn serve(
    stores: Stores,
    caller: auth::Caller,
    base_url: Option<String>,
    parts: Parts,
    body: Bytes,
) -> Result<Response> {
    let endpoint = stores.endpoint.clone();
    let headers = parts.headers.clone();
    let build = |assistant| ToolServer::new(stores, caller.clone(), headers, assistant);
    Ok(endpoint.serve(&caller, base_url.as_deref(), (parts, body), build).await?)
}

/// Where clients of an MCP server get tokens (RFC 9728).
#[derive(Serialize, ToSchema)]
#[schema(title = "ProtectedResource")]
pub struct ProtectedResourceOut {
    /// The URL of the MCP server.
    #[schema(example = "https://atelier.example.com/mcp/v1")]
    resource: String,
    resource_name: &'static str,
    /// The issuers of tokens.
    authorization_servers: Vec<String>,
    bearer_methods_supported: Vec<&'static str>,
}

/// Describe the MCP server of your tools as a protected resource
///
/// Clients of the Model Context Protocol find here where they get an access token (RFC 9728). No token is needed for it.
#[utoipa::path(
    get, path = "/.well-known/oauth-protected-resource/mcp/v1", tag = "mcp", security(()),
    responses((status = 200, description = "The resource", body = ProtectedResourceOut)),
)]
pub async fn describe_tools_resource(
    State(stores): State<Stores>,
    base_url: BaseUrl,
) -> Result<axum::Json<ProtectedResourceOut>> {
    describe(&stores, base_url, "/mcp/v1", "Atelier tools")
}

/// Describe the MCP server of the studio as a protected resource
///
/// Clients of the Model Context Protocol find here where they get an access token (RFC 9728). No token is needed for it.
#[utoipa::path(
    get, path = "/.well-known/oauth-protected-resource/mcp/v1/studio", tag = "mcp", security(()),
    responses((status = 200, description = "The resource", body = ProtectedResourceOut)),
)]
pub async fn describe_studio_resource(
    State(stores): State<Stores>,
    base_url: BaseUrl,
) -> Result<axum::Json<ProtectedResourceOut>> {
    describe(&stores, base_url, "/mcp/v1/studio", "Atelier studio")
}

fn describe(
    stores: &Stores,
    BaseUrl(base_url): BaseUrl,
    path: &str,
    resource_name: &'static str,
) -> Result<axum::Json<ProtectedResourceOut>> {
    let base_url = base_url.ok_or_else(|| Error::internal("the base URL is not configured"))?;
    Ok(axum::Json(ProtectedResourceOut {
        resource: format!("{base_url}{path}"),
        resource_name,
        authorization_servers: vec![stores.auth.issuer().to_owned()],
        bearer_methods_supported: vec!["header"],
    }))
}
