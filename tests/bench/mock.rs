//! The mock behind every subject: a model provider, an MCP server, and a system that the calls of workflows reach. It answers at once, in
//! its own process.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use futures::{StreamExt, stream};
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::yield_now;

use crate::flow::Flow;
use crate::openai;
use crate::toolboxes::{self, TOOL};

const CHAT_PATH: &str = "/v1/chat/completions";
const STEP_PATH: &str = "/step";
/// Some gateways send calls only to a provider that is healthy.
const HEALTH_PATH: &str = "/health";

/// Where the calls of workflows lead. `GET` returns the number of these calls.
pub fn step_url(port: u16) -> String {
    format!("http://127.0.0.1:{port}{STEP_PATH}")
}

/// The fields of a request that the mock reads.
#[derive(Deserialize)]
struct MockRequest {
    #[serde(default)]
    stream: bool,
    stream_options: Option<StreamOptions>,
}

#[derive(Deserialize)]
struct StreamOptions {
    #[serde(default)]
    include_usage: bool,
}

/// The body of a workflow's call and of its answer, which adds 1.
#[derive(Serialize, Deserialize)]
struct Step {
    value: u64,
}

/// Prepared answers, so that the mock spends almost no time per call.
struct Answers {
    whole: Bytes,
    events: Vec<Bytes>,
    events_with_usage: Vec<Bytes>,
    steps: AtomicUsize,
}

/// A message of the Model Context Protocol.
#[derive(Deserialize)]
struct McpMessage {
    #[serde(default)]
    id: Option<Value>,
    #[serde(default)]
    method: String,
}

type Body = BoxBody<Bytes, Infallible>;

pub async fn serve(port: u16) -> io::Result<()> {
    let answers = Arc::new(Answers {
        whole: openai::answer(),
        events: openai::events(false),
        events_with_usage: openai::events(true),
        steps: AtomicUsize::new(0),
    });
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    loop {
        let (socket, _) = listener.accept().await?;
        // Without TCP_NODELAY, Nagle's algorithm delays small events by up to 40 ms, until a delayed acknowledgement.
        socket.set_nodelay(true)?;
        let answers = Arc::clone(&answers);
        let answered = service_fn(move |request| answer(Arc::clone(&answers), request));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(socket), answered));
    }
}

async fn answer(answers: Arc<Answers>, request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
    match (request.method(), request.uri().path()) {
        (&Method::POST, CHAT_PATH) => chat(&answers, request).await,
        (&Method::POST, toolboxes::MOCK_PATH) => answer_mcp(request).await,
        (&Method::POST, STEP_PATH) => perform_step(&answers, request).await,
        (&Method::GET, STEP_PATH) => Ok(text(answers.steps.load(Ordering::Relaxed).to_string().into())),
        (&Method::GET, HEALTH_PATH) => Ok(text(Bytes::from_static(b"ok"))),
        _ => Ok(refusal(StatusCode::NOT_FOUND)),
    }
}

async fn perform_step(answers: &Answers, request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
    let Some(Step { value }) = read(request).await else { return Ok(refusal(StatusCode::BAD_REQUEST)) };
    answers.steps.fetch_add(1, Ordering::Relaxed);
    let answer = serde_json::to_vec(&Step { value: value + 1 }).unwrap_or_default();
    Ok(response("application/json", Full::from(answer).boxed()))
}

/// A server without sessions, with one tool.
async fn answer_mcp(request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
    let Some(McpMessage { id, method }) = read(request).await else { return Ok(refusal(StatusCode::BAD_REQUEST)) };
    let Some(id) = id else { return Ok(refusal(StatusCode::ACCEPTED)) };
    let result = match &*method {
        "initialize" => json!({
            "protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "mock", "version": "1"},
        }),
        "tools/list" => json!({"tools": [{"name": TOOL, "inputSchema": {"type": "object"}}]}),
        "tools/call" => json!({"content": [{"type": "text", "text": Flow::Pure.answer()}]}),
        _ => json!({}),
    };
    let answer = json!({"jsonrpc": "2.0", "id": id, "result": result});
    Ok(response("application/json", Full::from(answer.to_string()).boxed()))
}

async fn read<T: for<'a> Deserialize<'a>>(request: Request<Incoming>) -> Option<T> {
    let body = request.into_body().collect().await.ok()?;
    serde_json::from_slice(&body.to_bytes()).ok()
}

async fn chat(answers: &Answers, request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
    let Some(request) = read::<MockRequest>(request).await else { return Ok(refusal(StatusCode::BAD_REQUEST)) };
    if !request.stream {
        return Ok(response("application/json", Full::new(answers.whole.clone()).boxed()));
    }
    let include_usage = request.stream_options.is_some_and(|options| options.include_usage);
    let events = if include_usage { &answers.events_with_usage } else { &answers.events };
    let events = stream::iter(events.clone()).then(async |event| {
        // A pending body is flushed, so each event is sent separately, as the tokens of a model are.
        yield_now().await;
        Ok(Frame::data(event))
    });
    Ok(response("text/event-stream", BodyExt::boxed(StreamBody::new(events))))
}

fn response(content_type: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(content_type));
    response
}

fn text(body: Bytes) -> Response<Body> {
    response("text/plain", Full::new(body).boxed())
}

fn refusal(status: StatusCode) -> Response<Body> {
    let mut response = response("text/plain", Full::default().boxed());
    *response.status_mut() = status;
    response
}
