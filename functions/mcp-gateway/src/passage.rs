//! A request on its way through the door, and the answer on its way back.

use auth::ApiCaller;
use axum::body::Body;
use axum::http::header::{ALLOW, CACHE_CONTROL};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::ledger::CallOrigin;
use domain::{Error, Result, media_type};
use gateway::tools::{Called, ToolCall};
use outbound::Answer;
use serde_json::Value;
use serde_json::value::RawValue;
use web::gateway::{REQUESTS, limit_headers};

use crate::Stores;
use crate::access::OpenDoor;
use crate::answer::{Outcome, RPC_ERROR, filter_tools};
use crate::headers::{self, SESSION};
use crate::relay::Relay;
use crate::rpc_error::RpcError;
use crate::upstream::{self, Authorization, Outgoing, SendError};

/// The largest JSON answer. It is read as a whole, because no client can use a part of it.
const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;
/// The user has not connected an account, or must connect it again.
const NOT_CONNECTED: &str = "mcp_connection_missing";

pub struct Passage {
    pub stores: Stores,
    pub door: OpenDoor,
    pub caller: ApiCaller,
    /// The server's id of the session, and the client's.
    pub session: Option<HeaderValue>,
    pub named_session: Option<HeaderValue>,
    /// The id of the message, if it expects an answer.
    pub id: Option<Box<RawValue>>,
    pub request_id: String,
    /// Where authorization servers send browsers to.
    pub base_url: Option<String>,
}

impl Passage {
    /// Passes on a message that is no call.
    pub async fn pass(self, outgoing: Outgoing) -> Result<Response> {
        match self.send(outgoing).await {
            Ok(answer) => match upstream::check_status(&answer) {
                Ok(()) => self.respond(answer, None).await,
                Err(error) => Err(error),
            },
            Err(SendError::NotConnected) => self.ask_to_connect().await,
            Err(SendError::Other(error)) => Err(error),
        }
    }

    async fn send(&self, outgoing: Outgoing) -> std::result::Result<Answer, SendError> {
        let authorization = Authorization::find(&self.stores, &self.door, &self.caller).await?;
        upstream::send(&self.stores, &self.door, authorization, outgoing).await
    }

    /// Passes on a call of a tool or of another method. It takes a request of the limits, and is in the log of calls.
    pub async fn call(self, called: Called, origin: CallOrigin, outgoing: Outgoing) -> Result<Response> {
        let authorization = match Authorization::find(&self.stores, &self.door, &self.caller).await {
            Ok(authorization) => authorization,
            Err(SendError::NotConnected) => return self.ask_to_connect().await,
            Err(SendError::Other(error)) => return Err(error),
        };
        let call = self.stores.tools.begin(&self.caller, origin, &self.door.server().name, &called).await?;
        match call.send(upstream::send(&self.stores, &self.door, authorization, outgoing)).await {
            Ok(answer) => match upstream::check_status(&answer) {
                Ok(()) => self.respond(answer, Some(call)).await,
                Err(error) if is_unserved(answer.status) => {
                    call.end_unserved(&error.code()).await;
                    Err(error)
                }
                Err(error) => end_with(Some(call), error).await,
            },
            Err(SendError::NotConnected) => {
                call.end_unserved(NOT_CONNECTED).await;
                self.ask_to_connect().await
            }
            Err(SendError::Other(error)) => {
                call.end_unserved(&error.code()).await;
                Err(error)
            }
        }
    }

    /// Answers with the URL at which the user connects an account.
    async fn ask_to_connect(&self) -> Result<Response> {
        let name = &self.door.server().name;
        let url = self.connect_url().await?;
        let message = match &url {
            Some(url) => format!("connect your account of the MCP server {name} first: open {url} in your browser"),
            None => {
                format!("connect your account of the MCP server {name} first, with POST /gateway/v1/mcp/{name}/connect")
            }
        };
        match &self.id {
            Some(id) => {
                let url = url.as_deref().map(|url| (&*self.request_id, url));
                Ok(RpcError::connection_needed(&message, url).answering(Some(id)).into_response())
            }
            None => Err(Error::Forbidden { code: NOT_CONNECTED, message }),
        }
    }

    /// `None` if the authorization server cannot be used now. The route to connect says why.
    async fn connect_url(&self) -> Result<Option<String>> {
        let Some(base_url) = &self.base_url else { return Ok(None) };
        let secret = self.stores.servers.open(&self.door.stored).await?;
        let secret = secret.as_ref().map(|secret| secret.as_str());
        let (user, now) = (&self.caller.caller.identity.user, self.stores.clock.now());
        let begun = self.stores.oauth.begin(self.door.server(), secret, user, base_url, now).await?;
        Ok(begun.ok().map(|beginning| beginning.authorize_url))
    }

    /// Answers the client. The call is ended, or the relay of its stream ends it.
    async fn respond(self, answer: Answer, mut call: Option<ToolCall>) -> Result<Response> {
        let quota_left = call.as_ref().map(ToolCall::quota_left);
        let head = match self.head(&answer).await {
            Ok(head) => head,
            Err(error) => return end_with(call, error).await,
        };
        let status = answer.status;
        let body = if media_type::of_headers(&answer.headers) == "text/event-stream" && status.is_success() {
            if let Some(call) = &mut call {
                call.begin_stream();
            }
            Relay::start(self.door.allowed.clone(), call, answer.body)
        } else {
            match self.read_document(answer).await {
                Ok(document) => {
                    if let Some(call) = call {
                        let outcome = Outcome::read(&document).unwrap_or(Outcome::Failed(RPC_ERROR));
                        call.end(outcome.error()).await?;
                    }
                    Body::from(document)
                }
                Err(error) => return end_with(call, error).await,
            }
        };
        let mut response = (status, head, body).into_response();
        if let Some(left) = quota_left.and_then(|left| left.requests) {
            let values = [left.limit, left.remaining, left.resets_at.unsigned_abs()];
            limit_headers(response.headers_mut(), REQUESTS, values);
        }
        Ok(response)
    }

    /// The headers for the client, with its session.
    async fn head(&self, answer: &Answer) -> Result<HeaderMap> {
        let mut head = headers::of_answer(&answer.headers);
        head.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if answer.status == StatusCode::METHOD_NOT_ALLOWED {
            head.insert(ALLOW, HeaderValue::from_static("POST"));
        }
        if let Some(id) = answer.headers.get(SESSION) {
            let named = self.named_session.clone().filter(|_| self.session.as_ref() == Some(id));
            let sealed = match named {
                Some(named) => named,
                None => self.stores.sessions.seal(id, self.door.server(), &self.caller).await?,
            };
            head.insert(SESSION, sealed);
        }
        Ok(head)
    }

    /// Reads an answer that is not a stream: a document without forbidden tools, or nothing.
    async fn read_document(&self, answer: Answer) -> Result<String> {
        let Answer { status, headers, body, .. } = answer;
        let body = body.read_to_end(MAX_ANSWER_BYTES).await.map_err(|error| upstream::unserved(&error))?;
        let is_empty = body.trim_ascii().is_empty();
        let text = String::from_utf8(body.into()).ok().filter(|text| is_message(text));
        match text {
            Some(text) if media_type::of_headers(&headers) == "application/json" => {
                let filtered = filter_tools(&text, &self.door.allowed);
                let filtered = filtered.map_err(|_| upstream::invalid_answer("its JSON is malformed"))?;
                Ok(filtered.unwrap_or(text))
            }
            // Error pages of proxies are not for the client.
            _ if status == StatusCode::METHOD_NOT_ALLOWED => Err(Error::MethodNotAllowed),
            _ if status == StatusCode::NOT_FOUND && self.session.is_some() => {
                Err(Error::NotFound { kind: "MCP session" })
            }
            _ if !status.is_success() => {
                Err(upstream::failed(&format!("the MCP server answered with status {}", status.as_u16())))
            }
            _ if is_empty => Ok(String::new()),
            _ => Err(upstream::invalid_answer("its body is neither a message in JSON nor a stream of events")),
        }
    }
}

/// Whether a server says that it has not carried out a call. After other errors, it may have, so the call counts.
fn is_unserved(status: StatusCode) -> bool {
    matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::BAD_GATEWAY | StatusCode::SERVICE_UNAVAILABLE)
}

/// Ends a call whose answer cannot be passed on. It has reached its server, so it counts.
async fn end_with(call: Option<ToolCall>, error: Error) -> Result<Response> {
    if let Some(call) = call {
        call.end(Some(&error.code())).await?;
    }
    Err(error)
}

/// Whether a text is a message of JSON-RPC, or a batch of them.
fn is_message(text: &str) -> bool {
    match serde_json::from_str(text) {
        Ok(Value::Object(message)) => message.contains_key("jsonrpc"),
        Ok(Value::Array(batch)) => batch.iter().all(|message| message.get("jsonrpc").is_some()),
        _ => false,
    }
}
