//! Wakes the poller of a queue when a message arrives, so that the poller need not look for one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde::Deserialize;
use tokio::sync::Notify;
use tokio::time::sleep;

/// More than the largest message of SQS, in JSON.
const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;

/// The signals of all queues, by name.
#[derive(Clone, Default)]
pub struct QueueWakes(Arc<Mutex<HashMap<String, Arc<Notify>>>>);

/// The part of `SendMessage` that says which poller to wake, and when.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Sent {
    queue_url: String,
    #[serde(default)]
    delay_seconds: u64,
}

impl QueueWakes {
    /// The signal of a queue. It keeps one wake-up while nobody waits for it.
    pub fn of(&self, queue: &str) -> Arc<Notify> {
        let mut wakes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        wakes.entry(queue.to_owned()).or_default().clone()
    }

    /// Wraps the router of SQS: each accepted message wakes the poller of its queue.
    pub fn wake_after_sends(&self, router: Router) -> Router {
        router.layer(from_fn_with_state(self.clone(), observe_sends))
    }

    fn wake(&self, Sent { queue_url, delay_seconds }: Sent) {
        let queue = queue_url.rsplit('/').next().unwrap_or_default();
        let wake = self.of(queue);
        match delay_seconds {
            0 => wake.notify_one(),
            delay => drop(tokio::spawn(async move {
                sleep(Duration::from_secs(delay)).await;
                wake.notify_one();
            })),
        }
    }
}

async fn observe_sends(State(wakes): State<QueueWakes>, request: Request, next: Next) -> Response {
    let target = request.headers().get("x-amz-target").and_then(|target| target.to_str().ok());
    if target != Some("AmazonSQS.SendMessage") {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, MAX_BODY_BYTES).await else { return StatusCode::PAYLOAD_TOO_LARGE.into_response() };
    let sent = serde_json::from_slice(&body);
    let response = next.run(Request::from_parts(parts, Body::from(body))).await;
    if let (true, Ok(sent)) = (response.status().is_success(), sent) {
        wakes.wake(sent);
    }
    response
}
