//! The answers of the fake providers.

use bytes::Bytes;
use http::request::Parts;
use serde_json::Value;

/// An answer: its status, headers, media type and content.
pub struct Reply {
    pub status: u16,
    pub retry_after: Option<u64>,
    pub media_type: String,
    pub body: Bytes,
}

impl Reply {
    pub fn json(status: u16, body: &Value) -> Self {
        Self { status, retry_after: None, media_type: "application/json".to_owned(), body: body.to_string().into() }
    }

    pub fn with_retry_after(self, seconds: u64) -> Self {
        Self { retry_after: Some(seconds), ..self }
    }
}

/// The bearer token of a request.
pub fn bearer(parts: &Parts) -> Option<&str> {
    parts.headers.get("authorization")?.to_str().ok()?.strip_prefix("Bearer ")
}
