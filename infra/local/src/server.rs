//! An HTTP server with a connection limit, and a timeout for clients that never send a request (Slowloris).

use std::error::Error;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body as AxumBody;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Limited};
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// The number of connections beyond the limit that get a refusal. Further connections are closed without an answer.
const MAX_REFUSED_CONNECTIONS: usize = 64;
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(2);
/// How much of the body of a refused request is read: a client that still sends when the connection closes sees no
/// answer.
const DISCARDED_BYTES: usize = 256 * 1024;
/// The delay after a failed `accept`.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(50);

#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    pub connections: usize,
    /// How long a connection may take to send the head of a request, including the idle time before it.
    pub head_timeout: Duration,
}

/// Renders the answer to connections beyond the limit.
pub type RenderRefusal = fn(&http::request::Parts) -> Response<AxumBody>;

/// Serves until `stop`, then waits for the requests in flight.
pub async fn serve<S, B>(
    listener: TcpListener,
    service: S,
    limits: ConnectionLimits,
    render_refusal: RenderRefusal,
    stop: CancellationToken,
) where
    S: Service<Request<Incoming>, Response = Response<B>> + Clone + Send + 'static,
    S::Future: Send,
    S::Error: Into<Box<dyn Error + Send + Sync>>,
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let permits = Arc::new(Semaphore::new(limits.connections));
    let refusal_permits = Arc::new(Semaphore::new(MAX_REFUSED_CONNECTIONS));
    let mut running = JoinSet::new();
    loop {
        let socket = tokio::select! {
            () = stop.cancelled() => break,
            Some(_) = running.join_next() => continue,
            socket = accept(&listener) => socket,
        };
        // Without TCP_NODELAY, a small answer would wait for the acknowledgement of the one before.
        let _ = socket.set_nodelay(true);
        let stop = stop.clone();
        if let Ok(permit) = permits.clone().try_acquire_owned() {
            let service = service.clone();
            running.spawn(async move {
                serve_connection(socket, service, limits.head_timeout, true, stop).await;
                drop(permit);
            });
        } else if let Ok(permit) = refusal_permits.clone().try_acquire_owned() {
            running.spawn(async move {
                let service = service_fn(move |request| refuse_request(request, render_refusal));
                serve_connection(socket, service, REFUSAL_TIMEOUT, false, stop).await;
                drop(permit);
            });
        }
    }
    while running.join_next().await.is_some() {}
}

async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((socket, _)) => return socket,
            // The client has closed the connection already.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
            Err(cause) => {
                tracing::warn!(%cause, "a connection cannot be accepted");
                tokio::time::sleep(ACCEPT_BACKOFF).await;
            }
        }
    }
}

async fn serve_connection<S, B>(
    socket: TcpStream,
    service: S,
    head_timeout: Duration,
    keep_alive: bool,
    stop: CancellationToken,
) where
    S: Service<Request<Incoming>, Response = Response<B>>,
    S::Error: Into<Box<dyn Error + Send + Sync>>,
    B: Body + 'static,
    B::Error: Into<Box<dyn Error + Send + Sync>>,
{
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(head_timeout).keep_alive(keep_alive);
    // Labs use WebSockets.
    let mut connection = pin!(http.serve_connection(TokioIo::new(socket), service).with_upgrades());
    tokio::select! {
        _ = connection.as_mut() => return,
        () = stop.cancelled() => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}

async fn refuse_request(
    request: Request<Incoming>,
    render_refusal: RenderRefusal,
) -> Result<Response<AxumBody>, std::convert::Infallible> {
    let (parts, body) = request.into_parts();
    let discarded = Limited::new(body, DISCARDED_BYTES).collect();
    let _ = tokio::time::timeout(REFUSAL_TIMEOUT, discarded).await;
    Ok(render_refusal(&parts))
}

/// The answer of an embedded service beyond its limit. The SDK clients retry on it.
pub fn plain_refusal(_: &http::request::Parts) -> Response<AxumBody> {
    let mut response = Response::new(AxumBody::from(Bytes::from_static(b"too many connections\n")));
    *response.status_mut() = http::StatusCode::SERVICE_UNAVAILABLE;
    response
}
