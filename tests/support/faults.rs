//! Fault injection: a proxy in front of DynamoDB that does what the embedded one never does. Overlapping transactions
//! abort each other, some calls are throttled, and the answers to some committed writes are lost.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::proxy::{StartProxy, Upstream, in_front_of_dynamodb};

#[derive(Clone, Debug, Default)]
pub struct Faults {
    /// How many of a thousand calls are throttled.
    pub throttled: u32,
    /// How many of a thousand writes are committed and lose their answer. The last attempt of a call never loses it, so
    /// a call always ends well.
    pub lost: u32,
    /// How long a write locks its items. Another write of a locked item fails with a conflict.
    pub held: Duration,
    pub seed: u64,
    pub write_units: WriteUnits,
}

/// The write capacity units requested, by item.
#[derive(Clone, Debug, Default)]
pub struct WriteUnits(Arc<Mutex<HashMap<String, u32>>>);

impl WriteUnits {
    /// The units of the most-written item.
    pub fn hottest(&self) -> u32 {
        self.0.lock().unwrap().values().copied().max().unwrap_or_default()
    }

    fn add(&self, items: &[String], units: u32) {
        let mut units_by_item = self.0.lock().unwrap();
        for item in items {
            *units_by_item.entry(item.clone()).or_default() += units;
        }
    }
}

struct FaultProxy {
    faults: Faults,
    upstream: Upstream,
    random: Mutex<fastrand::Rng>,
    held: Mutex<HashSet<String>>,
}

impl Faults {
    pub(crate) fn into_proxy(self) -> StartProxy {
        in_front_of_dynamodb(move |upstream| {
            let proxy = FaultProxy {
                upstream,
                random: Mutex::new(fastrand::Rng::with_seed(self.seed)),
                held: Mutex::default(),
                faults: self,
            };
            Router::new().fallback(call).with_state(Arc::new(proxy))
        })
    }
}

async fn call(State(proxy): State<Arc<FaultProxy>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap();
    let target = parts.headers.get("x-amz-target").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let operation = target.rsplit('.').next().unwrap_or_default().to_owned();
    if proxy.happens(proxy.faults.throttled) {
        return error_response("ProvisionedThroughputExceededException", json!({"message": "slow down"}));
    }
    let items = written_items(&operation, &serde_json::from_slice(&body).unwrap_or_default());
    // A transaction consumes twice the units, also when it is refused.
    proxy.faults.write_units.add(&items, if operation == "TransactWriteItems" { 2 } else { 1 });
    let Some(_held) = Held::take(&proxy, items.clone()) else {
        let reasons: Vec<_> =
            items.iter().map(|_| json!({"Code": "TransactionConflict", "Message": "ongoing"})).collect();
        return match operation.as_str() {
            "TransactWriteItems" => error_response(
                "TransactionCanceledException",
                json!({"message": "canceled", "CancellationReasons": reasons}),
            ),
            _ => error_response("TransactionConflictException", json!({"message": "ongoing"})),
        };
    };
    let answered = proxy.upstream.send(&parts, body).await;
    if !items.is_empty() {
        tokio::time::sleep(proxy.faults.held).await;
        if !is_last_attempt(&parts.headers) && proxy.happens(proxy.faults.lost) {
            return (StatusCode::INTERNAL_SERVER_ERROR, r#"{"__type":"InternalServerError"}"#).into_response();
        }
    }
    answered
}

impl FaultProxy {
    fn happens(&self, of_a_thousand: u32) -> bool {
        self.random.lock().unwrap().u32(0..1000) < of_a_thousand
    }
}

/// Items that a write in flight has locked.
struct Held<'a> {
    proxy: &'a FaultProxy,
    items: Vec<String>,
}

impl<'a> Held<'a> {
    fn take(proxy: &'a FaultProxy, items: Vec<String>) -> Option<Self> {
        let mut held = proxy.held.lock().unwrap();
        if items.iter().any(|item| held.contains(item)) {
            return None;
        }
        held.extend(items.iter().cloned());
        Some(Self { proxy, items })
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let mut held = self.proxy.held.lock().unwrap();
        for item in &self.items {
            held.remove(item);
        }
    }
}

/// The SDK numbers its attempts: `attempt=3; max=8`.
fn is_last_attempt(headers: &HeaderMap) -> bool {
    let attempts = headers.get("amz-sdk-request").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let field = |name| attempts.split("; ").find_map(|field| field.strip_prefix(name));
    field("max=").is_some_and(|max| field("attempt=") == Some(max))
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

fn error_response(kind: &str, mut body: Value) -> Response {
    body["__type"] = format!("com.amazonaws.dynamodb.v20120810#{kind}").into();
    (StatusCode::BAD_REQUEST, [("content-type", "application/x-amz-json-1.0")], body.to_string()).into_response()
}
