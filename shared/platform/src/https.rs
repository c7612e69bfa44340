//! The HTTP client of all AWS clients of a process.
//!
//! The client that the AWS SDK brings also speaks HTTP/2, which no service needs that is called here.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::connection::{CaptureSmithyConnection, ConnectionMetadata};
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::{RuntimeComponents, RuntimeComponentsBuilder};
use aws_smithy_types::body::SdkBody;
use aws_smithy_types::config_bag::ConfigBag;
use aws_smithy_types::retry::ErrorKind;
use futures::future::BoxFuture;
use http::Uri;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::{self, CaptureConnection, capture_connection};
use hyper_util::client::legacy::{self, Client};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::error::Elapsed;
use tokio::time::timeout;
use tower_service::Service;

use crate::{causes, tls};

pub fn https() -> SharedHttpClient {
    SharedHttpClient::new(Https::default())
}

type Pool = Client<ConnectWithin<HttpsConnector<connect::HttpConnector>>, SdkBody>;

/// One pool of connections for each connect timeout. A function has few.
#[derive(Clone, Debug, Default)]
struct Https(Arc<Mutex<HashMap<Option<Duration>, Pool>>>);

impl HttpClient for Https {
    fn http_connector(&self, settings: &HttpConnectorSettings, _: &RuntimeComponents) -> SharedHttpConnector {
        let mut pools = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let limit = settings.connect_timeout();
        let pool = pools.entry(limit).or_insert_with(|| open_pool(limit)).clone();
        SharedHttpConnector::new(Connector { pool, read_timeout: settings.read_timeout() })
    }

    /// Reads the trusted certificates when the first AWS client is created, so that no call has to wait for it.
    fn validate_base_client_config(&self, _: &RuntimeComponentsBuilder, _: &ConfigBag) -> Result<(), BoxError> {
        // A failure is reported by the pool.
        drop(tls::trusting_machine());
        Ok(())
    }
}

fn open_pool(connect_timeout: Option<Duration>) -> Pool {
    let tls = tls::trusting_machine().unwrap_or_else(|cause| {
        tracing::error!(?cause, "no trusted root certificates could be read; calls over HTTPS fail");
        tls::trusting_nobody()
    });
    let mut sockets = connect::HttpConnector::new();
    sockets.enforce_http(false);
    // Nagle's algorithm would delay small writes.
    sockets.set_nodelay(true);
    let https = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1();
    Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .build(ConnectWithin { inner: https.wrap_connector(sockets), limit: connect_timeout })
}

/// Sends requests with connections of a pool.
#[derive(Clone, Debug)]
pub struct Connector {
    pool: Pool,
    /// Until the status and the headers arrive.
    read_timeout: Option<Duration>,
}

impl Connector {
    pub fn new(connect_timeout: Duration, read_timeout: Duration) -> Self {
        Self { pool: open_pool(Some(connect_timeout)), read_timeout: Some(read_timeout) }
    }
}

impl HttpConnector for Connector {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let mut request = match request.try_into_http1x() {
            Ok(request) => request,
            Err(error) => return HttpConnectorFuture::ready(Err(ConnectorError::user(error.into()))),
        };
        // After some failures, the SDK closes the connection.
        let captured = capture_connection(&mut request);
        if let Some(capture) = request.extensions().get::<CaptureSmithyConnection>() {
            capture.set_connection_retriever(move || describe_connection(&captured));
        }
        let (answer, read_timeout) = (self.pool.request(request), self.read_timeout);
        HttpConnectorFuture::new(async move {
            let answer = match read_timeout {
                Some(limit) => timeout(limit, answer).await.map_err(|late| ConnectorError::timeout(late.into()))?,
                None => answer.await,
            };
            let answer = answer.map_err(|error| classify_error(&error)(error.into()))?.map(SdkBody::from_body_1_x);
            HttpResponse::try_from(answer).map_err(|error| ConnectorError::other(error.into(), None))
        })
    }
}

fn describe_connection(captured: &CaptureConnection) -> Option<ConnectionMetadata> {
    let is_proxied = captured.connection_metadata().as_ref()?.is_proxied();
    let captured = captured.clone();
    let close = move || {
        if let Some(connection) = captured.connection_metadata().as_ref() {
            connection.poison();
        }
    };
    Some(ConnectionMetadata::builder().proxied(is_proxied).poison_fn(close).build())
}

/// Tells the SDK whether a call may succeed if it is repeated.
fn classify_error(error: &legacy::Error) -> fn(BoxError) -> ConnectorError {
    if causes(error).any(|cause| cause.is::<Elapsed>()) {
        return ConnectorError::timeout;
    }
    let has_failed_io = causes(error).any(|cause| cause.is::<io::Error>());
    match causes(error).find_map(|cause| cause.downcast_ref::<hyper::Error>()) {
        _ if error.is_connect() => ConnectorError::io,
        Some(cause) if cause.is_user() => ConnectorError::user,
        Some(cause) if cause.is_closed() || cause.is_canceled() => ConnectorError::io,
        _ if has_failed_io => ConnectorError::io,
        Some(cause) if cause.is_incomplete_message() => {
            |error| ConnectorError::other(error, Some(ErrorKind::TransientError))
        }
        _ => |error| ConnectorError::other(error, None),
    }
}

/// Limits the time until a connection is open, with its TLS handshake.
#[derive(Clone, Debug)]
struct ConnectWithin<C> {
    inner: C,
    limit: Option<Duration>,
}

impl<C> Service<Uri> for ConnectWithin<C>
where
    C: Service<Uri, Error = BoxError>,
    C::Response: Send + 'static,
    C::Future: Send + 'static,
{
    type Response = C::Response;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<C::Response, BoxError>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, url: Uri) -> Self::Future {
        let (connected, limit) = (self.inner.call(url), self.limit);
        Box::pin(async move {
            match limit {
                Some(limit) => timeout(limit, connected).await?,
                None => connected.await,
            }
        })
    }
}

#[cfg(test)]
mod tests;
