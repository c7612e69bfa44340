//! A session with a server: the agreement on a version, requests, and the end.
//!
//! The client begins with `initialize` of 2025-11-25, which all servers in use answer. One that has only the stateless
//! protocol of 2026-07-28 refuses it, and is asked with `server/discover` instead.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use http::header::{HeaderName, HeaderValue};
use http::{HeaderMap, StatusCode};
use outbound::{Calls, sensitive};
use rmcp::model::{
    ClientCapabilities, ErrorCode, Implementation, InitializeRequestParams, ProtocolVersion, RequestMetaObject,
};
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use crate::error::{FailedCall, McpError};
use crate::exchange::{Answered, Connection, SESSION_ID};
use crate::result::ToolResult;
use crate::server::ServerInfo;
use crate::{Endpoint, ToolCall};

const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The key in `_meta`, for servers that do not see headers.
const IDEMPOTENCY_META: &str = "io.atelier/idempotencyKey";
/// A longer id of a session is refused.
const MAX_SESSION_ID_BYTES: usize = 1_024;

const CALL: &str = "tools/call";

pub struct Session<'a> {
    connection: Connection<'a>,
    version: ProtocolVersion,
    pub(crate) server: ServerInfo,
    last_id: u64,
}

impl<'a> Session<'a> {
    pub async fn open(calls: &'a Calls, endpoint: Endpoint<'a>, deadline: Instant) -> Result<Self, McpError> {
        let connection = Connection::new(calls, endpoint, deadline)?;
        let version = ProtocolVersion::LATEST_WITH_INITIALIZE;
        let mut session = Self { connection, version, server: ServerInfo::default(), last_id: 0 };
        match session.initialize().await {
            Err(refused) if may_be_stateless(&refused) => match session.discover().await {
                Ok(()) => Ok(session),
                Err(McpError::UnknownVersion) => Err(McpError::UnknownVersion),
                Err(_) => Err(refused),
            },
            Err(error) => Err(error),
            Ok(()) => Ok(session),
        }
    }

    async fn initialize(&mut self) -> Result<(), McpError> {
        let params = InitializeRequestParams::new(ClientCapabilities::default(), client_info());
        let params = params.with_protocol_version(self.version.clone());
        let params = serde_json::to_value(params).unwrap_or_default();
        let Answered { result, headers } = self.send("initialize", params, HeaderMap::new()).await?;
        let is_chosen = |version: &&ProtocolVersion| result["protocolVersion"] == version.as_str();
        let version = ProtocolVersion::KNOWN_VERSIONS.iter().find(is_chosen).ok_or(McpError::UnknownVersion)?;
        if let Some(id) = headers.get(&SESSION_ID) {
            let text = id.to_str().ok().filter(|id| id.len() <= MAX_SESSION_ID_BYTES);
            let id = text.and_then(sensitive).ok_or(McpError::InvalidAnswer("the id of its session is too long"))?;
            self.connection.headers.insert(SESSION_ID, id);
        }
        self.agree(version, &result["serverInfo"]);
        self.connection.notify(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await
    }

    async fn discover(&mut self) -> Result<(), McpError> {
        self.agree(&ProtocolVersion::V_2026_07_28, &Value::Null);
        let Answered { result, .. } = self.send("server/discover", json!({}), HeaderMap::new()).await?;
        let versions = result["supportedVersions"].as_array().map(Vec::as_slice).unwrap_or_default();
        if !versions.iter().any(|version| version == self.version.as_str()) {
            return Err(McpError::UnknownVersion);
        }
        self.agree(&ProtocolVersion::V_2026_07_28, &result["_meta"]["io.modelcontextprotocol/serverInfo"]);
        Ok(())
    }

    fn agree(&mut self, version: &ProtocolVersion, info: &Value) {
        if let Ok(value) = HeaderValue::from_str(version.as_str()) {
            self.connection.headers.insert(PROTOCOL_VERSION, value);
        }
        self.server = ServerInfo::read(info, version);
        self.version = version.clone();
    }

    /// Sends a request, and returns the result of its answer.
    pub async fn request(&mut self, method: &str, params: Value) -> Result<Value, McpError> {
        Ok(self.send(method, params, HeaderMap::new()).await?.result)
    }

    async fn send(&mut self, method: &str, mut params: Value, mut headers: HeaderMap) -> Result<Answered, McpError> {
        if !self.version.has_initialize() {
            self.add_context(method, &mut params, &mut headers);
        }
        self.last_id += 1;
        let message = json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params});
        self.connection.request(self.last_id, &message, headers).await
    }

    /// Each request of the stateless protocol says what a session would have agreed on, and names itself in its headers.
    fn add_context(&self, method: &str, params: &mut Value, headers: &mut HeaderMap) {
        let context =
            RequestMetaObject::with_client_context(self.version.clone(), client_info(), ClientCapabilities::default());
        if let Ok(Value::Object(context)) = serde_json::to_value(context) {
            let mut meta = params["_meta"].as_object().cloned().unwrap_or_default();
            meta.extend(context);
            params["_meta"] = meta.into();
        }
        headers.extend(HeaderValue::from_str(method).ok().map(|method| (METHOD, method)));
        let name = params["name"].as_str().filter(|_| method == CALL).and_then(name_header);
        headers.extend(name.map(|name| (NAME, name)));
    }

    /// The tools of the server, page by page.
    pub async fn list_page(&mut self, cursor: Option<&str>) -> Result<Map<String, Value>, McpError> {
        let params = cursor.map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}));
        match self.request("tools/list", params).await? {
            Value::Object(page) => Ok(page),
            _ => Err(McpError::InvalidAnswer("the answer to `tools/list` is no object")),
        }
    }

    pub async fn call_tool(&mut self, call: &ToolCall<'_>) -> Result<ToolResult, FailedCall> {
        let params = json!({
            "name": call.tool, "arguments": call.arguments, "_meta": {IDEMPOTENCY_META: call.idempotency_key},
        });
        let key = HeaderValue::from_str(call.idempotency_key).ok().map(|key| (IDEMPOTENCY_KEY, key));
        let headers = key.into_iter().collect();
        let Answered { result, .. } = self.send(CALL, params, headers).await.map_err(FailedCall::sent)?;
        ToolResult::read(result).map_err(FailedCall::sent)
    }

    /// Asks the server to stop the last request, whose answer nobody waits for any more.
    pub async fn cancel(&self) {
        let params = json!({"requestId": self.last_id, "reason": "the client does not wait any longer"});
        let message = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        self.connection.closing().notify(&message).await.ok();
    }

    /// Ends the session, so that the server can forget it. Servers without sessions are left alone.
    pub async fn close(&self) {
        if self.connection.headers.contains_key(&SESSION_ID) {
            self.connection.closing().delete().await.ok();
        }
    }
}

fn client_info() -> Implementation {
    Implementation::new("atelier", env!("CARGO_PKG_VERSION"))
}

/// Whether a server that refuses `initialize` may have only the stateless protocol.
fn may_be_stateless(refusal: &McpError) -> bool {
    const CODES: [ErrorCode; 4] = [
        ErrorCode::METHOD_NOT_FOUND,
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
        ErrorCode::INVALID_REQUEST,
        ErrorCode::INVALID_PARAMS,
    ];
    match refusal {
        McpError::Refused { code, .. } => i32::try_from(*code).is_ok_and(|code| CODES.contains(&ErrorCode(code))),
        McpError::Status { status, .. } => *status == StatusCode::BAD_REQUEST.as_u16(),
        McpError::UnknownVersion => true,
        _ => false,
    }
}

/// The name of a tool as a header. Names that are no plain text are encoded as the protocol says.
fn name_header(name: &str) -> Option<HeaderValue> {
    let is_plain = name.bytes().all(|c| c.is_ascii_graphic() || c == b' ') && name.trim() == name;
    match is_plain && !name.starts_with("=?base64?") {
        true => HeaderValue::from_str(name).ok(),
        false => HeaderValue::from_str(&format!("=?base64?{}?=", BASE64_STANDARD.encode(name))).ok(),
    }
}
