//! Response streaming on Lambda.
//!
//! The Lambda runtime polls for events as usual, but the responses are sent here. The client of the runtime does not
//! disable Nagle's algorithm, so the second write of a response waits for the acknowledgment of the first: 40 ms per
//! stream.

use std::sync::Arc;
use std::task::{self, Poll};

use axum::Router;
use axum::body::Body as AxumBody;
use bytes::Bytes;
use futures::future::BoxFuture;
use futures::{Stream, StreamExt, TryStreamExt, stream};
use http::Request;
use http::header::{CONTENT_TYPE, HeaderName};
use http_body_util::StreamBody;
use hyper::body::Frame;
use hyper_util::client::legacy::connect::HttpConnector;
pub use lambda_http::Error;
use lambda_http::lambda_runtime::{LambdaInvocation, StreamResponse};
use lambda_http::request::LambdaRequest;
use lambda_http::tower::layer::layer_fn;
use lambda_http::{LambdaEvent, Service, StreamAdapter, streaming_runtime};
use lambda_runtime_api_client::body::Body;
use lambda_runtime_api_client::{PooledClient, RuntimeApiClient, build_request};
use platform::lambda;
use serde_json::json;

/// Separates the prelude of a response (status, headers, cookies) from its body.
const SEPARATOR: &[u8] = &[0; 8];
const RESPONSE_MODE: HeaderName = HeaderName::from_static("lambda-runtime-function-response-mode");
const INVOCATION_ID: HeaderName = HeaderName::from_static("lambda-runtime-invocation-id");

/// Serves requests until Lambda ends the process.
pub async fn run(router: Router, context: &platform::Context) -> Result<(), Error> {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    let api = Arc::new(PooledClient::builder().with_connector(connector).build());
    let answering = StreamingService { adapter: StreamAdapter::from(router.clone()), api };
    // Replaces the service with which the runtime would send responses.
    lambda::run(streaming_runtime(router).layer(layer_fn(move |_| answering.clone())), context).await
}

#[derive(Clone)]
struct StreamingService {
    adapter: StreamAdapter<'static, Router, AxumBody>,
    api: Arc<PooledClient>,
}

impl Service<LambdaInvocation> for StreamingService {
    type Response = ();
    type Error = Error;
    type Future = BoxFuture<'static, Result<(), Error>>;

    fn poll_ready(&mut self, _: &mut task::Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, LambdaInvocation { parts, body, context }: LambdaInvocation) -> Self::Future {
        let path = format!("/2018-06-01/runtime/invocation/{}", context.request_id);
        let answer = serde_json::from_slice::<LambdaRequest>(&body)
            .map(|event| self.adapter.call(LambdaEvent::new(event, context)));
        let api = Arc::clone(&self.api);
        Box::pin(async move {
            let mut request = match answer {
                Ok(answer) => response(&path, answer.await?)?,
                Err(cause) => failure(&path, &cause)?,
            };
            if let Some(id) = parts.headers.get(INVOCATION_ID) {
                request.headers_mut().insert(INVOCATION_ID, id.clone());
            }
            send(&api, request).await;
            Ok(())
        })
    }
}

/// Builds the request that sends a response. Prelude, separator and body are separate chunks: Lambda reads one byte
/// stream, but `cargo lambda watch` expects the prelude in the first chunk and the separator in the second.
fn response<S>(path: &str, answer: StreamResponse<S>) -> Result<Request<Body>, Error>
where
    S: Stream<Item = Result<Bytes, axum::Error>> + Send + 'static,
{
    let prelude = Bytes::from(serde_json::to_vec(&answer.metadata_prelude)?);
    let head = stream::iter([Ok(prelude), Ok(Bytes::from_static(SEPARATOR))]);
    let chunks = head.chain(answer.stream.map_err(Error::from)).map_ok(Frame::data);
    let request = build_request()
        .method("POST")
        .uri(format!("{path}/response"))
        .header(RESPONSE_MODE, "streaming")
        .header(CONTENT_TYPE, "application/vnd.awslambda.http-integration-response");
    Ok(request.body(Body::new(StreamBody::new(chunks)))?)
}

fn failure(path: &str, cause: &serde_json::Error) -> Result<Request<Body>, Error> {
    let body = json!({"errorType": "InvalidEvent", "errorMessage": cause.to_string()}).to_string();
    Ok(build_request().method("POST").uri(format!("{path}/error")).body(Body::from(body))?)
}

/// Sends a response. A failure, such as a client that disconnected, is only logged.
async fn send(api: &PooledClient, request: Request<Body>) {
    match RuntimeApiClient::call(api, request).await {
        Ok(response) if response.status().is_success() => {}
        Ok(response) => tracing::warn!(status = %response.status(), "Lambda refused a response"),
        Err(error) => tracing::warn!(error, "a response could not be sent completely"),
    }
}
