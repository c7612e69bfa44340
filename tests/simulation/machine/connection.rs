//! The network between a process and the AWS services, which delays and loses requests and answers.

use std::time::Duration;

use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use http_body_util::BodyExt;
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::time::sleep;

use super::database::Answer;
use super::kms;
use super::objects;
use super::process::Process;
use super::queue;
use super::random::happens;
use super::service;

#[derive(Clone)]
pub struct Connection(Process);

/// The delays and faults of one request.
struct RequestFaults {
    request_delay: Duration,
    /// How long its items are locked, if it is a write.
    lock_time: Duration,
    answer_delay: Duration,
    loses_request: bool,
    is_throttled: bool,
    loses_answer: bool,
}

impl Connection {
    pub fn client(process: &Process) -> SharedHttpClient {
        SharedHttpClient::new(Self(process.clone()))
    }

    fn random_request_faults(&self) -> RequestFaults {
        let faults = self.0.faults;
        let mut state = self.0.world.state();
        let random = &mut state.random;
        let loses_request = happens(random, faults.request_lost);
        let is_throttled = happens(random, faults.throttled);
        let loses_answer = happens(random, faults.answer_lost);
        let is_delayed = happens(random, faults.delayed);
        let millis = |millis| Duration::from_millis(millis);
        // Delays stay below five minutes: DynamoDB refuses a request whose signature is older.
        let request_delay = if is_delayed { random.u64(100..60_000) } else { random.u64(1..=3) };
        let (lock_time, answer_delay) = (millis(random.u64(4..=8)), millis(random.u64(1..=3)));
        RequestFaults {
            request_delay: millis(request_delay),
            lock_time,
            answer_delay,
            loses_request,
            is_throttled,
            loses_answer,
        }
    }

    async fn exchange(self, request: HttpRequest) -> Result<HttpResponse, ConnectorError> {
        let process = &self.0;
        process.wait_until_running().await;
        let target = request.headers().get("x-amz-target").unwrap_or_default();
        let operation = target.rsplit('.').next().unwrap_or_default().to_owned();
        let is_object = target.is_empty().then(|| (request.method().to_owned(), request.uri().to_owned()));
        let body = request.into_body().collect().await.map_err(ConnectorError::io)?.to_bytes();
        if let Some((method, uri)) = is_object {
            return self.exchange_object(&method, &uri, &body).await;
        }
        let body: Value = serde_json::from_slice(&body).expect("the SDK writes JSON");
        let faults = self.random_request_faults();
        if faults.loses_request {
            sleep(faults.request_delay).await;
            process.world.note(|| format!("{}: a {operation} is lost", process.name));
            return Err(ConnectorError::io("the connection was reset".into()));
        }
        let (sender, answer) = oneshot::channel();
        // A separate task: a request that was sent arrives even if its sender is dropped.
        let delivery = tokio::spawn(deliver(process.clone(), operation, body, faults, sender));
        let Ok(answer) = answer.await else {
            // A panic of the delivery is not a fault of the network.
            if let Err(panic) = delivery.await {
                std::panic::resume_unwind(panic.into_panic());
            }
            return Err(ConnectorError::io("the connection was reset".into()));
        };
        process.wait_until_running().await;
        let body = SdkBody::from(answer.body.to_string());
        Ok(HttpResponse::new(answer.status.try_into().expect("the status is a valid HTTP status"), body))
    }

    /// A request for an object takes some time, and may be lost, or its answer.
    async fn exchange_object(&self, method: &str, uri: &str, body: &[u8]) -> Result<HttpResponse, ConnectorError> {
        let (process, faults) = (&self.0, self.random_request_faults());
        sleep(faults.request_delay).await;
        process.wait_until_running().await;
        let answer = (!faults.loses_request).then(|| objects::execute(&process.world, method, uri, body));
        sleep(faults.answer_delay).await;
        process.wait_until_running().await;
        answer.filter(|_| !faults.loses_answer).ok_or_else(|| {
            process.world.note(|| format!("{}: a {method} of an object, or its answer, is lost", process.name));
            ConnectorError::io("the connection was reset".into())
        })
    }
}

async fn deliver(
    process: Process,
    operation: String,
    body: Value,
    faults: RequestFaults,
    sender: oneshot::Sender<Answer>,
) {
    let held = process.world.protocol.hold(&process.world, &operation, &body);
    sleep(faults.request_delay + held).await;
    let answer = match (operation.as_str(), faults.is_throttled) {
        ("GenerateDataKey" | "Decrypt", _) => kms::answer(),
        ("SendMessage", true) => queue::throttled(),
        ("SendMessage", false) => queue::send(&process, &body),
        (_, true) => service::throttled(),
        (_, false) => service::execute(&process, &operation, body, faults.lock_time).await,
    };
    sleep(faults.answer_delay).await;
    if faults.loses_answer {
        process.world.note(|| format!("{}: the answer to a {operation} is lost", process.name));
    } else {
        // This fails if the caller is gone.
        let _ = sender.send(answer);
    }
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Connection")
    }
}

impl HttpConnector for Connection {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        HttpConnectorFuture::new(self.clone().exchange(request))
    }
}

impl HttpClient for Connection {
    fn http_connector(&self, _: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}
