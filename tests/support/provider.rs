//! A scripted model provider (a fake HTTP upstream). It answers, fails, delays, cuts the connection or sends garbage,
//! and records the requests it receives.

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures::stream;
use http::{HeaderMap, Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// The response to one request.
#[derive(Clone, Debug)]
pub struct Behaviour {
    /// The wait before the status is sent.
    delay: Duration,
    status: u16,
    headers: Vec<(String, String)>,
    pieces: Vec<Bytes>,
    /// The wait before each piece.
    pause: Duration,
    gate: Option<Gate>,
    end: End,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Clean,
    /// The connection breaks after the last piece.
    Cut,
    /// The connection breaks before the status is sent.
    AtOnce,
    /// Nothing more is sent, and the connection stays open.
    Silence,
}

impl Behaviour {
    pub fn bytes(status: u16, content_type: &str, pieces: Vec<Bytes>) -> Self {
        Self {
            delay: Duration::ZERO,
            status,
            headers: vec![("content-type".to_owned(), content_type.to_owned())],
            pieces,
            pause: Duration::ZERO,
            gate: None,
            end: End::Clean,
        }
    }

    pub fn json(status: u16, body: impl ToString) -> Self {
        Self::bytes(status, "application/json", vec![body.to_string().into()])
    }

    /// A stream of server-sent events, one piece per event.
    pub fn events(text: &str) -> Self {
        let pieces = text.split_inclusive("\n\n").map(|event| Bytes::copy_from_slice(event.as_bytes()));
        Self::bytes(200, "text/event-stream", pieces.collect())
    }

    pub fn hang_up() -> Self {
        Self { end: End::AtOnce, ..Self::json(200, "") }
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn delayed_by(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    pub fn with_pause(self, pause: Duration) -> Self {
        Self { pause, ..self }
    }

    /// Each piece waits until the gate admits one more.
    pub fn gated_by(self, gate: &Gate) -> Self {
        Self { gate: Some(gate.clone()), ..self }
    }

    /// The connection breaks after this number of pieces.
    pub fn cut_after(mut self, pieces: usize) -> Self {
        self.pieces.truncate(pieces);
        Self { end: End::Cut, ..self }
    }

    /// The response ends cleanly after this number of pieces. The rest is not sent.
    pub fn ended_after(mut self, pieces: usize) -> Self {
        self.pieces.truncate(pieces);
        self
    }

    /// Nothing is sent after this number of pieces, and the connection stays open.
    pub fn silent_after(mut self, pieces: usize) -> Self {
        self.pieces.truncate(pieces);
        Self { end: End::Silence, ..self }
    }
}

/// Holds pieces of responses back until the test releases them.
#[derive(Clone, Debug)]
pub struct Gate(Arc<Semaphore>);

impl Gate {
    pub fn closed() -> Self {
        Self(Arc::new(Semaphore::new(0)))
    }

    /// Lets this number of further pieces through.
    pub fn admit(&self, pieces: usize) {
        self.0.add_permits(pieces);
    }

    /// Lets everything through from now on.
    pub fn open(&self) {
        self.0.close();
    }

    pub async fn pass(&self) {
        // The semaphore is closed, and this fails, once the gate is open.
        if let Ok(permit) = self.0.acquire().await {
            permit.forget();
        }
    }
}

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct RecordedRequest {
    pub path: String,
    pub headers: HeaderMap,
    /// The body, if it is JSON.
    pub body: Value,
    pub raw: Bytes,
}

#[derive(Default)]
struct ProviderState {
    /// Responses to all requests of a path, which are not part of the script.
    by_path: Mutex<BTreeMap<String, Behaviour>>,
    /// The next responses. The last one is repeated.
    script: Mutex<VecDeque<Behaviour>>,
    requests: Mutex<Vec<RecordedRequest>>,
    abandoned_responses: AtomicUsize,
}

/// The provider runs as long as the runtime it was started in.
pub struct FakeProvider {
    pub base_url: String,
    state: Arc<ProviderState>,
}

impl FakeProvider {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::<ProviderState>::default();
        tokio::spawn(serve(listener, state.clone()));
        Self { base_url, state }
    }

    /// Appends a response. Responses are sent in order, and the last one is repeated.
    pub fn then_respond(&self, behaviour: Behaviour) -> &Self {
        self.state.script.lock().unwrap().push_back(behaviour);
        self
    }

    /// Replaces all responses with this one.
    pub fn respond_with(&self, behaviour: Behaviour) -> &Self {
        self.state.script.lock().unwrap().clear();
        self.then_respond(behaviour)
    }

    /// Answers every request of this path, without its query, with this response.
    pub fn respond_at(&self, path: &str, behaviour: Behaviour) -> &Self {
        self.state.by_path.lock().unwrap().insert(path.to_owned(), behaviour);
        self
    }

    /// Takes the requests received since the last call.
    pub fn take_requests(&self) -> Vec<RecordedRequest> {
        std::mem::take(&mut self.state.requests.lock().unwrap())
    }

    /// The number of responses that the client abandoned before their end.
    pub fn abandoned_responses(&self) -> usize {
        self.state.abandoned_responses.load(Ordering::SeqCst)
    }
}

async fn serve(listener: TcpListener, state: Arc<ProviderState>) {
    while let Ok((stream, _)) = listener.accept().await {
        stream.set_nodelay(true).unwrap();
        let state = state.clone();
        let service = service_fn(move |request| answer(state.clone(), request));
        let connection = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
        tokio::spawn(async move { connection.await.ok() });
    }
}

async fn answer(
    state: Arc<ProviderState>,
    request: Request<Incoming>,
) -> io::Result<Response<UnsyncBoxBody<Bytes, io::Error>>> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let uri = parts.uri.clone();
    state.requests.lock().unwrap().push(RecordedRequest {
        path: parts.uri.to_string(),
        headers: parts.headers,
        body: serde_json::from_slice(&body).unwrap_or_default(),
        raw: body,
    });
    let by_path = state.by_path.lock().unwrap().get(uri.path()).cloned();
    let behaviour = by_path.or_else(|| {
        let mut script = state.script.lock().unwrap();
        if script.len() > 1 { script.pop_front() } else { script.front().cloned() }
    });
    let behaviour = behaviour.expect("the test sets a response before the provider is called");
    tokio::time::sleep(behaviour.delay).await;
    if behaviour.end == End::AtOnce {
        return Err(io::ErrorKind::ConnectionReset.into());
    }
    let mut response = Response::builder().status(behaviour.status);
    for (name, value) in &behaviour.headers {
        response = response.header(name, value);
    }
    Ok(response.body(pieces(state, behaviour)).unwrap())
}

fn pieces(state: Arc<ProviderState>, behaviour: Behaviour) -> UnsyncBoxBody<Bytes, io::Error> {
    let drop_counter = DropCounter { state, ended: false };
    let left = VecDeque::from(behaviour.pieces);
    let (pause, gate, end) = (behaviour.pause, behaviour.gate, behaviour.end);
    let pieces = stream::unfold((drop_counter, left, gate), move |(mut drop_counter, mut left, gate)| async move {
        tokio::time::sleep(pause).await;
        if let Some(gate) = &gate
            && !left.is_empty()
        {
            gate.pass().await;
        }
        if let Some(piece) = left.pop_front() {
            drop_counter.ended = left.is_empty() && end == End::Clean;
            return Some((Ok(Frame::data(piece)), (drop_counter, left, gate)));
        }
        if end == End::Silence {
            std::future::pending::<Infallible>().await;
        }
        drop_counter.ended = true;
        (end == End::Cut).then(|| (Err(io::ErrorKind::ConnectionReset.into()), (drop_counter, left, gate)))
    });
    StreamBody::new(pieces).boxed_unsync()
}

/// Counts a response that is dropped before its end.
struct DropCounter {
    state: Arc<ProviderState>,
    ended: bool,
}

impl Drop for DropCounter {
    fn drop(&mut self) {
        if !self.ended {
            self.state.abandoned_responses.fetch_add(1, Ordering::SeqCst);
        }
    }
}
