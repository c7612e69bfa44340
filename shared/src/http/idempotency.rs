//! Creations that carry an `Idempotency-Key`: the first answer is kept as text, so that a repeat is the same to the byte.

use axum::http::header::{CONTENT_TYPE, HeaderName};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use utoipa::IntoParams;
use uuid::Uuid;

use super::etag::ETag;
use crate::store::idempotency::Created;
use crate::{Error, Result};

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "the OpenAPI documents are made of it")]
pub struct IdempotencyHeaders {
    /// Repeated within 24 hours, it returns the earlier creation instead of creating another.
    #[param(rename = "Idempotency-Key", nullable = false)]
    idempotency_key: Option<Uuid>,
}

pub fn key(headers: &HeaderMap) -> Result<Option<Uuid>> {
    let Some(value) = headers.get(&IDEMPOTENCY_KEY) else { return Ok(None) };
    let key = value.to_str().ok().and_then(|text| Uuid::try_parse(text).ok());
    Ok(Some(key.ok_or_else(|| Error::invalid_query("Idempotency-Key", "must be a UUID"))?))
}

/// The answer to a creation: this one's, or the first's.
pub fn created(outcome: Created, etag: ETag, answer: String) -> Response {
    let json = [(CONTENT_TYPE, "application/json")];
    match outcome {
        Created::Now => (StatusCode::CREATED, json, etag, answer).into_response(),
        Created::Before(answer) => {
            (StatusCode::CREATED, json, etag, [(IDEMPOTENT_REPLAYED, "true")], answer).into_response()
        }
    }
}
