//! Tests of the outbound client on a fake network: a test decides what names resolve to, and every connection reaches a
//! server in this process.

mod calls;
mod oauth2;
mod reach;
mod redirects;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use futures::future::BoxFuture;
use http::Request;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::{AddressGuard, Network, Outbound, OutboundError, RequestTimeouts};

/// A public address. Nothing is ever sent to it.
const PUBLIC: &str = "93.184.215.14";
const TIMEOUTS: RequestTimeouts = RequestTimeouts {
    first_byte: Duration::from_secs(5),
    idle: Duration::from_secs(5),
    total: Duration::from_secs(10),
};

#[derive(Clone, Default)]
struct Stage {
    /// The result of each name resolution. The last one repeats.
    answers: Arc<Mutex<Vec<Vec<IpAddr>>>>,
    dialled: Arc<Mutex<Vec<SocketAddr>>>,
    /// The requests that a server of `answering` received.
    heard: Arc<Mutex<Vec<String>>>,
    server: Option<SocketAddr>,
    /// How long a server of `answering` takes for each response, on the stopped clock.
    takes: Duration,
    /// An operating system error with which every connection fails.
    broken: Option<i32>,
}

/// Stops the clock: from here on, only `pass` advances it. An idle runtime would advance a stopped clock by itself, so
/// a task keeps it busy.
fn stop_clock() {
    tokio::time::pause();
    tokio::spawn(async {
        loop {
            tokio::task::yield_now().await;
        }
    });
}

/// Advances the clock, after other tasks have done everything they can do before that time.
async fn pass(time: Duration) {
    settle().await;
    tokio::time::advance(time).await;
    settle().await;
}

/// Yields until the other tasks have done everything they can do now.
async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

impl Network for Stage {
    fn resolve<'a>(&'a self, _: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let mut answers = self.answers.lock().unwrap();
        let found = if answers.len() > 1 { answers.remove(0) } else { answers.first().cloned().unwrap_or_default() };
        Box::pin(async { Ok(found) })
    }

    fn dial(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>> {
        self.dialled.lock().unwrap().push(address);
        Box::pin(async move {
            if let Some(error) = self.broken {
                return Err(io::Error::from_raw_os_error(error));
            }
            let server = self.server.ok_or(io::ErrorKind::ConnectionRefused)?;
            TcpStream::connect(server).await
        })
    }
}

impl Stage {
    fn resolving(answers: &[&[&str]]) -> Self {
        let parse = |list: &&[&str]| list.iter().map(|address| address.parse().unwrap()).collect();
        Self { answers: Arc::new(Mutex::new(answers.iter().map(parse).collect())), ..Self::default() }
    }

    /// A server that reads a request and sends these pieces, each after a pause.
    async fn serving(mut self, pieces: Vec<(Duration, &'static str)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        self.server = Some(listener.local_addr().unwrap());
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let pieces = pieces.clone();
                tokio::spawn(async move {
                    let mut request = [0; 4096];
                    while stream.read(&mut request).await.unwrap_or(0) > 0 {
                        for (pause, piece) in &pieces {
                            if !pause.is_zero() {
                                pass(*pause).await;
                            }
                            if piece.is_empty() || stream.write_all(piece.as_bytes()).await.is_err() {
                                return;
                            }
                        }
                    }
                });
            }
        });
        self
    }

    /// A server that responds to each request with the result of `answer`, one request per connection.
    async fn answering(mut self, answer: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        self.server = Some(listener.local_addr().unwrap());
        let (heard, answer, takes) = (self.heard.clone(), Arc::new(answer), self.takes);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let (heard, answer) = (heard.clone(), answer.clone());
                tokio::spawn(async move {
                    let request = whole_request(&mut stream).await;
                    let answer = answer(&request);
                    heard.lock().unwrap().push(request);
                    if !takes.is_zero() {
                        pass(takes).await;
                    }
                    let _ = stream.write_all(answer.as_bytes()).await;
                });
            }
        });
        self
    }

    fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }

    async fn get(&self, url: &str, guard: AddressGuard, timeouts: RequestTimeouts) -> Result<Bytes, OutboundError> {
        let outbound = Outbound::new(guard, self.clone());
        let answer = outbound.send(get(url), &timeouts).await?;
        answer.body.read_to_end(100).await
    }

    fn dialled(&self) -> Vec<String> {
        self.dialled.lock().unwrap().iter().map(SocketAddr::to_string).collect()
    }
}

fn get(url: &str) -> Request<Bytes> {
    Request::get(url).body(Bytes::new()).unwrap()
}

fn at_once(pieces: &[&'static str]) -> Vec<(Duration, &'static str)> {
    pieces.iter().map(|piece| (Duration::ZERO, *piece)).collect()
}

async fn whole_request(stream: &mut TcpStream) -> String {
    let mut request = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&request).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
            if body.len() >= length {
                return text;
            }
        }
        let mut piece = [0; 4096];
        match stream.read(&mut piece).await.unwrap_or(0) {
            0 => return text,
            read => request.extend_from_slice(&piece[..read]),
        }
    }
}

/// A response after which the server closes the connection.
fn closing(status: &str, headers: &[(&str, &str)], body: &str) -> String {
    let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("HTTP/1.1 {status}\r\n{headers}connection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

/// The first line of a request.
fn line(request: &str) -> &str {
    request.lines().next().unwrap_or_default()
}

fn has_header(request: &str, name: &str) -> bool {
    request.lines().any(|line| line.starts_with(&format!("{name}: ")))
}
