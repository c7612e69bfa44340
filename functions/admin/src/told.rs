//! Things as they are told, and the versions that patches are meant for.

use axum::response::Response;
use domain::{Error, Result};
use serde::Serialize;
use shared::http::etag::{ETag, IfMatch};
use shared::http::idempotency;
use shared::store::idempotency::Created;

/// A thing as the API shows it: what the audit keeps.
pub fn told(out: &impl Serialize) -> String {
    serde_json::to_string(out).unwrap_or_default()
}

/// The version of a thing that is shown so.
pub fn etag(told: &str) -> ETag {
    ETag::of(crc32fast::hash(told.as_bytes()).into())
}

/// The answer to a creation: this one's, or the first's where the request repeats it.
pub fn respond(created: Created, answer: String) -> Response {
    match created {
        Created::Now => idempotency::made(None, answer),
        Created::Before(first) => idempotency::replayed(None, first),
    }
}

pub fn check_version(if_match: &IfMatch, told: &str) -> Result<()> {
    if if_match.allows(&etag(told)) { Ok(()) } else { Err(Error::PreconditionFailed) }
}
