//! Fault injection: a proxy in front of DynamoDB that does what the embedded one never does. Overlapping transactions
//! abort each other, some calls are throttled, and the answers to some committed writes are lost.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use local::services::Endpoints;
use serde_json::{Value, json};

#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// How many of a thousand calls are throttled.
    pub throttled: u32,
    /// How many of a thousand writes are committed and lose their answer.
    pub lost: u32,
    /// How long a write locks its items. Another write of a locked item fails with a conflict.
    pub held: Duration,
    pub seed: u64,
    pub written: Written,
}

/// The write capacity units requested, by item.
#[derive(Clone, Debug, Default)]
pub struct Written(Arc<Mutex<HashMap<String, u32>>>);

impl Written {
    /// The units of the most-written item.
    pub fn hottest(&self) -> u32 {
        self.0.lock().unwrap().values().copied().max().unwrap_or_default()
    }

    fn add(&self, items: &[String], units: u32) {
        let mut written = self.0.lock().unwrap();
        for item in items {
            *written.entry(item.clone()).or_default() += units;
        }
    }
}

pub(crate) type Front = Box<dyn FnOnce(Endpoints) -> Endpoints + Send>;

struct Layer {
    faults: Faults,
    upstream: Upstream,
    random: Mutex<fastrand::Rng>,
    held: Mutex<HashSet<String>>,
}

impl Faults {
    pub(crate) fn front(self) -> Front {
        put_in_front(move |upstream| {
            let layer = Layer {
                upstream,
                random: Mutex::new(fastrand::Rng::with_seed(self.seed)),
                held: Mutex::default(),
                faults: self,
            };
            Router::new().fallback(call).with_state(Arc::new(layer))
        })
    }
}

async fn call(State(layer): State<Arc<Layer>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let target = parts.headers.get("x-amz-target").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let operation = target.rsplit('.').next().unwrap_or_default().to_owned();
    if layer.happens(layer.faults.throttled) {
        return refused("ProvisionedThroughputExceededException", json!({"message": "slow down"}));
    }
    let items = written_items(&operation, &serde_json::from_slice(&body).unwrap_or_default());
    // A transaction consumes twice the units, also when it is refused.
    layer.faults.written.add(&items, if operation == "TransactWriteItems" { 2 } else { 1 });
    let Some(_held) = Held::take(&layer, items.clone()) else {
        let reasons: Vec<_> =
            items.iter().map(|_| json!({"Code": "TransactionConflict", "Message": "ongoing"})).collect();
        return match operation.as_str() {
            "TransactWriteItems" => {
                refused("TransactionCanceledException", json!({"message": "canceled", "CancellationReasons": reasons}))
            }
            _ => refused("TransactionConflictException", json!({"message": "ongoing"})),
        };
    };
    let answered = layer.upstream.send(&parts.headers, body).await;
    if !items.is_empty() {
        tokio::time::sleep(layer.faults.held).await;
        if layer.happens(layer.faults.lost) {
            return (StatusCode::INTERNAL_SERVER_ERROR, r#"{"__type":"InternalServerError"}"#).into_response();
        }
    }
    answered
}

/// The DynamoDB that a proxy forwards to.
pub(crate) struct Upstream {
    url: String,
    client: Client<HttpConnector, Full<bytes::Bytes>>,
}

impl Upstream {
    pub fn new(dynamodb: SocketAddr) -> Self {
        Self { url: format!("http://{dynamodb}/"), client: Client::builder(TokioExecutor::new()).build_http() }
    }

    pub async fn send(&self, headers: &HeaderMap, body: bytes::Bytes) -> Response {
        let mut forwarded = http::Request::post(&self.url);
        // The Host header is forwarded too: the signature covers it.
        for (name, value) in headers {
            forwarded = forwarded.header(name, value);
        }
        let answered = self.client.request(forwarded.body(Full::new(body)).unwrap()).await.unwrap();
        answered.map(Body::new).into_response()
    }
}

/// Starts a proxy in front of DynamoDB. `router` builds it from the service behind it.
pub(crate) fn put_in_front(router: impl FnOnce(Upstream) -> Router + Send + 'static) -> Front {
    Box::new(move |services| {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let front = Endpoints { dynamodb: listener.local_addr().unwrap(), ..services };
        let router = router(Upstream::new(services.dynamodb));
        tokio::spawn(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            axum::serve(listener, router).await.unwrap();
        });
        front
    })
}

impl Layer {
    fn happens(&self, of_a_thousand: u32) -> bool {
        self.random.lock().unwrap().u32(0..1000) < of_a_thousand
    }
}

/// Items that a write in flight has locked.
struct Held<'a> {
    layer: &'a Layer,
    items: Vec<String>,
}

impl<'a> Held<'a> {
    fn take(layer: &'a Layer, items: Vec<String>) -> Option<Self> {
        let mut held = layer.held.lock().unwrap();
        if items.iter().any(|item| held.contains(item)) {
            return None;
        }
        held.extend(items.iter().cloned());
        Some(Self { layer, items })
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let mut held = self.layer.held.lock().unwrap();
        for item in &self.items {
            held.remove(item);
        }
    }
}

fn written_items(operation: &str, body: &Value) -> Vec<String> {
    let one = |write: &Value| {
        let key = if write["Key"].is_null() { &write["Item"] } else { &write["Key"] };
        format!("{} {} {}", write["TableName"], key["pk"], key["sk"])
    };
    match operation {
        "PutItem" | "UpdateItem" | "DeleteItem" => vec![one(body)],
        "TransactWriteItems" => {
            let writes = body["TransactItems"].as_array().map(Vec::as_slice).unwrap_or_default();
            writes
                .iter()
                .flat_map(|write| write.as_object().into_iter().flatten())
                .map(|(_, write)| one(write))
                .collect()
        }
        _ => Vec::new(),
    }
}

fn refused(kind: &str, mut body: Value) -> Response {
    body["__type"] = format!("com.amazonaws.dynamodb.v20120810#{kind}").into();
    (StatusCode::BAD_REQUEST, [("content-type", "application/x-amz-json-1.0")], body.to_string()).into_response()
}
