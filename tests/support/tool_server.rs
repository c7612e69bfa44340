//! A small MCP server over Streamable HTTP: sessions, JSON and streamed answers, streams that clients resume, and access tokens.
//! It records the requests that it receives.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures::stream;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::provider::Gate;

/// The server runs as long as the runtime it was started in.
pub struct ToolServer {
    /// The URL of its transport.
    pub url: String,
    pub origin: String,
    server: Arc<Server>,
}

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct Received {
    pub method: Method,
    pub headers: HeaderMap,
    pub body: Value,
}

#[derive(Default)]
struct Server {
    tools: Mutex<Vec<String>>,
    requests: Mutex<Vec<Received>>,
    sessions: AtomicUsize,
    ended: Mutex<BTreeSet<String>>,
    /// Whether lists are streams of events.
    streams_lists: AtomicBool,
    /// Whether the tool `steps` closes its stream after the first event, so that its client must resume it.
    breaks_streams: AtomicBool,
    /// Holds back the events of the tool `steps`.
    gate: Mutex<Option<Gate>>,
    /// The access tokens that it accepts. Without this list, it accepts all requests.
    tokens: Mutex<Option<BTreeSet<String>>>,
    /// Answers that are given instead of its own.
    responses: Mutex<Vec<(StatusCode, String, String)>>,
    /// The metadata of the protected resource.
    metadata: Mutex<BTreeMap<String, Value>>,
}

impl ToolServer {
    pub async fn start(tools: &[&str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let server = Arc::new(Server::default());
        *server.tools.lock().unwrap() = tools.iter().map(ToString::to_string).collect();
        let router = Router::new().fallback(answer).with_state(server.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { url: format!("{origin}/mcp"), origin, server }
    }

    /// Takes the requests received since the last call.
    pub fn take_requests(&self) -> Vec<Received> {
        std::mem::take(&mut self.server.requests.lock().unwrap())
    }

    pub fn stream_lists(&self) {
        self.server.streams_lists.store(true, Ordering::SeqCst);
    }

    pub fn break_streams(&self) {
        self.server.breaks_streams.store(true, Ordering::SeqCst);
    }

    pub fn hold_events(&self, gate: &Gate) {
        *self.server.gate.lock().unwrap() = Some(gate.clone());
    }

    /// Accepts only requests with one of these access tokens.
    pub fn accept_tokens(&self, tokens: &[&str]) {
        *self.server.tokens.lock().unwrap() = Some(tokens.iter().map(ToString::to_string).collect());
    }

    /// Answers the next request like this.
    pub fn respond_once(&self, status: u16, content_type: &str, body: impl ToString) {
        let response = (StatusCode::from_u16(status).unwrap(), content_type.to_owned(), body.to_string());
        self.server.responses.lock().unwrap().push(response);
    }

    /// Serves a document of metadata at a path.
    pub fn serve_document(&self, path: &str, document: Value) {
        self.server.metadata.lock().unwrap().insert(path.to_owned(), document);
    }
}

async fn answer(State(server): State<Arc<Server>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    if let Some(document) = server.metadata.lock().unwrap().get(parts.uri.path()) {
        return axum::Json(document.clone()).into_response();
    }
    if parts.uri.path() != "/mcp" {
        return StatusCode::NOT_FOUND.into_response();
    }
    let body: Bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    let message: Value = serde_json::from_slice(&body).unwrap_or_default();
    let received = Received { method: parts.method.clone(), headers: parts.headers.clone(), body: message.clone() };
    server.requests.lock().unwrap().push(received);
    if let Some((status, content_type, body)) = server.responses.lock().unwrap().pop() {
        return (
            status,
            [(header::CONTENT_TYPE, content_type), (header::LOCATION, "http://127.0.0.1:1/".to_owned())],
            body,
        )
            .into_response();
    }
    let text =
        |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let is_accepted = |tokens: &BTreeSet<String>| {
        text("authorization").strip_prefix("Bearer ").is_some_and(|token| tokens.contains(token))
    };
    if server.tokens.lock().unwrap().as_ref().is_some_and(|tokens| !is_accepted(tokens)) {
        return (StatusCode::UNAUTHORIZED, [("www-authenticate", "Bearer")]).into_response();
    }
    let session = text("mcp-session-id");
    if !session.is_empty() && (server.ended.lock().unwrap().contains(&session) || !session.starts_with("session-")) {
        return StatusCode::NOT_FOUND.into_response();
    }
    match parts.method {
        Method::POST => server.answer_message(&message),
        Method::GET if parts.headers.contains_key("last-event-id") => server.send_steps(&text("last-event-id")),
        Method::DELETE => {
            server.ended.lock().unwrap().insert(session);
            StatusCode::NO_CONTENT.into_response()
        }
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}

impl Server {
    fn answer_message(&self, message: &Value) -> Response {
        let id = message["id"].clone();
        let result = |result: Value| json!({"jsonrpc": "2.0", "id": id, "result": result});
        let text = |text: &str| json!({"content": [{"type": "text", "text": text}]});
        match message["method"].as_str() {
            None => StatusCode::ACCEPTED.into_response(),
            Some(method) if method.starts_with("notifications/") => StatusCode::ACCEPTED.into_response(),
            Some("initialize") => {
                let session = format!("session-{}", self.sessions.fetch_add(1, Ordering::SeqCst));
                let version = message["params"]["protocolVersion"].clone();
                let about = json!({"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "tools", "version": "1"}});
                ([("mcp-session-id", session)], axum::Json(result(about))).into_response()
            }
            Some("tools/list") => {
                let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
                let tools = self.tools.lock().unwrap();
                let tools: Vec<Value> = tools.iter().map(|name| json!({"name": name, "inputSchema": schema})).collect();
                let answer = result(json!({"tools": tools}));
                match self.streams_lists.load(Ordering::SeqCst) {
                    true => events(vec![format!("id: 1\nevent: message\ndata: {answer}\n\n")], None),
                    false => axum::Json(answer).into_response(),
                }
            }
            Some("tools/call") => match message["params"]["name"].as_str().unwrap() {
                "steps" => self.send_steps(&format!("{id}/")),
                "fail" => {
                    let mut failed = text("it failed");
                    failed["isError"] = json!(true);
                    axum::Json(result(failed)).into_response()
                }
                name => axum::Json(result(text(&format!("{name}: {}", message["params"]["arguments"]["text"]))))
                    .into_response(),
            },
            Some("resources/read") => axum::Json(result(json!({"contents": []}))).into_response(),
            Some(_) => axum::Json(result(json!({}))).into_response(),
        }
    }

    /// Sends the events of the tool `steps`, from the one after `last`: the id of the call, and the number of the event.
    fn send_steps(&self, last: &str) -> Response {
        let (id, number) = last.split_once('/').unwrap();
        let progress = |step: u8| json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": step}});
        let last = json!({"jsonrpc": "2.0", "id": id.parse::<Value>().unwrap(), "result": {"content": [], "structuredContent": {"done": true}}});
        let messages = [progress(1), progress(2), last];
        let events: Vec<String> = messages
            .iter()
            .enumerate()
            .map(|(i, message)| format!("id: {id}/{}\ndata: {message}\n\n", i + 1))
            .collect();
        let after = number.parse::<usize>().unwrap_or_default();
        let is_first = number.is_empty();
        let until = if is_first && self.breaks_streams.load(Ordering::SeqCst) { 1 } else { events.len() };
        self::events(events[after..until].to_vec(), self.gate.lock().unwrap().clone())
    }
}

fn events(events: Vec<String>, gate: Option<Gate>) -> Response {
    let events = stream::unfold((events.into_iter(), gate), |(mut events, gate)| async {
        let event = events.next()?;
        if let Some(gate) = &gate {
            gate.pass().await;
        }
        Some((Ok::<_, Infallible>(event), (events, gate)))
    });
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(events)).into_response()
}
