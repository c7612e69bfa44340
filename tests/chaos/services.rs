//! Fault injection in front of DynamoDB, SQS, KMS and S3. Attempts fail, before or after the service has carried them
//! out; some calls fail in all their attempts. Messages of the queue are sent twice, and overtake each other.

use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use local::services::Endpoints;
use tests::proxy::{Upstream, start_in_front};

/// One of this many failing attempts belongs to a call whose attempts all fail. The SDK repeats the others.
const FAILING_CALLS: u32 = 10;
/// How many of a thousand messages are sent a second time, and how many are late.
const REPEATED: u32 = 200;
const LATE: u32 = 200;
/// The longest delay of a message, in milliseconds.
const LONGEST_DELAY_MS: u64 = 1_500;
/// The limit of S3's objects in this test, and far above that of the other services.
const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;

#[derive(Clone, Copy)]
pub struct ServiceFaults {
    /// How many of a thousand attempts fail.
    pub failing: u32,
    pub seed: u64,
}

/// What happened to a call or a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Happened {
    Passed,
    /// The service did not receive the call.
    Refused,
    /// The service carried out the call, and its answer was lost.
    Lost,
    Repeated,
    Late,
}

struct Proxy {
    upstream: Upstream,
    faults: ServiceFaults,
    random: Mutex<fastrand::Rng>,
}

impl ServiceFaults {
    pub fn in_front_of(self, services: Endpoints) -> Endpoints {
        let proxy = |service: SocketAddr, place: u64| {
            start_in_front(service, |upstream| {
                let random = Mutex::new(fastrand::Rng::with_seed(self.seed.wrapping_mul(3).wrapping_add(place)));
                let proxy = Proxy { upstream, faults: self, random };
                Router::new().fallback(call).with_state(Arc::new(proxy))
            })
        };
        let Endpoints { dynamodb, awsim, s3, .. } = services;
        Endpoints { dynamodb: proxy(dynamodb, 0), awsim: proxy(awsim, 1), s3: proxy(s3, 2), ..services }
    }
}

async fn call(State(proxy): State<Arc<Proxy>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, MAX_BODY_BYTES).await else { return failure() };
    if proxy.all_attempts_fail(&parts) || proxy.happens(proxy.faults.failing / 2) {
        report(Happened::Refused);
        return failure();
    }
    if header(&parts, "x-amz-target").ends_with(".SendMessage") {
        proxy.disturb(&parts, &body).await;
    }
    let answered = proxy.upstream.send(&parts, body).await;
    // A lost answer to `ReceiveMessage` would hide its messages for the visibility timeout, which is longer than a test.
    if !header(&parts, "x-amz-target").ends_with(".ReceiveMessage") && proxy.happens(proxy.faults.failing / 2) {
        report(Happened::Lost);
        return failure();
    }
    report(Happened::Passed);
    answered
}

impl Proxy {
    fn happens(&self, of_a_thousand: u32) -> bool {
        self.with_random(|random| random.u32(0..1000)) < of_a_thousand
    }

    fn with_random<T>(&self, choose: impl FnOnce(&mut fastrand::Rng) -> T) -> T {
        choose(&mut self.random.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The SDK sends the same id with each attempt of a call.
    fn all_attempts_fail(&self, parts: &Parts) -> bool {
        let id = header(parts, "amz-sdk-invocation-id");
        let number =
            id.bytes().fold(self.faults.seed, |number, byte| number.wrapping_mul(31).wrapping_add(byte.into()));
        let mut random = fastrand::Rng::with_seed(number);
        !id.is_empty() && random.u32(0..1000 * FAILING_CALLS) < self.faults.failing
    }

    /// Delays a message, or sends it a second time later.
    async fn disturb(self: &Arc<Self>, parts: &Parts, body: &Bytes) {
        let delay = Duration::from_millis(self.with_random(|random| random.u64(0..LONGEST_DELAY_MS)));
        if self.happens(REPEATED) {
            report(Happened::Repeated);
            let (proxy, parts, body) = (self.clone(), parts.clone(), body.clone());
            tokio::spawn(async move {
                tokio::time::sleep(delay).await;
                proxy.upstream.send(&parts, body).await;
            });
        } else if self.happens(LATE) {
            report(Happened::Late);
            tokio::time::sleep(delay).await;
        }
    }
}

impl Happened {
    pub const ALL: [Self; 5] = [Self::Passed, Self::Refused, Self::Lost, Self::Repeated, Self::Late];
}

impl fmt::Display for Happened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Passed => "passed",
            Self::Refused => "refused",
            Self::Lost => "lost",
            Self::Repeated => "repeated",
            Self::Late => "late",
        })
    }
}

fn report(happened: Happened) {
    println!("{happened}");
}

fn header<'a>(parts: &'a Parts, name: &str) -> &'a str {
    parts.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// The SDK repeats calls that are answered with this status.
fn failure() -> Response {
    (StatusCode::INTERNAL_SERVER_ERROR, r#"{"__type":"InternalServerError"}"#).into_response()
}
