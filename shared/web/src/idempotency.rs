//! Idempotency keys of creations. The first response is stored as text, so that a replay is identical byte by byte.

use axum::http::header::{CONTENT_TYPE, HeaderName};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use utoipa::IntoParams;
use uuid::Uuid;

use super::etag::ETag;
use domain::{Error, Result};
use store::idempotency::{CreateOutcome, IdempotencyKey};

pub const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
pub const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "read only by the generator of the OpenAPI documents")]
pub struct IdempotencyHeaders {
    /// A request with the same key within 24 hours returns the earlier creation instead of creating another.
    /// With another body it is refused with 409 `idempotency_conflict`.
    #[param(rename = "Idempotency-Key", nullable = false)]
    idempotency_key: Option<Uuid>,
}

/// Reads the `Idempotency-Key` of a request. `request` is the hash of its body.
pub fn read_key(headers: &HeaderMap, request: String) -> Result<Option<IdempotencyKey>> {
    let Some(value) = headers.get(&IDEMPOTENCY_KEY) else { return Ok(None) };
    let key = value.to_str().ok().and_then(|text| Uuid::try_parse(text).ok());
    let key = key.ok_or_else(|| Error::invalid_query("Idempotency-Key", "must be a UUID"))?;
    Ok(Some(IdempotencyKey { key, request }))
}

/// The response to a creation: its own, or the replay of the first response with the same key.
pub fn creation_response(outcome: CreateOutcome, version: Option<ETag>, answer: String) -> Response {
    match outcome {
        CreateOutcome::Now => created_response(version, answer),
        CreateOutcome::Before(first) => replay_response(version, first),
    }
}

/// A `201 Created` response, with an `ETag` if the resource has a version.
pub fn created_response(version: Option<ETag>, answer: String) -> Response {
    (StatusCode::CREATED, [(CONTENT_TYPE, "application/json")], version, answer).into_response()
}

pub fn replay_response(version: Option<ETag>, first: String) -> Response {
    ([(IDEMPOTENT_REPLAYED, "true")], created_response(version, first)).into_response()
}
