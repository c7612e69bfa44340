//! Reverse proxy from a lab's origin to its program, for HTTP and web sockets.

use std::net::Ipv4Addr;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use futures::StreamExt;
use http::header::{AUTHORIZATION, CONNECTION, COOKIE, HOST, HeaderName, HeaderValue, SET_COOKIE, UPGRADE};
use http::uri::PathAndQuery;
use http::{HeaderMap, Request, StatusCode, Uri};
use http_body_util::{BodyExt, BodyStream, Limited, StreamBody};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;
use tokio_util::io::InspectReader;

use super::pages::message_page;
use super::process::LabProcess;
use super::program::Address;
use super::session::{cookies, is_reserved};

/// The timeout of the platform's own requests to a program.
const PROBE_TIMEOUT: Duration = Duration::from_secs(3);
const MAX_ANSWER_BYTES: usize = 1 << 20;
/// These headers concern one connection, and are not passed on.
const HOP_BY_HOP: [&str; 8] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Sends a request to the program, over a connection of its own.
async fn send(process: &LabProcess, request: Request<Body>) -> std::io::Result<http::Response<Incoming>> {
    match &process.address {
        Address::Port(port) => exchange(TcpStream::connect((Ipv4Addr::LOCALHOST, *port)).await?, request).await,
        Address::Socket(socket) => exchange(UnixStream::connect(socket).await?, request).await,
    }
}

async fn exchange<S>(stream: S, request: Request<Body>) -> std::io::Result<http::Response<Incoming>>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(std::io::Error::other)?;
    tokio::spawn(connection.with_upgrades());
    sender.send_request(request).await.map_err(std::io::Error::other)
}

/// Whether the program answers requests, with any status.
pub async fn is_responding(process: &LabProcess) -> bool {
    matches!(timeout(PROBE_TIMEOUT, send(process, probe(process, "/"))).await, Ok(Ok(_)))
}

/// Reads JSON from the program. None if it does not answer in time, or with other data.
pub async fn read<T: DeserializeOwned>(process: &LabProcess, path: &str) -> Option<T> {
    let read = async {
        let answer = send(process, probe(process, path)).await.ok()?;
        let body = Limited::new(answer.into_body(), MAX_ANSWER_BYTES).collect().await.ok()?;
        serde_json::from_slice(&body.to_bytes()).ok()
    };
    timeout(PROBE_TIMEOUT, read).await.ok()?
}

/// Sends a request to the program. The answer and the WebSocket end when `ended` does. `on_message` is called when a
/// WebSocket has brought data from the browser.
pub async fn forward(
    process: &LabProcess,
    mut request: Request<Body>,
    ended: impl Future<Output = ()> + Send + 'static,
    on_message: impl Fn() + Send + 'static,
) -> Response {
    let upgrade = request.headers().get(UPGRADE).cloned();
    let from_browser = upgrade.as_ref().map(|_| hyper::upgrade::on(&mut request));
    let mut answer = match send(process, rewrite(process, request, upgrade.as_ref())).await {
        Ok(answer) => answer,
        Err(error) => {
            tracing::info!(?error, "the program of a lab does not answer");
            let message = "The program of the workbench does not answer. Load the page again in a few seconds.";
            return message_page(StatusCode::BAD_GATEWAY, "The workbench does not answer", message);
        }
    };
    let chosen = answer.headers().get(UPGRADE).cloned();
    if let (StatusCode::SWITCHING_PROTOCOLS, Some(from_browser)) = (answer.status(), from_browser) {
        let from_lab = hyper::upgrade::on(&mut answer);
        tokio::spawn(async move {
            let Ok((browser, lab)) = futures::future::try_join(from_browser, from_lab).await else { return };
            let mut browser = InspectReader::new(TokioIo::new(browser), move |data: &[u8]| {
                if !data.is_empty() {
                    on_message();
                }
            });
            let mut lab = TokioIo::new(lab);
            tokio::select! {
                _ = copy_bidirectional(&mut browser, &mut lab) => {}
                () = ended => {}
            }
        });
        let (mut parts, _) = answer.into_parts();
        clean(&mut parts.headers);
        if let Some(protocol) = chosen {
            add_upgrade(&mut parts.headers, protocol);
        }
        return Response::from_parts(parts, Body::empty());
    }
    let (mut parts, body) = answer.into_parts();
    clean(&mut parts.headers);
    let body = StreamBody::new(BodyStream::new(body).take_until(Box::pin(ended)));
    Response::from_parts(parts, Body::new(body))
}

/// Removes what must not reach the browser.
fn clean(headers: &mut HeaderMap) {
    remove_hop_by_hop(headers);
    drop_session_cookies(headers);
}

/// The program gets its token and not the cookies of sessions.
fn rewrite(process: &LabProcess, request: Request<Body>, upgrade: Option<&HeaderValue>) -> Request<Body> {
    let (mut parts, body) = request.into_parts();
    parts.uri = Uri::from(parts.uri.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/")));
    let others: Vec<&[u8]> = cookies(&parts.headers).filter(|cookie| !is_reserved(cookie)).collect();
    let (has_others, others) = (!others.is_empty(), HeaderValue::from_bytes(&others.join(&b"; "[..])));
    parts.headers.remove(COOKIE);
    if let (true, Ok(cookie)) = (has_others, others) {
        parts.headers.insert(COOKIE, cookie);
    }
    remove_hop_by_hop(&mut parts.headers);
    if let Some(upgrade) = upgrade {
        add_upgrade(&mut parts.headers, upgrade.clone());
    }
    parts.headers.insert(AUTHORIZATION, bearer(process));
    Request::from_parts(parts, body)
}

fn probe(process: &LabProcess, path: &str) -> Request<Body> {
    let mut request = Request::new(Body::empty());
    *request.uri_mut() = path.parse().unwrap_or_default();
    request.headers_mut().insert(AUTHORIZATION, bearer(process));
    request.headers_mut().insert(HOST, HeaderValue::from_static("localhost"));
    request
}

fn bearer(process: &LabProcess) -> HeaderValue {
    let mut value = HeaderValue::try_from(format!("Bearer {}", process.token)).unwrap_or(HeaderValue::from_static(""));
    value.set_sensitive(true);
    value
}

fn remove_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
        .filter_map(|name| HeaderName::from_bytes(name.trim_ascii()).ok())
        .collect();
    for name in named {
        headers.remove(name);
    }
    for name in HOP_BY_HOP {
        headers.remove(name);
    }
}

fn add_upgrade(headers: &mut HeaderMap, protocol: HeaderValue) {
    headers.insert(UPGRADE, protocol);
    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
}

/// Removes cookies with the name of a session's, which a program must not set.
fn drop_session_cookies(headers: &mut HeaderMap) {
    let name: HeaderName = SET_COOKIE;
    let set: Vec<HeaderValue> = headers.get_all(&name).iter().cloned().collect();
    headers.remove(&name);
    for value in set.into_iter().filter(|value| !is_reserved(value.as_bytes())) {
        headers.append(&name, value);
    }
}
