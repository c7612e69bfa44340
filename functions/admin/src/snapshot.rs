//! JSON snapshots of resources for the audit log, their `ETag`s, and the `If-Match` check (optimistic lock).

use domain::{Error, Result};
use serde::Serialize;
use web::etag::{ETag, IfMatch};

/// Serializes a response body. The audit log stores this text, which contains no secrets.
pub fn render_snapshot(out: &impl Serialize) -> String {
    serde_json::to_string(out).unwrap_or_default()
}

/// Computes the ETag of a resource from its JSON text.
pub fn etag(snapshot: &str) -> ETag {
    ETag::from_revision(crc32fast::hash(snapshot.as_bytes()).into())
}

/// Refuses an update whose `If-Match` header does not match the current version.
pub fn check_version(if_match: &IfMatch, snapshot: &str) -> Result<()> {
    if if_match.allows(&etag(snapshot)) { Ok(()) } else { Err(Error::PreconditionFailed) }
}
