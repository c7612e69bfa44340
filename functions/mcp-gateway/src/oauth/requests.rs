//! Requests for metadata and to the endpoints of authorization servers.

use std::time::Duration;

use axum::http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use axum::http::request::Builder;
use axum::http::{Method, Request, StatusCode};
use bytes::Bytes;
use outbound::{Answer, Outbound, OutboundError, RequestTimeouts};
use serde::de::DeserializeOwned;

const MAX_DOCUMENT_BYTES: usize = 256 * 1024;
const TIMEOUTS: RequestTimeouts = RequestTimeouts {
    first_byte: Duration::from_secs(10),
    idle: Duration::from_secs(5),
    total: Duration::from_secs(15),
};

/// Fetches a document of metadata. `None` if there is none, or another document.
pub async fn fetch<T: DeserializeOwned>(outbound: &Outbound, url: &str) -> Result<Option<T>, OutboundError> {
    let (status, body) = send(outbound, Request::get(url), Bytes::new()).await?;
    Ok((status == StatusCode::OK).then(|| serde_json::from_slice(&body).ok()).flatten())
}

/// Fetches the first of the documents that exists.
pub async fn fetch_first<T: DeserializeOwned>(
    outbound: &Outbound,
    mut urls: Vec<String>,
) -> Result<Option<T>, OutboundError> {
    urls.dedup();
    for url in urls {
        if let Some(found) = fetch(outbound, &url).await? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Asks a server without credentials, and returns the headers of its refusal.
pub async fn challenge(outbound: &Outbound, url: &str) -> Result<Answer, OutboundError> {
    let body = Bytes::from_static(br#"{"jsonrpc":"2.0","id":0,"method":"ping"}"#);
    let request = Request::builder().method(Method::POST).uri(url).header(CONTENT_TYPE, "application/json");
    let request =
        request.header(ACCEPT, "application/json, text/event-stream").header(USER_AGENT, "atelier").body(body);
    outbound.send(request.map_err(|_| OutboundError::NotHttp)?, &TIMEOUTS).await
}

/// Sends a request, and follows no redirects: a code or a secret reaches only its endpoint.
pub async fn send(outbound: &Outbound, request: Builder, body: Bytes) -> Result<(StatusCode, Bytes), OutboundError> {
    let request = request.header(ACCEPT, "application/json").header(USER_AGENT, "atelier").body(body);
    let Answer { status, body, .. } = outbound.send(request.map_err(|_| OutboundError::NotHttp)?, &TIMEOUTS).await?;
    Ok((status, body.read_to_end(MAX_DOCUMENT_BYTES).await?))
}
