//! A fake Lambda Runtime API on loopback: runs a function's real binary as Lambda does, and hands it one event at a
//! time. Whatever does not happen in time panics with what the function logged.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path as Segments, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use bytes::Bytes;
use local::services::{ACCOUNT, REGION, address, listen};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;
use tokio::time::timeout;
use uuid::Uuid;

/// How long a cold start or an invocation may take; a build for development on a busy machine is slow.
const PATIENCE: Duration = Duration::from_secs(30);
/// What the deadline of an invocation says: the template's `Timeout`.
const TIMEOUT: Duration = Duration::from_secs(28);
/// Lambda takes no larger answer.
const LIMIT_BYTES: usize = 6 * 1024 * 1024;

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
    /// What the function answered, or the error it reported.
    pub outcome: Result<Value, Value>,
    /// From the event handed out to the answer taken.
    pub took: Duration,
}

struct Event {
    id: String,
    payload: Bytes,
}

#[derive(Debug)]
enum Report {
    Polled,
    Answered(String, Bytes),
    Failed(String, Bytes),
    InitFailed(Bytes),
}

struct Api {
    function_arn: String,
    /// Locked by the one poll that waits: Lambda gives a process its next event after the last answer.
    events: Mutex<mpsc::Receiver<Event>>,
    reports: mpsc::UnboundedSender<(Instant, Report)>,
}

impl FunctionProcess {
    /// Starts the binary; `settings` are all it finds in its environment besides Lambda's own variables.
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
        outputs.spawn(keep(child.stdout.take().unwrap(), Arc::clone(&log)));
        outputs.spawn(keep(child.stderr.take().unwrap(), Arc::clone(&log)));
        Self { child, started, events, reports: reported, log, outputs, _running: running }
    }

    /// Waits for the first poll: how long after the start it came.
    pub async fn polled(&mut self) -> Duration {
        match self.report().await {
            (at, Report::Polled) => at - self.started,
            (_, report) => panic!("a cold start ends with a poll, not with {report:?}"),
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
        assert_eq!(of, id, "the answer is to another event");
        let json = |body: Bytes| {
            streamed(&body)
                .unwrap_or_else(|| serde_json::from_slice(&body).unwrap_or_else(|_| panic!("not JSON: {body:?}")))
        };
        Invocation { outcome: outcome.map(json).map_err(json), took }
    }

    /// Ends the process, and waits until it is gone.
    pub async fn stop(mut self) {
        self.child.kill().await.unwrap();
    }

    pub fn pid(&self) -> u32 {
        self.child.id().expect("the function lives")
    }

    /// What the function wrote so far.
    pub async fn log(&self) -> String {
        String::from_utf8_lossy(&self.log.lock().await).into_owned()
    }

    async fn report(&mut self) -> (Instant, Report) {
        let waited = tokio::select! {
            biased;
            report = self.reports.recv() => report.ok_or_else(|| "its API is gone".to_owned()),
            ended = self.child.wait() => Err(format!("it ended: {ended:?}")),
            () = tokio::time::sleep(PATIENCE) => Err(format!("it did nothing for {PATIENCE:?}")),
        };
        match waited {
            Ok(report) => report,
            Err(cause) => {
                // Its last words may still be on their way.
                let heard = async { while self.outputs.join_next().await.is_some() {} };
                let _ = timeout(Duration::from_secs(1), heard).await;
                panic!("the function does not go on: {cause}; it logged:\n{}", self.log().await)
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

/// What a function that streams sends: status and headers, eight zeros, the body. Here in the form of one that does not.
fn streamed(sent: &[u8]) -> Option<Value> {
    let end = sent.windows(8).position(|bytes| bytes == [0; 8])?;
    let mut answer: Value = serde_json::from_slice(&sent[..end]).ok()?;
    let headers = answer["headers"].as_object().into_iter().flatten();
    answer["multiValueHeaders"] = headers.map(|(name, value)| (name.clone(), json!([value]))).collect();
    answer["body"] = String::from_utf8_lossy(&sent[end + 8..]).into();
    Some(answer)
}

async fn response(State(api): State<Arc<Api>>, Segments(id): Segments<String>, body: Bytes) -> StatusCode {
    api.report(Report::Answered(id, body));
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
        // Nobody listens any more when the process is being dropped.
        let _ = self.reports.send((Instant::now(), report));
    }
}

async fn keep(mut output: impl AsyncRead + Unpin, log: Arc<Mutex<Vec<u8>>>) {
    let mut chunk = [0; 4096];
    while let Ok(length @ 1..) = output.read(&mut chunk).await {
        log.lock().await.extend(&chunk[..length]);
    }
}
