//! The gate before the embedded services: it lets in who signs with the secret key, and no page of a browser.
//!
//! A browser names the page in `Origin`. A page whose name was made to resolve to this machine (DNS rebinding) sends
//! no `Origin`, but its own name in `Host`.

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

/// DynamoDB's own limit, and more than the others take.
const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;
/// By which names this machine's own clients call it.
const OWN_NAMES: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// The router behind the gate: every call must be signed with the key.
pub fn guarded(router: Router, key: SecretKey) -> Router {
    router.layer(from_fn_with_state(key, admit))
}

async fn admit(State(key): State<SecretKey>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    if let Some(problem) = page_problem(&parts.headers) {
        return refusal(StatusCode::FORBIDDEN, "AccessDeniedException", problem);
    }
    let Ok(body) = to_bytes(body, MAX_BODY_BYTES).await else {
        return refusal(StatusCode::PAYLOAD_TOO_LARGE, "RequestEntityTooLarge", "the body cannot be read");
    };
    if let Err(problem) = sigv4::verify(&key, &parts, &body) {
        return refusal(StatusCode::FORBIDDEN, "InvalidSignatureException", &problem.to_string());
    }
    let mut response = next.run(Request::from_parts(parts, Body::from(body))).await;
    remove_cors(response.headers_mut());
    response
}

/// Why a request may be a page's; nothing when it is a program's.
pub fn page_problem(headers: &HeaderMap) -> Option<&'static str> {
    if headers.contains_key(ORIGIN) {
        return Some("pages of a browser may not call this service");
    }
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|c| c.is_ascii_digit()));
    let name = name.map_or(host, |(name, _)| name);
    let is_own = OWN_NAMES.iter().any(|own| own.eq_ignore_ascii_case(name));
    (!is_own).then_some("call this service by the name 127.0.0.1")
}

/// The services allow every origin; nothing that leaves here does.
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
