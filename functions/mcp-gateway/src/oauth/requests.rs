//! Requests for the metadata of authorization servers.

use axum::http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use axum::http::{Method, Request, StatusCode};
use bytes::Bytes;
use oauth::{TIMEOUTS, send};
use outbound::{Answer, Outbound, OutboundError};
use serde::de::DeserializeOwned;

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
