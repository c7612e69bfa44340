//! The handler of the endpoint.

use axum::extract::State;
use axum::response::Response;
use mcp::McpRequest;
use web::Result;
use web::builder::TokenCaller;

use crate::Stores;
use crate::server::StudioServer;

/// `/mcp/v1/studio`. POST answers a message, and DELETE closes a session. GET is refused: calls are short, and the server sends
/// no messages of its own, so there is no stream to open or to resume.
pub async fn serve(
    State(Stores { api, endpoint, .. }): State<Stores>,
    TokenCaller(caller): TokenCaller,
    request: McpRequest,
) -> Result<Response> {
    let headers = request.parts.headers.clone();
    let build = |_| StudioServer::new(api, headers);
    Ok(endpoint.serve(&caller, request, build).await?)
}
