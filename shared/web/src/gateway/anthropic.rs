//! Errors in the form of Anthropic's API, for the routes of its dialect.

use axum::http::StatusCode;
use axum::response::Response;
use serde_json::{Value, json};

use super::{add_headers, details};
use crate::layers::{DialectRoutes, request_id};
use crate::{classify, message, refusal_code, respond};
use domain::Error;

pub const MESSAGES: DialectRoutes = DialectRoutes { routes: "/gateway/v1/messages", render, request_id: "request-id" };

fn render(error: &Error) -> Response {
    let mut response = respond(error, |_, _| body(error, &request_id()));
    add_headers(error, &mut response);
    response
}

/// The body of an error, which is also the last event of a stream that fails.
pub fn body(error: &Error, request_id: &str) -> Value {
    let (status, code) = classify(error);
    let code = if let Error::Unauthenticated(refusal) = error { refusal_code(*refusal) } else { &code };
    json!({
        "type": "error",
        "error": {"type": kind(status), "message": message(error), "code": code, "details": details(error)},
        "request_id": request_id,
    })
}

fn kind(status: StatusCode) -> &'static str {
    match status.as_u16() {
        401 => "authentication_error",
        402 => "billing_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        503 => "overloaded_error",
        504 => "timeout_error",
        500.. => "api_error",
        _ => "invalid_request_error",
    }
}
