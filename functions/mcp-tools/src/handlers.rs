//! The handlers.

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use domain::Error;
use mcp::McpRequest;
use serde::Serialize;
use web::Result;
use web::base_url::BaseUrl;
use web::builder::Caller;

use crate::Stores;
use crate::server::ToolServer;

/// `/mcp/v1`. POST answers a message. GET continues the stream of a call after the event `Last-Event-ID`; other streams are not
/// offered. DELETE closes a session: the runs that were started in it go on.
pub async fn serve(State(stores): State<Stores>, Caller(caller): Caller, request: McpRequest) -> Result<Response> {
    let endpoint = stores.endpoint.clone();
    let headers = request.parts.headers.clone();
    let build = |assistant| ToolServer::new(stores, caller.clone(), headers, assistant);
    Ok(endpoint.serve(&caller, request, build).await?)
}

/// Where clients of an MCP server get tokens (RFC 9728).
#[derive(Serialize)]
pub struct ProtectedResourceOut {
    resource: String,
    resource_name: &'static str,
    /// The issuers of tokens.
    authorization_servers: Vec<String>,
    bearer_methods_supported: [&'static str; 1],
}

/// `GET /.well-known/oauth-protected-resource/mcp/v1`: describes this server. It needs no token.
pub async fn describe_tools(State(stores): State<Stores>, base_url: BaseUrl) -> Result<Json<ProtectedResourceOut>> {
    describe(&stores, base_url, "/mcp/v1", "Atelier tools")
}

/// `GET /.well-known/oauth-protected-resource/mcp/v1/studio`: describes the server of the studio. It needs no token.
pub async fn describe_studio(State(stores): State<Stores>, base_url: BaseUrl) -> Result<Json<ProtectedResourceOut>> {
    describe(&stores, base_url, "/mcp/v1/studio", "Atelier studio")
}

fn describe(
    stores: &Stores,
    BaseUrl(base_url): BaseUrl,
    path: &str,
    resource_name: &'static str,
) -> Result<Json<ProtectedResourceOut>> {
    let base_url = base_url.ok_or_else(|| Error::internal("the base URL is not configured"))?;
    let issuer = stores.auth.issuer();
    // `local` is its own issuer, and clients find its endpoints at its address.
    let server = if issuer.starts_with("http") { issuer } else { &base_url };
    Ok(Json(ProtectedResourceOut {
        resource: format!("{base_url}{path}"),
        resource_name,
        authorization_servers: vec![server.to_owned()],
        bearer_methods_supported: ["header"],
    }))
}
