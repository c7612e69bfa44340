//! One connection of a load: a closed loop that repeats the same call.

use std::cell::Cell;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{Request, header};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::call::Expected;
use crate::load::{Length, Target};

/// The timeout of one call.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// How long a connection may take to become free again, and the backoff after a refused connection.
const PAUSE: Duration = Duration::from_millis(10);
/// How many characters of a wrong answer are reported.
const SHOWN_CHARS: usize = 300;

pub struct Connection {
    port: u16,
    /// The request without its body, which hyper takes by value.
    head: Request<()>,
    call: Bytes,
    expected: Arc<Expected>,
}

type Sender = SendRequest<Full<Bytes>>;

/// The answers and errors of one connection.
#[derive(Default)]
pub struct Tally {
    pub answers: Vec<Answer>,
    pub errors: usize,
    pub first_error: Option<String>,
}

/// When the connections of a load call. They share it.
pub struct Pace {
    until: Option<Instant>,
    calls_left: Cell<usize>,
    /// The pause after each answer.
    pause: Duration,
}

pub struct Answer {
    pub first_byte: Duration,
    pub total: Duration,
}

impl Connection {
    pub fn new(target: &Target, call: Bytes, expected: Arc<Expected>) -> http::Result<Self> {
        let mut head = Request::post(&target.path)
            .header(header::HOST, format!("127.0.0.1:{}", target.port))
            .header(header::CONTENT_TYPE, "application/json");
        for (name, value) in &target.headers {
            head = head.header(name, value);
        }
        Ok(Self { port: target.port, head: head.body(())?, call, expected })
    }

    /// Repeats the call as long as the pace allows.
    pub async fn ask(self, pace: &Pace) -> Tally {
        let (mut tally, mut open) = (Tally::default(), None);
        while pace.allows() {
            let Some(mut sender) = open.take() else {
                match self.connect().await {
                    Ok(sender) => open = Some(sender),
                    Err(error) => {
                        tally.fail(error.to_string());
                        sleep(PAUSE).await;
                    }
                }
                continue;
            };
            pace.count();
            let asked = timeout(PATIENCE, self.ask_once(&mut sender)).await;
            match asked.unwrap_or_else(|_| Err(format!("no answer within {PATIENCE:?}"))) {
                Ok(answer) => tally.answers.push(answer),
                Err(error) => tally.fail(error),
            }
            // A server may close the connection after any answer. That is not an error of the next call.
            let is_ready = matches!(timeout(PAUSE, sender.ready()).await, Ok(Ok(())));
            open = is_ready.then_some(sender);
            if !pace.pause.is_zero() {
                sleep(pace.pause).await;
            }
        }
        tally
    }

    async fn connect(&self) -> io::Result<Sender> {
        let socket = TcpStream::connect(("127.0.0.1", self.port)).await?;
        socket.set_nodelay(true)?;
        let (sender, connection) = handshake(TokioIo::new(socket)).await.map_err(io::Error::other)?;
        tokio::spawn(connection);
        Ok(sender)
    }

    async fn ask_once(&self, sender: &mut Sender) -> Result<Answer, String> {
        let request = self.head.clone().map(|()| Full::new(self.call.clone()));
        let sent = Instant::now();
        let response = sender.send_request(request).await.map_err(|error| error.to_string())?;
        let (head, mut body) = response.into_parts();
        let (mut content, mut first_byte) = (Vec::new(), None);
        while let Some(frame) = body.frame().await {
            if let Ok(data) = frame.map_err(|error| error.to_string())?.into_data() {
                first_byte.get_or_insert_with(|| sent.elapsed());
                content.extend_from_slice(&data);
            }
        }
        let total = sent.elapsed();
        match first_byte {
            Some(first_byte) if head.status.is_success() && self.expected.is(&content) => {
                Ok(Answer { first_byte, total })
            }
            _ => {
                let content: String = String::from_utf8_lossy(&content).chars().take(SHOWN_CHARS).collect();
                Err(format!("HTTP {}: {content}", head.status))
            }
        }
    }
}

impl Pace {
    pub fn new(length: Length, pause: Duration) -> Self {
        let (until, calls) = match length {
            Length::Seconds(seconds) => (Some(Instant::now() + Duration::from_secs_f64(seconds)), usize::MAX),
            Length::Calls(calls) => (None, calls),
        };
        Self { until, calls_left: Cell::new(calls), pause }
    }

    fn allows(&self) -> bool {
        self.calls_left.get() > 0 && self.until.is_none_or(|until| Instant::now() < until)
    }

    fn count(&self) {
        self.calls_left.set(self.calls_left.get().saturating_sub(1));
    }
}

impl Tally {
    fn fail(&mut self, error: String) {
        self.errors += 1;
        self.first_error.get_or_insert(error);
    }
}
