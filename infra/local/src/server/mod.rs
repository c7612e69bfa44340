//! An HTTP server with a connection limit, and timeouts for clients that never send a whole request (Slowloris).
//!
//! All clients of a machine have the same address, so no address has a share of the connections. Instead, each new
//! connection takes the place of the one that has waited longest for its client. A connection is refused only while the
//! platform works for all others, and `/health` is answered even then.

mod bodies;
mod places;

use std::error::Error;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body as AxumBody;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Either, Limited};
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use bodies::{BodyError, ResponseBody};
pub use bodies::{BodyPace, RequestBody};
use places::{Place, Places};

type BoxError = Box<dyn Error + Send + Sync>;

/// The route that is answered even beyond the limit.
const HEALTH: &str = "/health";
/// The number of connections beyond the limit that get a refusal. Further connections are closed without an answer.
const MAX_REFUSED_CONNECTIONS: usize = 64;
const REFUSAL_TIMEOUT: Duration = Duration::from_secs(2);
/// How much of the body of a refused request is read: a client that still sends when the connection closes sees no
/// answer.
const DISCARDED_BYTES: usize = 256 * 1024;
/// The slowest body that is accepted for longer than its patience: 4 MiB may take a little more than four minutes.
pub const BODY_BYTES_PER_SECOND: u32 = 16 * 1024;
/// The delay after a failed `accept`.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(50);

#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    pub connections: usize,
    /// How long a connection may take to send the head of a request, including the idle time before it.
    pub head_timeout: Duration,
    pub body_pace: BodyPace,
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
    S: Service<Request<RequestBody>, Response = Response<B>> + Clone + Send + Sync + 'static,
    S::Future: Send,
    S::Error: Into<BoxError>,
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    let permits = Arc::new(Semaphore::new(limits.connections));
    let refusal_permits = Arc::new(Semaphore::new(MAX_REFUSED_CONNECTIONS));
    let places = Places::default();
    let mut running = JoinSet::new();
    loop {
        let socket = tokio::select! {
            () = stop.cancelled() => break,
            Some(_) = running.join_next() => continue,
            socket = accept(&listener) => socket,
        };
        // Without TCP_NODELAY, a small answer would wait for the acknowledgement of the one before.
        let _ = socket.set_nodelay(true);
        let (service, stop) = (service.clone(), stop.clone());
        let permit = permits.clone().try_acquire_owned().ok();
        if permit.is_some() || places.close_longest_waiting() {
            let (place, permits) = (places.add(), permits.clone());
            running.spawn(async move {
                let permit = match permit {
                    Some(permit) => Ok(permit),
                    // The connection that is being closed releases its permit at once.
                    None => permits.acquire_owned().await,
                };
                let service = service_fn(|request| call_service(&service, request, &place, limits.body_pace));
                serve_connection(socket, service, limits.head_timeout, true, &place, stop).await;
                drop(permit);
            });
        } else if let Ok(permit) = refusal_permits.clone().try_acquire_owned() {
            let place = Places::default().add();
            running.spawn(async move {
                let service = service_fn(|request| refuse_request(&service, request, &place, limits, render_refusal));
                serve_connection(socket, service, REFUSAL_TIMEOUT, false, &place, stop).await;
                drop(permit);
            });
        }
    }
    while running.join_next().await.is_some() {}
}

/// Calls the service, and notes whether the platform or the client is waited for.
async fn call_service<S, B>(
    service: &S,
    request: Request<Incoming>,
    place: &Arc<Place>,
    pace: BodyPace,
) -> Result<Response<ResponseBody<B>>, BoxError>
where
    S: Service<Request<RequestBody>, Response = Response<B>>,
    S::Error: Into<BoxError>,
{
    let (parts, body) = request.into_parts();
    let (body, mut unread) = RequestBody::new(body, place.clone(), pace).ok_or(BodyError::Closed)?;
    let answer = service.call(Request::from_parts(parts, body)).await.map_err(Into::into)?;
    if let Ok(rest) = unread.try_recv() {
        discard(rest).await;
    }
    Ok(answer.map(|body| ResponseBody::new(body, place.clone())))
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
    place: &Place,
    stop: CancellationToken,
) where
    S: Service<Request<Incoming>, Response = Response<B>>,
    S::Error: Into<BoxError>,
    B: Body + 'static,
    B::Error: Into<BoxError>,
{
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(head_timeout).keep_alive(keep_alive);
    // Labs use WebSockets.
    let mut connection = pin!(http.serve_connection(TokioIo::new(socket), service).with_upgrades());
    tokio::select! {
        _ = connection.as_mut() => return,
        () = place.closed() => return,
        () = stop.cancelled() => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}

/// Reads what a client still sends of a request that is answered already, so that it sees the answer, and can use the connection
/// for its next request.
async fn discard(body: Incoming) {
    let discarded = Limited::new(body, DISCARDED_BYTES).collect();
    let _ = tokio::time::timeout(REFUSAL_TIMEOUT, discarded).await;
}

/// Refuses a request, except `/health`: whoever watches the platform must reach it when it is busy.
async fn refuse_request<S, B>(
    service: &S,
    request: Request<Incoming>,
    place: &Arc<Place>,
    limits: ConnectionLimits,
    render_refusal: RenderRefusal,
) -> Result<Response<Either<ResponseBody<B>, AxumBody>>, BoxError>
where
    S: Service<Request<RequestBody>, Response = Response<B>>,
    S::Error: Into<BoxError>,
{
    if request.method().is_safe() && request.uri().path() == HEALTH {
        return Ok(call_service(service, request, place, limits.body_pace).await?.map(Either::Left));
    }
    let (parts, body) = request.into_parts();
    discard(body).await;
    Ok(render_refusal(&parts).map(Either::Right))
}

/// The answer of an embedded service beyond its limit. The SDK clients retry on it.
pub fn plain_refusal(_: &http::request::Parts) -> Response<AxumBody> {
    let mut response = Response::new(AxumBody::from(Bytes::from_static(b"too many connections\n")));
    *response.status_mut() = http::StatusCode::SERVICE_UNAVAILABLE;
    response
}
