//! HTTP: status codes, extractors, middleware, and one module for the envelope of each API: `builder`, `workbenches` and
//! `gateway`. A family of routes chooses its envelope by importing that module, and all of its errors then have that format.

pub mod base_url;
pub mod buffered;
pub mod builder;
pub mod cursor;
pub mod etag;
mod extract;
pub mod follow;
mod form;
pub mod gateway;
pub mod idempotency;
pub mod language;
pub mod layers;
pub mod origin;
pub mod page;
pub mod paging;
pub mod quantity;
mod request_span;
pub mod responses;
mod routes;
mod scoped_routes;
pub mod session_cookie;
pub mod streaming;
pub mod workbenches;

use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

pub use extract::{
    AllowedOrigin, ApiError, Hashed, Json, NoBody, OptionalJson, Path, Query, RawBody, Result, TextFile, UncheckedJson,
    declares_json,
};
pub use form::{Form, Part};
pub use layers::{Area, Routes, finish};

use domain::error_text;
use domain::text::shorten;
use domain::{Error, ProviderTrouble, Refusal};
use platform::telemetry;

/// The largest request body. Lambda allows 6 MB for the whole event, in which the body is escaped.
pub const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;

/// The status and the code of each error. An envelope may replace the code with a more specific one.
pub fn classify(error: &Error) -> (StatusCode, String) {
    let status = match error {
        Error::InvalidQuery { .. } | Error::InvalidBody { .. } | Error::Unsound { .. } => StatusCode::BAD_REQUEST,
        Error::Unprocessable { .. } => StatusCode::UNPROCESSABLE_ENTITY,
        Error::Unauthenticated(_) => StatusCode::UNAUTHORIZED,
        Error::Forbidden { .. } => StatusCode::FORBIDDEN,
        // SDKs would repeat a 501, and operators have an alarm for each 5xx.
        Error::NotFound { .. }
        | Error::UnknownModel { .. }
        | Error::NoCallBody
        | Error::NoRoute
        | Error::NotServed { .. } => StatusCode::NOT_FOUND,
        Error::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        Error::Conflict { .. } | Error::AlreadyResolved { .. } => StatusCode::CONFLICT,
        Error::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
        Error::Billing { .. } => StatusCode::PAYMENT_REQUIRED,
        Error::RateLimited { .. } | Error::TooManyRequests { .. } => StatusCode::TOO_MANY_REQUESTS,
        Error::Provider { trouble, .. } => provider_status(*trouble),
        Error::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
        Error::NotJson | Error::NeitherJsonNorForm | Error::NotAFile | Error::NotAForm | Error::EncodedBody => {
            StatusCode::UNSUPPORTED_MEDIA_TYPE
        }
        Error::Maintenance { .. } | Error::Unavailable { .. } | Error::StorageTrouble(_) => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        Error::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
    };
    (status, error.code().into_owned())
}

/// The code of an error that is one entry of a larger response. Its cause is logged.
pub fn code(error: &Error) -> String {
    telemetry::log_cause(error);
    error.code().into_owned()
}

/// The status of a provider error. The client can fix what the provider rejects in the request; other failures are
/// between the provider and the platform.
fn provider_status(trouble: ProviderTrouble) -> StatusCode {
    match trouble {
        ProviderTrouble::Request | ProviderTrouble::Unsupported => StatusCode::BAD_REQUEST,
        ProviderTrouble::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        ProviderTrouble::Setup | ProviderTrouble::Failed => StatusCode::BAD_GATEWAY,
        ProviderTrouble::Timeout => StatusCode::GATEWAY_TIMEOUT,
    }
}

/// The largest error body. Errors quote requests and providers, and a Lambda response has at most 6 MB.
pub const MAX_ERROR_BYTES: usize = 64 * 1024;
const MAX_DETAILS_BYTES: usize = 32 * 1024;

/// The message of an error, shortened for the response.
fn message(error: &Error) -> String {
    error_text::shorten_message(&error.to_string()).into_owned()
}

/// The details of an error, shortened for the response.
fn details(error: &Error) -> Option<Value> {
    match error {
        Error::Unsound { details, .. }
        | Error::Unprocessable { details, .. }
        | Error::AlreadyResolved { details, .. } => Some(error_text::shorten_details(details, MAX_DETAILS_BYTES)),
        _ => None,
    }
}

/// Serializes an error body. Its parts are already limited; this limit applies if one of them was overlooked.
fn bounded(mut body: Value) -> String {
    let text = body.to_string();
    if text.len() <= MAX_ERROR_BYTES {
        return text;
    }
    let code = shorten(body["error"]["code"].as_str().unwrap_or_default()).into_owned();
    body["error"] = json!({"code": code, "message": "the error is too long to be shown", "details": Value::Null});
    body.to_string()
}

/// The response to an error, in the envelope that `body` creates. Its cause is logged once and never sent.
fn respond(error: &Error, body: impl FnOnce(StatusCode, String) -> Value) -> Response {
    let (status, code) = classify(error);
    tracing::Span::current().record("code", &code);
    telemetry::log_cause(error);
    let header: Option<(HeaderName, HeaderValue)> = match error {
        Error::Unauthenticated(_) => Some((WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))),
        Error::Unavailable { retry_after_s, .. }
        | Error::Maintenance { retry_after_s, .. }
        | Error::TooManyRequests { retry_after_s, .. } => Some((RETRY_AFTER, (*retry_after_s).into())),
        Error::RateLimited { retry_after_s, .. } | Error::Provider { retry_after_s: Some(retry_after_s), .. } => {
            Some((RETRY_AFTER, (*retry_after_s).into()))
        }
        _ => None,
    };
    let body = bounded(body(status, code));
    let mut response = (status, [(CONTENT_TYPE, "application/json")], body).into_response();
    response.headers_mut().extend(header);
    response
}

/// The error code of the gateway for an authentication failure.
fn refusal_code(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::Missing
        | Refusal::NoChannelToken
        | Refusal::Malformed
        | Refusal::ApiKey
        | Refusal::NeitherKeyNorToken
        | Refusal::Ambiguous => "identity.invalid_token",
        Refusal::Unknown
        | Refusal::NotAnApiKey
        | Refusal::ServiceToken
        | Refusal::Session
        | Refusal::Signature
        | Refusal::UserSuspended => "identity.unauthorized",
        Refusal::OrgSuspended => "identity.org_suspended",
    }
}
