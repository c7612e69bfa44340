//! A server of the Model Context Protocol over Streamable HTTP, which behaves as a test wants. It shares no code with the
//! client of the platform.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use axum::routing::post;
use bytes::Bytes;
use futures::{StreamExt, stream};
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;

/// A pixel.
pub const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";
const SESSION_ID: &str = "mcp-session-id";

/// How the server behaves.
#[derive(Clone, Debug, Default)]
pub struct Manner {
    pub tools: Vec<Value>,
    /// The number of tools of a page; all, if it is 0.
    pub page_size: usize,
    /// Every request needs this bearer token.
    pub token: Option<String>,
    /// It answers with event streams instead of JSON.
    pub streams: bool,
    /// It has no sessions.
    pub is_sessionless: bool,
    /// It has only the stateless protocol of 2026-07-28.
    pub is_stateless: bool,
    /// It forgets its sessions before the next calls of tools, this many times.
    pub forgotten: usize,
    /// It answers everything with this status, and the header `location`.
    pub redirect: Option<(u16, String)>,
    /// It answers calls of tools with this status.
    pub call_status: Option<u16>,
}

/// A call of a tool that arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceivedCall {
    pub tool: String,
    pub arguments: Value,
    pub idempotency_key: Option<String>,
    pub authorization: Option<String>,
}

#[derive(Default)]
struct Seen {
    methods: Vec<String>,
    calls: Vec<ReceivedCall>,
    authorizations: BTreeSet<Option<String>>,
    sessions: BTreeSet<String>,
    next_session: usize,
    replies: Vec<Value>,
}

struct Shared {
    manner: Mutex<Manner>,
    seen: Mutex<Seen>,
    /// The number of methods so far.
    count: watch::Sender<usize>,
}

#[derive(Clone)]
pub struct McpServer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

/// A tool without arguments.
pub fn tool(name: &str) -> Value {
    json!({"name": name, "description": format!("Does {name}."), "inputSchema": {"type": "object"}})
}

impl McpServer {
    pub async fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("this machine has ports");
        let address = listener.local_addr().expect("it is bound");
        let shared = Shared { manner: Mutex::new(manner), seen: Mutex::default(), count: watch::Sender::new(0) };
        let shared = Arc::new(shared);
        let router =
            Router::new().route("/mcp", post(receive).get(resume).delete(end_session)).with_state(shared.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { address, shared }
    }

    /// A server with tools that do what their names say: see `call`.
    pub async fn with_tools(names: &[&str]) -> Self {
        Self::start(Manner { tools: names.iter().map(|name| tool(name)).collect(), ..Manner::default() }).await
    }

    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// Changes how the server behaves from now on.
    pub fn change(&self, change: impl FnOnce(&mut Manner)) {
        change(&mut lock(&self.shared.manner));
    }

    /// The methods of the messages so far; `DELETE` for the end of a session, `GET` for a resumed stream.
    pub fn methods(&self) -> Vec<String> {
        lock(&self.shared.seen).methods.clone()
    }

    /// Waits for a message.
    pub async fn wait_for(&self, method: &str) {
        let mut count = self.shared.count.subscribe();
        let has_it = |_: &usize| self.methods().iter().any(|seen| seen == method);
        count.wait_for(has_it).await.expect("the server is there");
    }

    pub fn calls(&self) -> Vec<ReceivedCall> {
        lock(&self.shared.seen).calls.clone()
    }

    /// The header `authorization` of all requests.
    pub fn authorizations(&self) -> BTreeSet<Option<String>> {
        lock(&self.shared.seen).authorizations.clone()
    }

    pub fn open_sessions(&self) -> usize {
        lock(&self.shared.seen).sessions.len()
    }

    /// The answers of the client to requests of the server.
    pub fn replies(&self) -> Vec<Value> {
        lock(&self.shared.seen).replies.clone()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

type Server = State<Arc<Shared>>;

fn note(shared: &Shared, method: &str, headers: &HeaderMap) {
    let authorization = text_of(headers, "authorization");
    let mut seen = lock(&shared.seen);
    seen.methods.push(method.to_owned());
    seen.authorizations.insert(authorization);
    drop(seen);
    shared.count.send_modify(|count| *count += 1);
}

fn text_of(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

fn respond(status: u16, headers: &[(&str, &str)], body: Body) -> Response {
    let mut response = Response::builder().status(status);
    for (name, value) in headers {
        response = response.header(*name, *value);
    }
    response.body(body).expect("the response is valid")
}

fn empty(status: StatusCode) -> Response {
    respond(status.as_u16(), &[], Body::empty())
}

async fn receive(State(shared): Server, headers: HeaderMap, body: Bytes) -> Response {
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    let method = message["method"].as_str().unwrap_or("reply").to_owned();
    note(&shared, &method, &headers);
    let manner = lock(&shared.manner).clone();
    if let Some((status, location)) = &manner.redirect {
        return respond(*status, &[("location", location)], Body::empty());
    }
    if let Some(token) = &manner.token
        && text_of(&headers, "authorization") != Some(format!("Bearer {token}"))
    {
        return empty(StatusCode::UNAUTHORIZED);
    }
    if method == "reply" {
        lock(&shared.seen).replies.push(message);
        return empty(StatusCode::ACCEPTED);
    }
    let id = message["id"].clone();
    if manner.is_stateless && method == "initialize" {
        let error = json!({"code": -32022, "message": "Unsupported protocol version"});
        return json_response(400, &json!({"jsonrpc": "2.0", "id": id, "error": error}), None);
    }
    let has_sessions = !manner.is_sessionless && !manner.is_stateless;
    if has_sessions && method != "initialize" {
        if method == "tools/call" && manner.forgotten > 0 {
            lock(&shared.manner).forgotten -= 1;
            lock(&shared.seen).sessions.clear();
        }
        let is_known = text_of(&headers, SESSION_ID).is_some_and(|id| lock(&shared.seen).sessions.contains(&id));
        if !is_known {
            return empty(StatusCode::NOT_FOUND);
        }
    }
    if id.is_null() {
        return empty(StatusCode::ACCEPTED);
    }
    let result = match method.as_str() {
        "initialize" => {
            let session = has_sessions.then(|| {
                let mut seen = lock(&shared.seen);
                seen.next_session += 1;
                let session = format!("session-{}", seen.next_session);
                seen.sessions.insert(session.clone());
                session
            });
            let result = json!({
                "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "test", "version": "1.2"},
            });
            return answer(&manner, &id, &result, session.as_deref());
        }
        "server/discover" => json!({
            "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
            "ttlMs": 0, "cacheScope": "private",
            "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "test", "version": "1.2"}},
        }),
        "tools/list" => page(&manner, &message["params"]["cursor"]),
        "tools/call" => {
            let params = &message["params"];
            lock(&shared.seen).calls.push(ReceivedCall {
                tool: params["name"].as_str().unwrap_or_default().to_owned(),
                arguments: params["arguments"].clone(),
                idempotency_key: text_of(&headers, "idempotency-key"),
                authorization: text_of(&headers, "authorization"),
            });
            if let Some(status) = manner.call_status {
                return respond(status, &[], Body::empty());
            }
            return call(&manner, &id, params).await;
        }
        _ => {
            let error = json!({"code": -32601, "message": "Method not found"});
            return json_response(200, &json!({"jsonrpc": "2.0", "id": id, "error": error}), None);
        }
    };
    answer(&manner, &id, &result, None)
}

fn page(manner: &Manner, cursor: &Value) -> Value {
    let first: usize = cursor.as_str().and_then(|cursor| cursor.parse().ok()).unwrap_or_default();
    let size = if manner.page_size == 0 { manner.tools.len() } else { manner.page_size };
    let tools: Vec<_> = manner.tools.iter().skip(first).take(size).collect();
    let mut page = json!({"tools": tools});
    if first + size < manner.tools.len() {
        page["nextCursor"] = (first + size).to_string().into();
    }
    page
}

/// Does what the name of the tool says.
async fn call(manner: &Manner, id: &Value, params: &Value) -> Response {
    let name = params["name"].as_str().unwrap_or_default();
    let text = |text: &str| json!({"type": "text", "text": text});
    let is_listed = manner.tools.iter().any(|tool| tool["name"] == name);
    let result = match name {
        _ if !is_listed => {
            let error = json!({"code": -32602, "message": format!("Unknown tool: {name}")});
            return json_response(200, &json!({"jsonrpc": "2.0", "id": id, "error": error}), None);
        }
        "picture" => json!({"content": [
            text("A pixel."), {"type": "image", "data": PNG, "mimeType": "image/png"},
            {"type": "resource", "resource": {"uri": "file:///notes.txt", "mimeType": "text/plain", "text": "A note."}},
        ]}),
        "fail" => json!({"content": [text("The shop is closed.")], "isError": true}),
        "huge" => json!({"content": [text(&"x".repeat(2 * 1024 * 1024))]}),
        "refuse" => {
            let error = json!({"code": -32603, "message": "Internal error"});
            return json_response(200, &json!({"jsonrpc": "2.0", "id": id, "error": error}), None);
        }
        "ask" => json!({"resultType": "input_required", "content": []}),
        "silent" => {
            let never = stream::pending::<Result<Bytes, Infallible>>();
            return respond(200, &[("content-type", "text/event-stream")], Body::from_stream(never));
        }
        // It does the work, and dies before it answers.
        "die" => return events(&[": working\n\n".to_owned()], true),
        // The server closes the stream before its answer, which it sends when the stream is resumed.
        "break" => return events(&[format!("id: {id}\nretry: 1\ndata:\n\n")], false),
        "busy" => {
            let progress = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": 1}});
            let ping = json!({"jsonrpc": "2.0", "id": "s1", "method": "ping"});
            let sample = json!({"jsonrpc": "2.0", "id": "s2", "method": "sampling/createMessage", "params": {}});
            let answer = json!({"jsonrpc": "2.0", "id": id, "result": {"content": [text("Done.")]}});
            return events(&[event(&progress), event(&ping), event(&sample), event(&answer)], false);
        }
        _ => json!({
            "content": [text(&params["arguments"].to_string())], "structuredContent": {"arguments": params["arguments"]},
        }),
    };
    answer(manner, id, &result, None)
}

fn answer(manner: &Manner, id: &Value, result: &Value, session: Option<&str>) -> Response {
    let message = json!({"jsonrpc": "2.0", "id": id, "result": result});
    match manner.streams {
        false => json_response(200, &message, session),
        true => {
            let mut response = events(&[event(&message)], false);
            if let Some(session) = session {
                response.headers_mut().insert(SESSION_ID, session.parse().expect("the session is a header"));
            }
            response
        }
    }
}

fn json_response(status: u16, message: &Value, session: Option<&str>) -> Response {
    let mut headers = vec![("content-type", "application/json")];
    headers.extend(session.map(|session| (SESSION_ID, session)));
    respond(status, &headers, Body::from(message.to_string()))
}

fn event(message: &Value) -> String {
    format!("event: message\ndata: {message}\n\n")
}

/// A stream of these events, after which the connection breaks or ends.
fn events(events: &[String], breaks: bool) -> Response {
    let pieces = events.iter().map(|event| Ok(Bytes::from(event.clone()))).collect::<Vec<_>>();
    let end = breaks.then(|| Err(io::Error::other("the server dies")));
    let body = stream::iter(pieces).chain(stream::iter(end));
    respond(200, &[("content-type", "text/event-stream")], Body::from_stream(body))
}

/// The rest of a stream. The id of its last event is that of the request.
async fn resume(State(shared): Server, headers: HeaderMap) -> Response {
    note(&shared, "GET", &headers);
    let id: Value = text_of(&headers, "last-event-id").and_then(|id| id.parse().ok()).unwrap_or_default();
    if id.is_null() {
        return empty(StatusCode::METHOD_NOT_ALLOWED);
    }
    let result = json!({"content": [{"type": "text", "text": "Resumed."}]});
    events(&[event(&json!({"jsonrpc": "2.0", "id": id, "result": result}))], false)
}

async fn end_session(State(shared): Server, headers: HeaderMap) -> Response {
    note(&shared, "DELETE", &headers);
    let session = text_of(&headers, SESSION_ID).unwrap_or_default();
    let is_known = lock(&shared.seen).sessions.remove(&session);
    empty(if is_known { StatusCode::NO_CONTENT } else { StatusCode::NOT_FOUND })
}
