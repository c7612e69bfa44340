//! Requests of the providers' APIs.

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{Method, Request};
use outbound::{OutboundError, sensitive};
use serde_json::Value;

use super::SendError;

/// A `POST` of JSON, with a bearer token unless the URL has the authorization.
pub fn json_request(url: &str, token: Option<&str>, body: &Value) -> Result<Request<Bytes>, SendError> {
    let mut request = build(Method::POST, url, token, body.to_string().into())?;
    let json = http::HeaderValue::from_static("application/json; charset=utf-8");
    request.headers_mut().insert(CONTENT_TYPE, json);
    Ok(request)
}

pub fn authorized_get(url: &str, token: Option<&str>) -> Result<Request<Bytes>, SendError> {
    build(Method::GET, url, token, Bytes::new())
}

fn build(method: Method, url: &str, token: Option<&str>, body: Bytes) -> Result<Request<Bytes>, SendError> {
    let not_http = OutboundError::NotHttp;
    let request = Request::builder().method(method).uri(url).body(body);
    let mut request = request.map_err(|_| SendError::refused(not_http.code(), not_http.to_string()))?;
    if let Some(token) = token {
        let message = "the token cannot be sent in a header; create the credential again";
        let header = sensitive(&format!("Bearer {token}"));
        let header = header.ok_or_else(|| SendError::refused("invalid_token", message))?;
        request.headers_mut().insert(AUTHORIZATION, header);
    }
    Ok(request)
}
