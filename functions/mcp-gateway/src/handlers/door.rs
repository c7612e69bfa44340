//! The door to a server: messages, streams and the ends of sessions, as the transport Streamable HTTP defines them.

use auth::ApiCaller;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{ALLOW, CACHE_CONTROL};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use domain::call_facts::CallLabels;
use domain::ledger::CallOrigin;
use domain::name::McpServerName;
use domain::{Error, Result as DomainResult};
use gateway::tools::ToolCall;
use outbound::Answer;
use platform::telemetry::carry;
use serde_json::Value;
use tracing::Instrument;
use web::gateway::{ErrorResponses, ModelCallErrors, NotFound, REQUESTS, call_tags, limit_headers};
use web::layers::request_id;
use web::{Path, RawBody, Result};

use crate::Stores;
use crate::access::OpenDoor;
use crate::answer::{Outcome, filter_tools};
use crate::caller::DoorCaller;
use crate::headers::{self, LAST_EVENT_ID, SESSION};
use crate::message::{Kind, Message};
use crate::relay::Relay;
use crate::rpc_error::RpcError;
use crate::{policy, upstream};

/// The largest JSON answer. It is read as a whole, because no client can use a part of it.
const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;

/// Send a message to an MCP server
///
/// Passes a message of the Model Context Protocol on to the server, and its answer back: JSON, or a stream of events as they arrive.
/// Point an MCP client at this URL, with the API key as its bearer token. `tools/list` shows the tools that the key may use, and a call
/// of another tool is answered with an error of JSON-RPC. A key with some tools may use no other methods, such as those of prompts and
/// resources. Batches are refused. Each call of a tool counts toward the limits of requests, costs nothing, and is in the log of calls.
#[utoipa::path(
    post, path = "/gateway/v1/mcp/{server}", tag = "mcp",
    params(("server" = String, Path, description = "The name of the server")),
    request_body(content = Object, description = "A message of JSON-RPC"),
    responses(
        (status = 200, description = "The answer of the server, or an error of JSON-RPC", body = Object),
        (status = 202, description = "The server has accepted a notification or an answer"),
        NotFound<McpServerName>, ErrorResponses, ModelCallErrors,
    ),
)]
pub async fn post_mcp_message(
    State(stores): State<Stores>,
    DoorCaller(caller): DoorCaller,
    Path(name): Path<McpServerName>,
    client: HeaderMap,
    RawBody(body): RawBody,
) -> Result<Response> {
    let door = OpenDoor::find(&stores, &caller, &name).await?;
    let read = Message::read(&body).and_then(|message| {
        policy::check(&message, &door.allowed)?;
        let headers = headers::of_message(&client, &message)?;
        let tool = match message.kind {
            Kind::ToolCall { tool } => Some(tool),
            _ => None,
        };
        Ok((headers, tool))
    });
    let (mut headers, tool) = match read {
        Ok(read) => read,
        Err(refusal) => return Ok(refusal.into_response()),
    };
    let session = stores.sessions.open(&client, door.server(), &caller).await?;
    headers.extend(session.clone().map(|id| (SESSION, id)));
    let passage = Passage { stores, door, caller, session, named_session: client.get(SESSION).cloned() };
    let Some(tool) = tool else { return Ok(passage.pass(Method::POST, headers, body).await?) };
    let labels = CallLabels { end_user: None, tags: call_tags(&client)? };
    let origin = CallOrigin { request_id: request_id(), labels, ..CallOrigin::default() };
    // The call goes on and is recorded if the client disconnects.
    let call = async move { passage.call_tool(tool, origin, headers, body).await };
    let call = tokio::spawn(carry(call.instrument(tracing::Span::current())));
    Ok(call.await.map_err(Error::internal)??)
}

/// Open a stream of an MCP server
///
/// Passes on what the server sends without being asked, or the rest of a stream that broke, after the event in `Last-Event-ID`. A
/// stream is resumed only within a session.
#[utoipa::path(
    get, path = "/gateway/v1/mcp/{server}", tag = "mcp",
    params(("server" = String, Path, description = "The name of the server")),
    responses(
        (status = 200, description = "A stream of events", content_type = "text/event-stream", body = String),
        (status = 405, description = "The server has no such streams", body = web::gateway::ErrorBody),
        NotFound<McpServerName>, ErrorResponses,
    ),
)]
pub async fn open_mcp_stream(
    State(stores): State<Stores>,
    DoorCaller(caller): DoorCaller,
    Path(name): Path<McpServerName>,
    client: HeaderMap,
) -> Result<Response> {
    let door = OpenDoor::find(&stores, &caller, &name).await?;
    pass_without_message(stores, door, caller, Method::GET, client).await
}

/// End a session of an MCP server
#[utoipa::path(
    delete, path = "/gateway/v1/mcp/{server}", tag = "mcp",
    params(("server" = String, Path, description = "The name of the server")),
    responses(
        (status = 204, description = "The session has ended"),
        (status = 405, description = "Clients cannot end sessions of this server", body = web::gateway::ErrorBody),
        NotFound<McpServerName>, ErrorResponses,
    ),
)]
pub async fn end_mcp_session(
    State(stores): State<Stores>,
    DoorCaller(caller): DoorCaller,
    Path(name): Path<McpServerName>,
    client: HeaderMap,
) -> Result<Response> {
    let door = OpenDoor::find(&stores, &caller, &name).await?;
    pass_without_message(stores, door, caller, Method::DELETE, client).await
}

async fn pass_without_message(
    stores: Stores,
    door: OpenDoor,
    caller: ApiCaller,
    method: Method,
    client: HeaderMap,
) -> Result<Response> {
    let session = stores.sessions.open(&client, door.server(), &caller).await?;
    if session.is_none() && (method == Method::DELETE || client.contains_key(LAST_EVENT_ID)) {
        // The numbers of events could be guessed, and only a session belongs to a key.
        return Ok(RpcError::invalid_request("a stream or a session is named within its session; send Mcp-Session-Id")
            .into_response());
    }
    let mut headers = headers::without_message(&client);
    headers.extend(session.clone().map(|id| (SESSION, id)));
    let passage = Passage { stores, door, caller, session, named_session: client.get(SESSION).cloned() };
    Ok(passage.pass(method, headers, Bytes::new()).await?)
}

/// A request on its way through the door.
struct Passage {
    stores: Stores,
    door: OpenDoor,
    caller: ApiCaller,
    /// The server's id of the session, and the client's.
    session: Option<HeaderValue>,
    named_session: Option<HeaderValue>,
}

impl Passage {
    /// Passes on a request that calls no tool.
    async fn pass(self, method: Method, headers: HeaderMap, body: Bytes) -> DomainResult<Response> {
        let answer = upstream::send(&self.stores, &self.door, method, headers, body).await?;
        upstream::check_status(&answer)?;
        self.respond(answer, None).await
    }

    async fn call_tool(
        self,
        tool: String,
        origin: CallOrigin,
        headers: HeaderMap,
        body: Bytes,
    ) -> DomainResult<Response> {
        let call = self.stores.tools.begin(&self.caller, origin, &self.door.server().name, &tool).await?;
        let sent = call.send(upstream::send(&self.stores, &self.door, Method::POST, headers, body)).await;
        match sent.and_then(|answer| upstream::check_status(&answer).map(|()| answer)) {
            Ok(answer) => self.respond(answer, Some(call)).await,
            Err(error) => {
                call.end_unserved(&error.code()).await;
                Err(error)
            }
        }
    }

    /// Answers the client. The call is ended, or the relay of its stream ends it.
    async fn respond(self, answer: Answer, mut call: Option<ToolCall>) -> DomainResult<Response> {
        let quota_left = call.as_ref().map(ToolCall::quota_left);
        let head = match self.head(&answer).await {
            Ok(head) => head,
            Err(error) => return end_with(call, error).await,
        };
        let status = answer.status;
        let body = if headers::media_type(&answer.headers) == "text/event-stream" && status.is_success() {
            if let Some(call) = &mut call {
                call.begin_stream();
            }
            Relay::start(self.door.allowed.clone(), call, answer.body)
        } else {
            match self.read_document(answer).await {
                Ok(document) => {
                    if let Some(call) = call {
                        let outcome = Outcome::read(&document).unwrap_or(Outcome::Failed(crate::answer::RPC_ERROR));
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
    async fn head(&self, answer: &Answer) -> DomainResult<HeaderMap> {
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
    async fn read_document(&self, answer: Answer) -> DomainResult<String> {
        let Answer { status, headers, body } = answer;
        let body = body.read_to_end(MAX_ANSWER_BYTES).await.map_err(|error| upstream::unserved(&error))?;
        if body.trim_ascii().is_empty() {
            return match status.as_u16() {
                404 if self.session.is_some() => Err(Error::NotFound { kind: "MCP session" }),
                405 => Err(Error::MethodNotAllowed),
                status if status >= 400 => {
                    Err(upstream::failed(&format!("the MCP server answered with status {status}")))
                }
                _ => Ok(String::new()),
            };
        }
        let text = String::from_utf8(body.into()).ok().filter(|text| is_message(text));
        match text {
            Some(text) if headers::media_type(&headers) == "application/json" => {
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
            _ => Err(upstream::invalid_answer("its body is neither a message in JSON nor a stream of events")),
        }
    }
}

/// Ends a call whose answer cannot be passed on. It has reached its server, so it counts.
async fn end_with(call: Option<ToolCall>, error: Error) -> DomainResult<Response> {
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
