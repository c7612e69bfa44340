//! The envelope of the gateway: OpenAI's objects, and `{error: {type, code, message, param, request_id, details}}`.

use axum::extract::FromRequestParts;
use axum::http::header::{HeaderName, HeaderValue, RETRY_AFTER};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::extract::{bearer, extractors, record_caller};
use super::layers::request_id;
use super::{refusal_code, respond};
use crate::auth::Auth;
use crate::domain::limits::Dimension;
use crate::{Error, ProviderTrouble};

extractors!();

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = respond(&self.0, |status, code| body(&self.0, status, &code));
        let headers = response.headers_mut();
        // The SDKs read milliseconds first.
        let retry_after_s = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        if let Some(retry_after_s) = retry_after_s {
            headers.insert(RETRY_AFTER_MS, retry_after_s.saturating_mul(1_000).into());
        }
        if is_final(&self.0) {
            headers.insert(X_SHOULD_RETRY, HeaderValue::from_static("false"));
        }
        if let Error::RateLimited { dimension, limit, resets_at, .. } = &self.0 {
            rate_headers(headers, *dimension, *limit, *resets_at);
        }
        response
    }
}

/// The error object, as it also stands in a stream that fails in the middle.
pub fn body(error: &Error, status: StatusCode, code: &str) -> Value {
    let (code, param) = match error {
        Error::Unauthenticated(refusal) => (refusal_code(*refusal), None),
        Error::InvalidBody { field, .. } => (code, Some(field.as_str())),
        Error::InvalidQuery { parameter, .. } => (code, Some(parameter.as_str())),
        Error::Provider { param, .. } => (code, param.as_deref()),
        _ => (code, None),
    };
    json!({"error": {
        "type": kind(error, status),
        "code": code,
        "message": error.to_string(),
        "param": param.filter(|param| !param.is_empty()),
        "request_id": request_id(),
        "details": details(error),
    }})
}

fn kind(error: &Error, status: StatusCode) -> &'static str {
    match (error, status.as_u16()) {
        (Error::Maintenance { .. }, _) => "maintenance_error",
        (Error::Provider { .. }, 500..) => "provider_error",
        (_, 401) => "authentication_error",
        (_, 402) => "billing_error",
        (_, 403) => "permission_error",
        (_, 404) => "not_found_error",
        (_, 429) => "rate_limit_error",
        (_, 500..) => "internal_error",
        _ => "invalid_request_error",
    }
}

fn details(error: &Error) -> Value {
    match error {
        Error::Billing { level: Some(level), .. } => json!({"scope": level}),
        Error::RateLimited { level, dimension, limit, resets_at, .. } => {
            json!({"dimension": dimension, "scope": level, "limit": limit, "resets_at": resets_at})
        }
        _ => Value::Null,
    }
}

/// What another try of the same request, within the patience of an SDK, cannot change. They would retry a 429 twice.
fn is_final(error: &Error) -> bool {
    match error {
        Error::Billing { .. } | Error::Provider { trouble: ProviderTrouble::Setup, .. } => true,
        Error::RateLimited { dimension, .. } => dimension.window_s() > 60,
        _ => false,
    }
}

fn rate_headers(headers: &mut HeaderMap, dimension: Dimension, limit: u64, resets_at: i64) {
    let names = match dimension {
        Dimension::Rpm | Dimension::Rpd => REQUESTS,
        Dimension::Tpm | Dimension::Tpd => TOKENS,
        Dimension::Ipm => return,
    };
    for (name, value) in names.into_iter().zip([limit, 0, resets_at.unsigned_abs()]) {
        headers.insert(name, value.into());
    }
}

const RETRY_AFTER_MS: HeaderName = HeaderName::from_static("retry-after-ms");
const X_SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");
/// Limit, remaining and reset.
pub const REQUESTS: [HeaderName; 3] = [
    HeaderName::from_static("x-ratelimit-limit-requests"),
    HeaderName::from_static("x-ratelimit-remaining-requests"),
    HeaderName::from_static("x-ratelimit-reset-requests"),
];
pub const TOKENS: [HeaderName; 3] = [
    HeaderName::from_static("x-ratelimit-limit-tokens"),
    HeaderName::from_static("x-ratelimit-remaining-tokens"),
    HeaderName::from_static("x-ratelimit-reset-tokens"),
];

/// A program with an API key.
pub struct ApiCaller(pub crate::auth::ApiCaller);

impl<S> FromRequestParts<S> for ApiCaller
where
    S: AsRef<Auth> + Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let caller = state.as_ref().api_caller(bearer(parts)?).await?;
        record_caller(&caller.caller);
        Ok(Self(caller))
    }
}
