//! A fake Lambda Runtime API on loopback. It runs a function's real binary as Lambda does, and sends it one event at a
//! time. If the function hangs, the test panics with the function's log.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Path as Segments, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use bytes::Bytes;
use futures::StreamExt;
use local::services::{ACCOUNT, REGION, address, listen};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;
use tokio::time::timeout;
use uuid::Uuid;

use crate::polling::PATIENCE;

/// The time until the deadline of an invocation: the template's `Timeout`.
const TIMEOUT: Duration = Duration::from_secs(28);
/// Lambda's limit on the size of a response.
const LIMIT_BYTES: usize = 6 * 1024 * 1024;
const RESPONSE_MODE: &str = "lambda-runtime-function-response-mode";

/// A function's process with its own Runtime API. Both end when it is dropped.
pub struct FunctionProcess {
    child: Child,
    started: Instant,
    events: mpsc::Sender<Event>,
    reports: mpsc::UnboundedReceiver<(Instant, Report)>,
    log: Arc<Mutex<Vec<u8>>>,
    outputs: JoinSet<()>,
    _running: JoinSet<()>,
}

#[derive(Debug)]
pub struct Invocation {
    /// The function's response, or the error it reported.
    pub outcome: Result<Value, Value>,
    /// The time from the event's delivery to the response.
    pub took: Duration,
}

struct Event {
    id: String,
    payload: Bytes,
}

#[derive(Debug)]
enum Report {
    Polled,
    Answered(String, Answer),
    Failed(String, Bytes),
    InitFailed(Bytes),
}

struct Api {
    function_arn: String,
    /// Locked by the poll that waits. There is only one: Lambda sends the next event after the last response.
    events: Mutex<mpsc::Receiver<Event>>,
    reports: mpsc::UnboundedSender<(Instant, Report)>,
}

impl FunctionProcess {
    /// Starts the binary. Its environment holds only `settings` and Lambda's own variables.
    pub async fn start(function: &str, binary: &Path, settings: &[(String, String)]) -> Self {
        let listener = listen(0).await.unwrap();
        let api_address = address(&listener).unwrap().to_string();
        let (events, waiting) = mpsc::channel(1);
        let (reports, reported) = mpsc::unbounded_channel();
        let function_arn = format!("arn:aws:lambda:{REGION}:{ACCOUNT}:function:{function}");
        let api = Api { function_arn, events: Mutex::new(waiting), reports };
        let mut running = JoinSet::new();
        let served = axum::serve(listener.tap_io(|socket| drop(socket.set_nodelay(true))), router(api));
        running.spawn(async move { drop(served.await) });

        let log_group = format!("/aws/lambda/{function}");
        let mut command = Command::new(binary);
        command.env_clear().envs(settings.iter().map(|(name, value)| (name, value)));
        command.envs([
            ("AWS_LAMBDA_RUNTIME_API", api_address.as_str()),
            ("AWS_LAMBDA_FUNCTION_NAME", function),
            ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST"),
            ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256"),
            ("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand"),
            ("AWS_LAMBDA_LOG_GROUP_NAME", log_group.as_str()),
            ("AWS_LAMBDA_LOG_STREAM_NAME", "2026/01/01/[$LATEST]0"),
            ("AWS_EXECUTION_ENV", "AWS_Lambda_provided.al2023"),
            ("AWS_DEFAULT_REGION", REGION),
            ("_HANDLER", "bootstrap"),
            ("TZ", ":UTC"),
        ]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let started = Instant::now();
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{function} does not start: {error}"));
        let log = Arc::default();
        let mut outputs = JoinSet::new();
        outputs.spawn(collect_output(child.stdout.take().unwrap(), Arc::clone(&log)));
        outputs.spawn(collect_output(child.stderr.take().unwrap(), Arc::clone(&log)));
        Self { child, started, events, reports: reported, log, outputs, _running: running }
    }

    /// Waits for the first poll, and returns how long after the start it came.
    pub async fn wait_for_poll(&mut self) -> Duration {
        match self.report().await {
            (at, Report::Polled) => at - self.started,
            (_, report) => panic!("expected a poll after the cold start, got {report:?}"),
        }
    }

    pub async fn invoke(&mut self, payload: &Value) -> Invocation {
        let id = Uuid::new_v4().to_string();
        let event = Event { id: id.clone(), payload: payload.to_string().into() };
        let handed_out = Instant::now();
        self.events.send(event).await.unwrap();
        let (took, of, outcome) = loop {
            match self.report().await {
                (_, Report::Polled) => {}
                (at, Report::Answered(of, body)) => break (at - handed_out, of, Ok(body)),
                (at, Report::Failed(of, body)) => break (at - handed_out, of, Err(body)),
                (_, Report::InitFailed(body)) => panic!("the cold start failed: {body:?}"),
            }
        };
        assert_eq!(of, id, "the response is for another event");
        Invocation { outcome: outcome.map(Answer::json).map_err(json), took }
    }

    /// Kills the process, and waits for its exit.
    pub async fn stop(mut self) {
        self.child.kill().await.unwrap();
    }

    pub fn pid(&self) -> u32 {
        self.child.id().expect("the function is running")
    }

    /// The function's output so far.
    pub async fn log(&self) -> String {
        String::from_utf8_lossy(&self.log.lock().await).into_owned()
    }

    async fn report(&mut self) -> (Instant, Report) {
        let waited = tokio::select! {
            biased;
            report = self.reports.recv() => report.ok_or_else(|| "its Runtime API has ended".to_owned()),
            ended = self.child.wait() => Err(format!("it ended: {ended:?}")),
            () = tokio::time::sleep(PATIENCE) => Err(format!("it made no call for {PATIENCE:?}")),
        };
        match waited {
            Ok(report) => report,
            Err(cause) => {
                // Wait briefly for the end of the log. A function that hangs keeps its log open.
                let read = async { while self.outputs.join_next().await.is_some() {} };
                let _ = timeout(Duration::from_secs(1), read).await;
                panic!("the function stopped responding: {cause}; its log:\n{}", self.log().await)
            }
        }
    }
}

fn router(api: Api) -> Router {
    Router::new()
        .route("/2018-06-01/runtime/invocation/next", get(next))
        .route("/2018-06-01/runtime/invocation/{id}/response", post(response))
        .route("/2018-06-01/runtime/invocation/{id}/error", post(error))
        .route("/2018-06-01/runtime/init/error", post(init_error))
        .layer(DefaultBodyLimit::max(LIMIT_BYTES))
        .with_state(Arc::new(api))
}

async fn next(State(api): State<Arc<Api>>) -> Response {
    api.report(Report::Polled);
    let Some(Event { id, payload }) = api.events.lock().await.recv().await else {
        return StatusCode::GONE.into_response();
    };
    let deadline = SystemTime::now().duration_since(UNIX_EPOCH).unwrap() + TIMEOUT;
    let headers = [
        ("lambda-runtime-aws-request-id", id),
        ("lambda-runtime-deadline-ms", deadline.as_millis().to_string()),
        ("lambda-runtime-invoked-function-arn", api.function_arn.clone()),
        ("lambda-runtime-trace-id", "Root=1-00000000-000000000000000000000000;Sampled=0".to_owned()),
        ("content-type", "application/json".to_owned()),
    ];
    (headers, payload).into_response()
}

/// The response of a function.
#[derive(Debug)]
enum Answer {
    Buffered(Bytes),
    /// The chunks of the body, as they were read.
    Streamed(Vec<Bytes>),
}

impl Answer {
    /// Converts a streamed response to the form of a buffered one. Its prelude and its separator must be separate
    /// chunks, because `cargo lambda watch` reads them so.
    fn json(self) -> Value {
        let chunks = match self {
            Self::Buffered(body) => return json(body),
            Self::Streamed(chunks) => chunks,
        };
        let [prelude, separator, body @ ..] = &chunks[..] else { panic!("no prelude and separator: {chunks:?}") };
        let mut answer: Value = serde_json::from_slice(prelude).unwrap_or_else(|_| panic!("no prelude: {prelude:?}"));
        assert_eq!(separator[..], [0; 8], "the second chunk is not the separator");
        let headers = answer["headers"].as_object().into_iter().flatten();
        answer["multiValueHeaders"] = headers.map(|(name, value)| (name.clone(), json!([value]))).collect();
        answer["body"] = String::from_utf8_lossy(&body.concat()).into();
        answer
    }
}

fn json(body: Bytes) -> Value {
    serde_json::from_slice(&body).unwrap_or_else(|_| panic!("not JSON: {body:?}"))
}

async fn response(
    State(api): State<Arc<Api>>,
    Segments(id): Segments<String>,
    headers: HeaderMap,
    body: Body,
) -> StatusCode {
    let mut chunks = body.into_data_stream();
    let mut read = Vec::new();
    while let Some(chunk) = chunks.next().await {
        let Ok(chunk) = chunk else { return StatusCode::BAD_REQUEST };
        read.push(chunk);
        if read.iter().map(Bytes::len).sum::<usize>() > LIMIT_BYTES {
            return StatusCode::PAYLOAD_TOO_LARGE;
        }
    }
    let is_streamed = headers.get(RESPONSE_MODE).is_some_and(|mode| mode == "streaming");
    let answer = if is_streamed { Answer::Streamed(read) } else { Answer::Buffered(read.concat().into()) };
    api.report(Report::Answered(id, answer));
    StatusCode::ACCEPTED
}

async fn error(State(api): State<Arc<Api>>, Segments(id): Segments<String>, body: Bytes) -> StatusCode {
    api.report(Report::Failed(id, body));
    StatusCode::ACCEPTED
}

async fn init_error(State(api): State<Arc<Api>>, body: Bytes) -> StatusCode {
    api.report(Report::InitFailed(body));
    StatusCode::ACCEPTED
}

impl Api {
    fn report(&self, report: Report) {
        // The receiver is gone while the process is being dropped.
        let _ = self.reports.send((Instant::now(), report));
    }
}

async fn collect_output(mut output: impl AsyncRead + Unpin, log: Arc<Mutex<Vec<u8>>>) {
    let mut chunk = [0; 4096];
    while let Ok(length @ 1..) = output.read(&mut chunk).await {
        log.lock().await.extend(&chunk[..length]);
    }
}
