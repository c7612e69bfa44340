//! Refusals of messages, in the format of JSON-RPC.

use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// An error that answers one message.
#[derive(Debug)]
pub struct RpcError {
    status: StatusCode,
    code: i64,
    message: String,
    data: Option<Box<Value>>,
    /// Null if the message has no readable id.
    id: Option<Box<RawValue>>,
}

impl RpcError {
    fn new(status: StatusCode, code: i64, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), data: None, id: None }
    }

    pub fn parse_error(problem: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::BAD_REQUEST, -32_700, format!("the body is not a JSON-RPC message: {problem}"))
    }

    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, -32_600, message)
    }

    pub fn header_mismatch(header: &str) -> Self {
        let message =
            format!("the header {header} differs from the body; send the same value, or leave the header out");
        Self::new(StatusCode::BAD_REQUEST, -32_020, message)
    }

    pub fn method_refused(method: &str) -> Self {
        let message = format!("the method {method} is not allowed for this key; it may only list and call some tools");
        Self::new(StatusCode::OK, -32_601, message)
    }

    pub fn tool_refused(tool: &str) -> Self {
        let message = format!("the tool {tool} is not allowed for this key; list the allowed ones with tools/list");
        Self::new(StatusCode::OK, -32_602, message)
    }

    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(StatusCode::OK, -32_602, message)
    }

    /// The user must open this URL first. Clients that know the error show the URL, and all others the message.
    pub fn connection_needed(message: &str, url: Option<(&str, &str)>) -> Self {
        let refusal = Self::new(StatusCode::OK, -32_042, message);
        let Some((id, url)) = url else { return refusal };
        let elicitation = json!({"mode": "url", "elicitationId": id, "url": url, "message": message});
        Self { data: Some(json!({"elicitations": [elicitation]}).into()), ..refusal }
    }

    /// Answers the request with this id.
    #[must_use]
    pub fn answering(self, id: Option<&RawValue>) -> Self {
        Self { id: id.map(ToOwned::to_owned), ..self }
    }
}

impl IntoResponse for RpcError {
    fn into_response(self) -> Response {
        let Self { status, code, message, data, id } = self;
        let mut error = json!({"code": code, "message": message});
        if let Some(data) = data {
            error["data"] = *data;
        }
        let id = id.as_deref().map_or("null", RawValue::get);
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#);
        (status, [(CONTENT_TYPE, "application/json")], body).into_response()
    }
}
