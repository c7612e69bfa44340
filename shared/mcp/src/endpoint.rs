//! One MCP server at one path.

use std::sync::Arc;
use std::time::Duration;

use auth::Caller;
use axum::body::{Body, Bytes};
use axum::response::{IntoResponse, Response};
use domain::id::{AssistantSessionId, Id};
use domain::run::AssistantClient;
use domain::{Error, Result};
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, Request, StatusCode};
use platform::Context;
use rmcp::ServerHandler;
use rmcp::model::{ProgressToken, RequestId};
use rmcp::transport::streamable_http_server::session::EventStore;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use store::AssistantSessions;
use store::assistant_sessions::AssistantSession;
use web::MAX_BODY_BYTES;
use web::origin::AllowedOrigins;

use crate::message::{CALL_TOOL, INITIALIZE, MessageHead};
use crate::request::McpRequest;

const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
/// How long a client waits before it resumes a stream.
const RECONNECT_AFTER: Duration = Duration::from_millis(500);
const HEARTBEAT: Duration = Duration::from_secs(15);

/// Who makes a request, and what is known of it before it is read.
#[derive(Clone, Debug)]
pub struct Assistant {
    pub client: AssistantClient,
    /// The session, in versions of the protocol that have one.
    pub session: Option<AssistantSessionId>,
    pub request: Option<RequestId>,
    pub progress_token: Option<ProgressToken>,
}

/// What a server offers. It is built for each request.
pub trait Server: ServerHandler + Clone {
    /// Cancels a call of the same session.
    fn cancel(&self, _request: &RequestId) -> impl Future<Output = Result<()>> + Send {
        async { Ok(()) }
    }

    /// Names the events of the streams of calls, and continues such a stream.
    fn events(&self) -> Option<Arc<dyn EventStore>> {
        None
    }
}

#[derive(Clone)]
pub struct Endpoint {
    /// The name of the server in the stored sessions.
    server: &'static str,
    sessions: AssistantSessions,
    origins: AllowedOrigins,
}

impl Endpoint {
    pub fn new(context: &Context, server: &'static str) -> Result<Self> {
        let origins = AllowedOrigins::from_config(&context.config);
        Ok(Self { server, sessions: AssistantSessions::new(context)?, origins })
    }

    /// Answers a request of an authenticated caller.
    pub async fn serve<S: Server>(
        &self,
        caller: &Caller,
        McpRequest { base_url, parts, message }: McpRequest,
        build: impl FnOnce(Assistant) -> S,
    ) -> Result<Response> {
        self.origins.check(&parts.headers, base_url.as_deref())?;
        let head = match parts.method {
            Method::POST => MessageHead::read(&message),
            _ => Some(MessageHead::default()),
        };
        let Some(head) = head else {
            let problem = "the body is not a message of JSON-RPC; send one object in JSON, with `jsonrpc` and `method`";
            return Ok(refuse(StatusCode::BAD_REQUEST, problem));
        };
        let needs_session = head.method != INITIALIZE && head.has_session(&parts.headers);
        let session = match self.find_session(caller, &parts, needs_session).await? {
            Found::Session(session) => Some(session),
            Found::NotNeeded => None,
            Found::Refused(response) => return Ok(response),
        };
        if parts.method == Method::DELETE {
            return self.close(session).await;
        }
        let known = session.as_ref().map(|session| session.client.clone());
        let server = build(Assistant {
            client: known.unwrap_or_else(|| head.client()),
            session: session.as_ref().map(|session| session.id),
            request: head.id.clone(),
            progress_token: head.progress_token(),
        });
        if let (Some(_), Some(request)) = (&session, head.cancelled()) {
            server.cancel(request).await?;
            return Ok(StatusCode::ACCEPTED.into_response());
        }
        let opens_session = head.opens_session(&message);
        let mut response = answer(server, head.method == CALL_TOOL, parts, message).await;
        if opens_session && response.status().is_success() {
            let session = self.sessions.open(caller.account(), self.server, head.client()).await?;
            let id = HeaderValue::try_from(session.id.to_string()).map_err(Error::internal)?;
            response.headers_mut().insert(SESSION_ID, id);
        }
        Ok(response)
    }

    async fn find_session(&self, caller: &Caller, parts: &Parts, is_needed: bool) -> Result<Found> {
        if !is_needed {
            return Ok(Found::NotNeeded);
        }
        let Some(id) = parts.headers.get(SESSION_ID) else {
            let message = "send the header Mcp-Session-Id that the answer to initialize has";
            return Ok(Found::Refused(refuse(StatusCode::BAD_REQUEST, message)));
        };
        let id = id.to_str().ok().and_then(|id| id.parse().ok());
        let session = match id {
            Some(id) => self.sessions.find(caller.account(), self.server, id).await?,
            None => None,
        };
        // By the protocol, a client opens a new session then.
        let message = "there is no such session; initialize a new one";
        Ok(session.map_or_else(|| Found::Refused(refuse(StatusCode::NOT_FOUND, message)), Found::Session))
    }

    async fn close(&self, session: Option<AssistantSession>) -> Result<Response> {
        let session = session.ok_or(Error::NotFound { kind: AssistantSessionId::KIND })?;
        self.sessions.close(session.id).await?;
        Ok(StatusCode::NO_CONTENT.into_response())
    }
}

enum Found {
    Session(AssistantSession),
    /// The request opens a session, or belongs to a version of the protocol without sessions.
    NotNeeded,
    Refused(Response),
}

/// The refusal of a request by the rules of the protocol: an error of JSON-RPC that belongs to no request.
fn refuse(status: StatusCode, message: &str) -> Response {
    let error = serde_json::json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32_600, "message": message}});
    (status, axum::Json(error)).into_response()
}

/// Lets the SDK answer a request. Only calls of tools are streams: they may take long, and report their progress.
async fn answer<S: Server>(server: S, is_call: bool, parts: Parts, message: Bytes) -> Response {
    let sessions = match server.events() {
        Some(events) => NeverSessionManager::default().with_event_store(events),
        None => NeverSessionManager::default(),
    };
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(!is_call)
        .with_sse_retry(Some(RECONNECT_AFTER))
        .with_sse_keep_alive(Some(HEARTBEAT))
        .with_max_request_body_bytes(MAX_BODY_BYTES)
        // The platform has several host names. Tokens and `Origin` are checked instead.
        .disable_allowed_hosts();
    let service = StreamableHttpService::new(move || Ok(server.clone()), Arc::new(sessions), config);
    let request = Request::from_parts(parts, Body::from(message));
    service.handle(request).await.map(Body::new)
}
