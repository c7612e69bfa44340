//! Authenticates calls of the embedded services: they must be signed with the secret key. Browser pages are refused.
//!
//! A browser sends the origin of the page in `Origin`. In a DNS rebinding attack, the page's host name resolves to this
//! machine: the request has no `Origin`, but `Host` holds that name.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_TYPE, HOST, ORIGIN};
use http::{HeaderMap, StatusCode};
use serde_json::json;

use super::secret_key::SecretKey;
use super::sigv4;

/// The limit of DynamoDB, which is higher than those of SQS and KMS.
const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;
/// The host names by which clients on this machine call the services.
const ALLOWED_HOSTS: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// Wraps a router: every call must be signed with the key.
pub fn require_signature(router: Router, key: SecretKey) -> Router {
    router.layer(from_fn_with_state(key, admit))
}

async fn admit(State(key): State<SecretKey>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    if let Some(problem) = page_problem(&parts.headers) {
        return refusal(StatusCode::FORBIDDEN, "AccessDeniedException", problem);
    }
    let Ok(body) = to_bytes(body, MAX_BODY_BYTES).await else {
        return refusal(StatusCode::PAYLOAD_TOO_LARGE, "RequestEntityTooLarge", "the body is too large or incomplete");
    };
    if let Err(problem) = sigv4::verify(&key, &parts, &body) {
        return refusal(StatusCode::FORBIDDEN, "InvalidSignatureException", &problem.to_string());
    }
    let mut response = next.run(Request::from_parts(parts, Body::from(body))).await;
    remove_cors(response.headers_mut());
    response
}

/// Why a request may come from a browser page; `None` if it comes from a program.
pub fn page_problem(headers: &HeaderMap) -> Option<&'static str> {
    if headers.contains_key(ORIGIN) {
        return Some("browser pages may not call this service; call it from a program");
    }
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|c| c.is_ascii_digit()));
    let name = name.map_or(host, |(name, _)| name);
    let is_own = ALLOWED_HOSTS.iter().any(|own| own.eq_ignore_ascii_case(name));
    (!is_own).then_some("this service does not accept the host name; call it at 127.0.0.1")
}

/// Removes CORS headers: the services would allow every origin.
fn remove_cors(headers: &mut HeaderMap) {
    let names = headers.keys().filter(|name| name.as_str().starts_with("access-control-"));
    for name in names.cloned().collect::<Vec<_>>() {
        headers.remove(name);
    }
}

fn refusal(status: StatusCode, code: &str, message: &str) -> Response {
    let body = json!({"__type": format!("com.amazon.coral.service#{code}"), "message": message});
    (status, [(CONTENT_TYPE, "application/x-amz-json-1.0")], body.to_string()).into_response()
}
