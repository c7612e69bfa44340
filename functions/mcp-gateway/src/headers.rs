//! The headers that pass the door. All others, such as those with credentials and cookies, stay on their side.

use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::message::{Kind, Message};
use crate::rpc_error::RpcError;

pub const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
pub const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");
/// Arguments of tools that a server wants as headers begin with it.
const ARGUMENT: &str = "mcp-param-";

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");

/// The headers of a message for its server.
pub fn of_message(client: &HeaderMap, message: &Message<'_>) -> Result<HeaderMap, RpcError> {
    check_method(client, message).map_err(|error| error.answering(message.id))?;
    let mut headers = shared(client, BOTH);
    headers.insert(CONTENT_TYPE, JSON);
    for (name, value) in client {
        if *name == METHOD || *name == NAME || name.as_str().starts_with(ARGUMENT) {
            headers.append(name.clone(), value.clone());
        }
    }
    Ok(headers)
}

/// The headers of a request for a stream, or of the end of a session.
pub fn without_message(client: &HeaderMap) -> HeaderMap {
    let mut headers = shared(client, EVENTS);
    if let Some(last) = client.get(LAST_EVENT_ID) {
        headers.insert(LAST_EVENT_ID, last.clone());
    }
    headers
}

fn shared(client: &HeaderMap, accept: HeaderValue) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, client.get(ACCEPT).cloned().unwrap_or(accept));
    if let Some(version) = client.get(PROTOCOL_VERSION) {
        headers.insert(PROTOCOL_VERSION, version.clone());
    }
    headers
}

/// Some servers route a message by its headers, so they must name the method and the tool of the body.
fn check_method(client: &HeaderMap, message: &Message<'_>) -> Result<(), RpcError> {
    let is_other =
        |name: HeaderName, expected: &str| client.get_all(name).iter().any(|value| !is_text(value, expected));
    let Some(method) = message.method() else {
        let has_any = client.contains_key(METHOD) || client.contains_key(NAME);
        return if has_any { Err(RpcError::header_mismatch("Mcp-Method")) } else { Ok(()) };
    };
    match &message.kind {
        _ if is_other(METHOD, method) => Err(RpcError::header_mismatch("Mcp-Method")),
        Kind::ToolCall { tool } if is_other(NAME, tool) => Err(RpcError::header_mismatch("Mcp-Name")),
        _ => Ok(()),
    }
}

/// Whether a header has this text, as it is or in base64 (`=?base64?…?=`).
fn is_text(value: &HeaderValue, expected: &str) -> bool {
    let encoded = || value.to_str().ok()?.strip_prefix("=?base64?")?.strip_suffix("?=");
    match encoded() {
        Some(encoded) => STANDARD.decode(encoded).is_ok_and(|text| text == expected.as_bytes()),
        None => value.as_bytes() == expected.as_bytes(),
    }
}

/// The headers of a server's answer for the client, without its session.
pub fn of_answer(server: &HeaderMap) -> HeaderMap {
    let passed = [CONTENT_TYPE, PROTOCOL_VERSION];
    passed.into_iter().filter_map(|name| Some((name.clone(), server.get(name)?.clone()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALL: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"caf\u00e9"}}"#;

    fn passed(headers: &[(&'static str, &'static str)]) -> Option<HeaderMap> {
        let headers =
            headers.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        of_message(&headers.collect(), &Message::read(CALL).expect("a message")).ok()
    }

    #[test]
    fn credentials_and_cookies_stay_outside() {
        let headers = passed(&[
            ("authorization", "Bearer sk-svc-secret"),
            ("x-api-key", "sk-svc-secret"),
            ("cookie", "a=b"),
            ("origin", "https://page.example"),
            ("x-forwarded-for", "203.0.113.7"),
            ("mcp-session-id", "sealed"),
            ("mcp-protocol-version", "2025-11-25"),
            ("mcp-param-region", "eu"),
        ]);
        let headers = headers.expect("the message passes");
        let mut names: Vec<_> = headers.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["accept", "content-type", "mcp-param-region", "mcp-protocol-version"]);
    }

    #[test]
    fn headers_must_name_what_the_body_calls() {
        assert!(passed(&[("mcp-method", "tools/call"), ("mcp-name", "=?base64?Y2Fmw6k=?=")]).is_some());
        assert!(passed(&[("mcp-method", "tools/list")]).is_none());
        assert!(passed(&[("mcp-method", "tools/call"), ("mcp-name", "tea")]).is_none());
        assert!(passed(&[("mcp-method", "tools/call"), ("mcp-method", "tools/list")]).is_none());
    }
}
