//! Requests to authorization servers.

use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use http::header::{ACCEPT, USER_AGENT};
use http::request::Builder;
use outbound::{Answer, Outbound, OutboundError, RequestTimeouts};

const MAX_DOCUMENT_BYTES: usize = 256 * 1024;
pub const TIMEOUTS: RequestTimeouts = RequestTimeouts {
    first_byte: Duration::from_secs(10),
    idle: Duration::from_secs(5),
    total: Duration::from_secs(15),
};

/// Sends a request, and follows no redirects: a code or a secret reaches only its endpoint.
pub async fn send(outbound: &Outbound, request: Builder, body: Bytes) -> Result<(StatusCode, Bytes), OutboundError> {
    let request = request.header(ACCEPT, "application/json").header(USER_AGENT, "atelier").body(body);
    let Answer { status, body, .. } = outbound.send(request.map_err(|_| OutboundError::NotHttp)?, &TIMEOUTS).await?;
    Ok((status, body.read_to_end(MAX_DOCUMENT_BYTES).await?))
}
