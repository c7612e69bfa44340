//! The door to a server: messages, streams and the ends of sessions, as the transport Streamable HTTP defines them.

use auth::ApiCaller;
use axum::extract::State;
use axum::http::{HeaderMap, Method};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use domain::Error;
use domain::call_facts::CallLabels;
use domain::ledger::CallOrigin;
use domain::name::McpServerName;
use gateway::tools::Called;
use platform::telemetry::carry;
use tracing::Instrument;
use web::base_url::BaseUrl;
use web::gateway::{ErrorResponses, ModelCallErrors, NotFound, call_tags};
use web::layers::request_id;
use web::{Path, RawBody, Result};

use crate::Stores;
use crate::access::OpenDoor;
use crate::caller::DoorCaller;
use crate::dto::ServerErrors;
use crate::headers::{self, LAST_EVENT_ID, SESSION};
use crate::message::{Kind, Message};
use crate::passage::Passage;
use crate::policy;
use crate::rpc_error::RpcError;
use crate::upstream::Outgoing;

/// Send a message to an MCP server
///
/// Passes a message of the Model Context Protocol on to the server, and its answer back: JSON, or a stream of events as they arrive.
/// Point an MCP client at this URL, with the API key as its bearer token. `tools/list` shows the tools that the key may use, and a call
/// of another tool is answered with an error of JSON-RPC. A key with some tools may use no other methods, such as those of prompts and
/// resources. Batches are refused. Each call of a tool or of such a method counts toward the limits of requests, costs nothing, and is in
/// the log of calls.
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
    BaseUrl(base_url): BaseUrl,
    client: HeaderMap,
    RawBody(body): RawBody,
) -> Result<Response> {
    let door = OpenDoor::find(&stores, &caller, &name).await?;
    let read = Message::read(&body).and_then(|message| {
        policy::check(&message, &door.allowed)?;
        let headers = headers::of_message(&client, &message)?;
        let (called, expects_answer) = match message.kind {
            Kind::ToolCall { tool } => (Some(Called::Tool(tool)), true),
            Kind::Request { method } => {
                (policy::is_counted(&method).then(|| Called::Method(method.into_owned())), true)
            }
            Kind::Notification { .. } | Kind::Response => (None, false),
        };
        Ok((headers, called, message.id.filter(|_| expects_answer).map(ToOwned::to_owned)))
    });
    let (mut headers, called, id) = match read {
        Ok(read) => read,
        Err(refusal) => return Ok(refusal.into_response()),
    };
    let session = stores.sessions.open(&client, door.server(), &caller).await?;
    headers.extend(session.clone().map(|id| (SESSION, id)));
    let outgoing = Outgoing { method: Method::POST, headers, body };
    let named_session = client.get(SESSION).cloned();
    let passage = Passage { stores, door, caller, session, named_session, id, request_id: request_id(), base_url };
    let Some(called) = called else { return Ok(passage.pass(outgoing).await?) };
    let labels = CallLabels { end_user: None, tags: call_tags(&client)? };
    let origin = CallOrigin { request_id: request_id(), labels, ..CallOrigin::default() };
    // The call goes on and is recorded if the client disconnects.
    let call = async move { passage.call(called, origin, outgoing).await };
    let call = tokio::spawn(carry(call.instrument(tracing::Span::current())));
    Ok(call.await.map_err(Error::internal)??)
}

/// Open a stream of an MCP server
///
/// Passes on what the server sends without being asked, or the rest of a stream that broke, after the event in `Last-Event-ID`. A stream is
/// resumed only within a session. MCP clients do this by themselves. Servers without such streams answer with the status 405.
#[utoipa::path(
    get, path = "/gateway/v1/mcp/{server}", tag = "mcp",
    params(
        ("server" = String, Path, description = "The name of the server"),
        ("Mcp-Session-Id" = Option<String>, Header, description = "The session, as the answer to `initialize` names it"),
        ("Last-Event-ID" = Option<String>, Header, description = "The last event that the client has"),
    ),
    responses(
        (status = 200, description = "Messages of JSON-RPC, as server-sent events", body = String, content_type = "text/event-stream"),
        NotFound<McpServerName>, ErrorResponses, ServerErrors,
    ),
)]
pub async fn open_mcp_stream(
    State(stores): State<Stores>,
    DoorCaller(caller): DoorCaller,
    Path(name): Path<McpServerName>,
    client: HeaderMap,
) -> Result<Response> {
    pass_without_message(stores, caller, &name, Method::GET, client).await
}

/// End a session of an MCP server
#[utoipa::path(
    delete, path = "/gateway/v1/mcp/{server}", tag = "mcp",
    params(
        ("server" = String, Path, description = "The name of the server"),
        ("Mcp-Session-Id" = String, Header, description = "The session, as the answer to `initialize` names it"),
    ),
    responses(
        (status = 204, description = "The session has ended"),
        NotFound<McpServerName>, ErrorResponses, ServerErrors,
    ),
)]
pub async fn end_mcp_session(
    State(stores): State<Stores>,
    DoorCaller(caller): DoorCaller,
    Path(name): Path<McpServerName>,
    client: HeaderMap,
) -> Result<Response> {
    pass_without_message(stores, caller, &name, Method::DELETE, client).await
}

async fn pass_without_message(
    stores: Stores,
    caller: ApiCaller,
    name: &McpServerName,
    method: Method,
    client: HeaderMap,
) -> Result<Response> {
    let door = OpenDoor::find(&stores, &caller, name).await?;
    let session = stores.sessions.open(&client, door.server(), &caller).await?;
    if session.is_none() && (method == Method::DELETE || client.contains_key(LAST_EVENT_ID)) {
        // The numbers of events could be guessed, and only a session belongs to a key.
        return Ok(RpcError::invalid_request("a stream or a session is named within its session; send Mcp-Session-Id")
            .into_response());
    }
    let mut headers = headers::without_message(&client);
    headers.extend(session.clone().map(|id| (SESSION, id)));
    let named_session = client.get(SESSION).cloned();
    let (id, request_id, base_url) = (None, request_id(), None);
    let passage = Passage { stores, door, caller, session, named_session, id, request_id, base_url };
    Ok(passage.pass(Outgoing { method, headers, body: Bytes::new() }).await?)
}
