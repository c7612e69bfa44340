//! Sends the requests of a lab to its program, web sockets included.

use std::net::Ipv4Addr;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use http::header::{AUTHORIZATION, CONNECTION, COOKIE, HOST, HeaderName, HeaderValue, SET_COOKIE, UPGRADE};
use http::uri::PathAndQuery;
use http::{HeaderMap, Request, StatusCode, Uri};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;

use super::pages::message_page;
use super::process::LabProcess;
use super::program::Address;
use super::session::{COOKIE_NAME, cookies};

/// The timeout of the platform's own questions to a program.
const QUESTION_TIMEOUT: Duration = Duration::from_secs(3);
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

/// Whether the program answers requests. Any answer will do.
pub async fn answers(process: &LabProcess) -> bool {
    matches!(timeout(QUESTION_TIMEOUT, send(process, question(process, "/"))).await, Ok(Ok(_)))
}

/// Reads JSON from the program. None if it gives no such answer.
pub async fn read<T: DeserializeOwned>(process: &LabProcess, path: &str) -> Option<T> {
    let read = async {
        let answer = send(process, question(process, path)).await.ok()?;
        let body = Limited::new(answer.into_body(), MAX_ANSWER_BYTES).collect().await.ok()?;
        serde_json::from_slice(&body.to_bytes()).ok()
    };
    timeout(QUESTION_TIMEOUT, read).await.ok()?
}

/// Sends a request to the program. `allowed` ends when a WebSocket must be closed.
pub async fn forward(
    process: &LabProcess,
    mut request: Request<Body>,
    allowed: impl Future<Output = ()> + Send + 'static,
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
    let is_switched = answer.status() == StatusCode::SWITCHING_PROTOCOLS;
    if let Some(from_browser) = from_browser.filter(|_| is_switched) {
        let from_lab = hyper::upgrade::on(&mut answer);
        tokio::spawn(async move {
            let Ok((browser, lab)) = futures::future::try_join(from_browser, from_lab).await else { return };
            let (mut browser, mut lab) = (TokioIo::new(browser), TokioIo::new(lab));
            tokio::select! {
                _ = copy_bidirectional(&mut browser, &mut lab) => {}
                () = allowed => {}
            }
        });
    }
    let (mut parts, body) = answer.into_parts();
    remove_hop_by_hop(&mut parts.headers);
    if let Some(upgrade) = upgrade.filter(|_| is_switched) {
        add_upgrade(&mut parts.headers, upgrade);
    }
    drop_session_cookie(&mut parts.headers);
    Response::from_parts(parts, Body::new(body))
}

/// The program gets its token and not the cookie of the session.
fn rewrite(process: &LabProcess, request: Request<Body>, upgrade: Option<&HeaderValue>) -> Request<Body> {
    let (mut parts, body) = request.into_parts();
    parts.uri = Uri::from(parts.uri.path_and_query().cloned().unwrap_or_else(|| PathAndQuery::from_static("/")));
    let others: Vec<_> = cookies(&parts.headers).filter(|cookie| !is_session(cookie)).map(str::to_owned).collect();
    parts.headers.remove(COOKIE);
    if let (false, Ok(cookie)) = (others.is_empty(), HeaderValue::try_from(others.join("; "))) {
        parts.headers.insert(COOKIE, cookie);
    }
    remove_hop_by_hop(&mut parts.headers);
    if let Some(upgrade) = upgrade {
        add_upgrade(&mut parts.headers, upgrade.clone());
    }
    parts.headers.insert(AUTHORIZATION, bearer(process));
    Request::from_parts(parts, body)
}

fn question(process: &LabProcess, path: &str) -> Request<Body> {
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
    for name in HOP_BY_HOP {
        headers.remove(name);
    }
}

fn add_upgrade(headers: &mut HeaderMap, protocol: HeaderValue) {
    headers.insert(UPGRADE, protocol);
    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
}

fn is_session(cookie: &str) -> bool {
    cookie.strip_prefix(COOKIE_NAME).is_some_and(|rest| rest.starts_with('='))
}

/// Removes a cookie with the name of the session's, which a program must not set.
fn drop_session_cookie(headers: &mut HeaderMap) {
    let name: HeaderName = SET_COOKIE;
    let set: Vec<HeaderValue> = headers.get_all(&name).iter().cloned().collect();
    headers.remove(&name);
    for value in set.into_iter().filter(|value| !value.to_str().is_ok_and(is_session)) {
        headers.append(&name, value);
    }
}
