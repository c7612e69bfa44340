//! JSON snapshots of resources for the audit log, their `ETag`s, and the `If-Match` check (optimistic lock).

use axum::response::Response;
use domain::{Error, Result};
use serde::Serialize;
use shared::http::etag::{ETag, IfMatch};
use shared::http::idempotency;
use shared::store::idempotency::CreateOutcome;

/// Serializes a response body. The audit log stores this text, which contains no secrets.
pub fn render_snapshot(out: &impl Serialize) -> String {
    serde_json::to_string(out).unwrap_or_default()
}

/// Computes the ETag of a resource from its JSON text.
pub fn etag(snapshot: &str) -> ETag {
    ETag::from_revision(crc32fast::hash(snapshot.as_bytes()).into())
}

/// Builds the response to a create request: the new answer, or the replay of the first one.
pub fn respond(created: CreateOutcome, answer: String) -> Response {
    match created {
        CreateOutcome::Now => idempotency::created_response(None, answer),
        CreateOutcome::Before(first) => idempotency::replay_response(None, first),
    }
}

/// Refuses an update whose `If-Match` header does not match the current version.
pub fn check_version(if_match: &IfMatch, snapshot: &str) -> Result<()> {
    if if_match.allows(&etag(snapshot)) { Ok(()) } else { Err(Error::PreconditionFailed) }
}
