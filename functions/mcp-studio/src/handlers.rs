//! The handlers of the endpoint.

use axum::body::Bytes;
use axum::extract::State;
use axum::http::request::Parts;
use axum::response::Response;
use web::base_url::BaseUrl;
use web::builder::TokenCaller;
use web::{NoBody, RawBody, Result};

use crate::Stores;
use crate::server::StudioServer;

/// `POST /mcp/v1/studio`: answers a message of a client.
pub async fn send_message(
    State(stores): State<Stores>,
    caller: TokenCaller,
    base_url: BaseUrl,
    parts: Parts,
    RawBody(body): RawBody,
) -> Result<Response> {
    serve(stores, caller, base_url, parts, body).await
}

/// `GET /mcp/v1/studio`: calls are short, and the server sends no messages of its own, so there is no stream to open or to resume.
pub async fn resume_stream(
    State(stores): State<Stores>,
    caller: TokenCaller,
    base_url: BaseUrl,
    parts: Parts,
) -> Result<Response> {
    serve(stores, caller, base_url, parts, Bytes::new()).await
}

/// `DELETE /mcp/v1/studio`: closes a session.
pub async fn close_session(
    State(stores): State<Stores>,
    caller: TokenCaller,
    base_url: BaseUrl,
    parts: Parts,
    _: NoBody,
) -> Result<Response> {
    serve(stores, caller, base_url, parts, Bytes::new()).await
}

async fn serve(
    Stores { api, endpoint, .. }: Stores,
    TokenCaller(caller): TokenCaller,
    BaseUrl(base_url): BaseUrl,
    parts: Parts,
    body: Bytes,
) -> Result<Response> {
    let headers = parts.headers.clone();
    let build = |_| StudioServer::new(api, headers);
    Ok(endpoint.serve(&caller, base_url.as_deref(), (parts, body), build).await?)
}
