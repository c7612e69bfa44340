//! A client of the Model Context Protocol, for tests of the MCP servers: it sends messages of JSON-RPC and reads their streams.

use std::sync::atomic::{AtomicU64, Ordering};

use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};

use crate::client::{Answer, Person, send};

pub const LATEST_WITH_SESSIONS: &str = "2025-11-25";
pub const LATEST: &str = "2026-07-28";
pub const SESSION_ID: &str = "Mcp-Session-Id";

/// Adds to the parameters of a request which version without sessions it has, and which client sends it.
pub fn introduce(params: &mut Value, client: &str, version: &str) {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = LATEST.into();
    params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({"name": client, "version": version});
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
}

/// An assistant with a session at an MCP server, or without one in the newest version of the protocol.
pub struct Assistant {
    pub person: Person,
    path: String,
    pub session: Option<String>,
    version: &'static str,
    next_id: AtomicU64,
}

impl Assistant {
    /// Initializes a session.
    pub async fn connect(person: &Person, path: &str) -> Self {
        let assistant = Self::with_version(person, path, LATEST_WITH_SESSIONS);
        let params = json!({
            "protocolVersion": LATEST_WITH_SESSIONS, "capabilities": {},
            "clientInfo": {"name": "test-client", "version": "1.2.3"},
        });
        let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let answer = send(assistant.request(Method::POST).json(&body)).await;
        assert_eq!(answer.status, "200 OK", "{}", answer.text);
        assert_eq!(answer.json["result"]["protocolVersion"], LATEST_WITH_SESSIONS, "{}", answer.text);
        let session = answer.header(SESSION_ID).map(str::to_owned);
        let assistant = Self { session, ..assistant };
        let initialized = assistant.notify("notifications/initialized", json!({})).await;
        assert_eq!(initialized.status, "202 Accepted", "{}", initialized.text);
        assistant
    }

    /// An assistant that speaks the version without sessions.
    pub fn stateless(person: &Person, path: &str) -> Self {
        Self::with_version(person, path, LATEST)
    }

    fn with_version(person: &Person, path: &str, version: &'static str) -> Self {
        Self { person: person.clone(), path: path.to_owned(), session: None, version, next_id: AtomicU64::new(1) }
    }

    /// A request with the headers of the protocol.
    pub fn request(&self, method: Method) -> RequestBuilder {
        let request = self.person.request(method, &self.path).header("Accept", "application/json, text/event-stream");
        let request = request.header("MCP-Protocol-Version", self.version);
        match &self.session {
            Some(session) => request.header(SESSION_ID, session),
            None => request,
        }
    }

    /// A request of JSON-RPC, and its id.
    pub fn message(&self, method: &str, mut params: Value) -> (u64, RequestBuilder) {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let mut request = self.request(Method::POST);
        if self.version == LATEST {
            introduce(&mut params, "test-client", "4.5.6");
            request = request.header("Mcp-Method", method);
            if let Some(name) = params["name"].as_str() {
                request = request.header("Mcp-Name", name);
            }
        }
        (id, request.json(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})))
    }

    pub async fn notify(&self, method: &str, params: Value) -> Answer {
        send(self.request(Method::POST).json(&json!({"jsonrpc": "2.0", "method": method, "params": params}))).await
    }

    /// Sends a request, and returns the message that answers it.
    pub async fn ask(&self, method: &str, params: Value) -> Value {
        let (id, request) = self.message(method, params);
        McpStream::of(request).await.answer_to(id).await
    }

    /// The tools of the server.
    pub async fn tools(&self) -> Vec<Value> {
        let answer = self.ask("tools/list", json!({})).await;
        answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}")).clone()
    }

    /// Calls a tool, and returns its result.
    pub async fn call(&self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await;
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].clone()
    }

    /// Begins the call of a tool that reports its progress. Returns the id of the request, and the stream.
    pub async fn begin_call(&self, tool: &str, arguments: Value) -> (u64, McpStream) {
        let params = json!({"name": tool, "arguments": arguments, "_meta": {"progressToken": "p"}});
        let (id, request) = self.message("tools/call", params);
        (id, McpStream::of(request).await)
    }

    /// Resumes a stream after an event.
    pub async fn resume(&self, last_event: &str) -> McpStream {
        McpStream::of(self.request(Method::GET).header("Last-Event-ID", last_event)).await
    }
}

/// A message of a stream, with the id of its event.
#[derive(Clone, Debug)]
pub struct McpMessage {
    pub event: Option<String>,
    pub data: Value,
}

/// The answer to a request: a stream of messages, or one message as JSON.
pub struct McpStream {
    response: Response,
    text: String,
    is_stream: bool,
}

impl McpStream {
    pub async fn of(request: RequestBuilder) -> Self {
        let response = request.send().await.expect("the platform answers");
        let is_stream = response.headers().get("content-type").is_some_and(|kind| kind == "text/event-stream");
        Self { response, text: String::new(), is_stream }
    }

    /// The next message. None if the stream has ended. An event without a message only names a place in the stream.
    pub async fn next(&mut self) -> Option<McpMessage> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
                let data = field("data:").map(|data| serde_json::from_str(data).unwrap_or(Value::Null));
                let message = data.map(|data| McpMessage { event: field("id:").map(str::to_owned), data });
                self.text = rest.to_owned();
                match message {
                    Some(message) => return Some(message),
                    None => continue,
                }
            }
            match self.response.chunk().await.expect("the stream goes on") {
                Some(chunk) => self.text.push_str(std::str::from_utf8(&chunk).expect("the stream is a text")),
                None if self.is_stream || self.text.is_empty() => return None,
                None => {
                    let data = serde_json::from_str(&std::mem::take(&mut self.text)).expect("the answer is JSON");
                    return Some(McpMessage { event: None, data });
                }
            }
        }
    }

    /// Reads until the answer to a request.
    pub async fn answer_to(&mut self, id: u64) -> Value {
        while let Some(message) = self.next().await {
            if message.data["id"] == id {
                return message.data;
            }
        }
        panic!("the stream ended without the answer to {id}");
    }
}
