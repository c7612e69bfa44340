//! The HTTP client for outbound requests: to model providers and to URLs of users.
//!
//! An SSRF guard checks every address, redirects are followed only on request, and every call has timeouts and size
//! limits.

mod address_guard;
mod authorization;
mod body;
mod call_error;
mod calls;
mod consented;
mod network;
pub mod oauth2;
mod redirects;
mod retry_after;
pub mod sse;
mod streams;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode, Uri};
use http_body_util::Full;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::{self, Client};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use domain::address::has_valid_port;
use domain::{Error, Result};
use platform::config::{Config, OUTBOUND_MAX_CONNECTIONS};
use platform::{causes, tls};

pub use address_guard::AddressGuard;
pub use authorization::sensitive;
pub use body::Body;
pub use call_error::CallError;
pub use calls::Calls;
pub use consented::{ConsentedToken, ConsentedTokens};
pub use network::{Internet, Network, is_exhaustion};
pub use redirects::{MAX_REDIRECTS, Redirects};
pub use retry_after::{MAX_RETRY_AFTER, retry_after};
pub use streams::Stream;

use network::{ConnectError, Connector};

/// Less than the 60 seconds after which load balancers drop idle connections.
const KEEP_ALIVE: Duration = Duration::from_secs(50);
const MAX_IDLE_PER_HOST: usize = 128;
/// Half of the 1,024 files that a Lambda may have open.
const MAX_CONNECTIONS: usize = 512;

type HttpClient = Client<HttpsConnector<Connector>, Full<Bytes>>;

/// The timeouts of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestTimeouts {
    /// Until the status and the headers arrive, including connecting.
    pub first_byte: Duration,
    /// Between two pieces of the body.
    pub idle: Duration,
    /// For the whole request and response.
    pub total: Duration,
}

impl RequestTimeouts {
    /// Limits the total timeout to the time left until the deadline.
    fn until(&self, deadline: Instant) -> Self {
        let left = deadline.saturating_duration_since(Instant::now());
        Self { total: self.total.min(left), ..*self }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutboundError {
    #[error("requests to this destination are not allowed; use a public address, or one that the operator allows")]
    Forbidden,
    #[error("the URL is not a valid HTTP or HTTPS URL")]
    NotHttp,
    /// The connection limit of this process is reached. Nothing was sent.
    #[error("the platform has too many connections open; try again later")]
    Exhausted,
    /// Nothing was sent.
    #[error("the destination could not be reached")]
    Unreachable,
    /// `sent` means that the request may have arrived.
    #[error("the destination did not respond in time")]
    Timeout { sent: bool },
    /// The request may have arrived.
    #[error("the connection was closed before the response was complete")]
    Cut,
    #[error("the response is larger than {limit_bytes} bytes")]
    TooLarge { limit_bytes: usize },
    #[error("the destination redirects more than {MAX_REDIRECTS} times")]
    TooManyRedirects,
}

impl OutboundError {
    /// The error code in the result of a test call, and of a step of a run.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Forbidden => "destination_forbidden",
            Self::NotHttp => "url_not_http",
            Self::Exhausted => "platform_busy",
            Self::Unreachable => "destination_unreachable",
            Self::Timeout { .. } => "destination_timeout",
            Self::Cut => "connection_cut",
            Self::TooLarge { .. } => "response_too_large",
            Self::TooManyRedirects => "too_many_redirects",
        }
    }
}

pub struct Answer {
    /// The URL that answered; after a redirect, it is another one than that of the request.
    pub url: Uri,
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Body,
}

/// The client. A process needs only one, because it holds the connection pool.
#[derive(Clone)]
pub struct Outbound {
    connector: Connector,
    client: Arc<OnceLock<HttpClient>>,
}

impl Outbound {
    pub fn from_config(config: &Config) -> Result<Self> {
        let outbound = Self::new(AddressGuard::from_config(config)?, Internet);
        match config.optional(OUTBOUND_MAX_CONNECTIONS) {
            Some(most) => Ok(outbound.with_max_connections(most.parse().map_err(Error::internal)?)),
            None => Ok(outbound),
        }
    }

    /// Limits the number of connections, including idle ones.
    #[must_use]
    pub fn with_max_connections(self, most: usize) -> Self {
        let room = Arc::new(Semaphore::new(most));
        Self { connector: Connector { room, ..self.connector }, client: Arc::default() }
    }

    pub fn new(guard: AddressGuard, network: impl Network + 'static) -> Self {
        let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let connector = Connector { guard: Arc::new(guard), network: Arc::new(network), room };
        Self { connector, client: Arc::default() }
    }

    /// Whether the guard refuses the host of a URL without resolving it: an IP address or `localhost`. Other names are
    /// checked when they are resolved.
    pub fn refuses_host(&self, url: &Uri) -> bool {
        let host = url.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
        let name = host.trim_end_matches('.');
        let address = if name == "localhost" || name.ends_with(".localhost") {
            Ok(IpAddr::V4(Ipv4Addr::LOCALHOST))
        } else {
            name.parse()
        };
        let default_port = if url.scheme_str() == Some("http") { 80 } else { 443 };
        let port = url.port_u16().unwrap_or(default_port);
        address.is_ok_and(|address| !self.connector.guard.permits(SocketAddr::new(address, port)))
    }

    pub async fn send(&self, request: Request<Bytes>, timeouts: &RequestTimeouts) -> Result<Answer, OutboundError> {
        let is_http = matches!(request.uri().scheme_str(), Some("http" | "https"));
        let has_password = request.uri().authority().is_none_or(|authority| authority.as_str().contains('@'));
        let has_port = request.uri().authority().is_some_and(has_valid_port);
        if !is_http || has_password || !has_port {
            return Err(OutboundError::NotHttp);
        }
        let url = request.uri().clone();
        let began = Instant::now();
        let deadline = began + timeouts.total;
        // Root certificates are read from disk, so only when the first request is sent.
        let client = match self.client.get() {
            Some(client) => client.clone(),
            None => self.connect(),
        };
        let answer = client.request(request.map(Full::new));
        let answer = match timeout_at(deadline.min(began + timeouts.first_byte), answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => return Err(classify_error(&error)),
            Err(_) => return Err(OutboundError::Timeout { sent: true }),
        };
        let (parts, incoming) = answer.into_parts();
        let body = Body::new(incoming, timeouts, deadline);
        Ok(Answer { url, status: parts.status, headers: parts.headers, body })
    }

    /// Creates the client. It is kept only if its certificates could be read; otherwise the next call tries again.
    fn connect(&self) -> HttpClient {
        let (tls, is_trusting) = match tls::trusting_machine() {
            Ok(tls) => (tls, true),
            Err(cause) => {
                tracing::error!(?cause, "no trusted root certificates could be read; HTTPS requests fail");
                (tls::trusting_nobody(), false)
            }
        };
        let connector = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1();
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(KEEP_ALIVE)
            .pool_max_idle_per_host(MAX_IDLE_PER_HOST)
            .build(connector.wrap_connector(self.connector.clone()));
        if is_trusting { self.client.get_or_init(|| client).clone() } else { client }
    }
}

fn classify_error(error: &legacy::Error) -> OutboundError {
    if !error.is_connect() {
        tracing::warn!(cause = %cause_of(error), "the connection failed before a response arrived");
        return OutboundError::Cut;
    }
    let mut found = causes(error).filter_map(|cause| cause.downcast_ref()).map(|error: &ConnectError| error.into());
    found.find(|error| *error != OutboundError::Unreachable).unwrap_or_else(|| {
        tracing::warn!(cause = %cause_of(error), "a destination could not be reached");
        OutboundError::Unreachable
    })
}

impl From<&ConnectError> for OutboundError {
    fn from(error: &ConnectError) -> Self {
        match error {
            ConnectError::Forbidden => Self::Forbidden,
            ConnectError::Timeout => Self::Timeout { sent: false },
            ConnectError::Exhausted => Self::Exhausted,
            ConnectError::Failed(_) => Self::Unreachable,
        }
    }
}

/// The innermost cause, because the outer ones have no details.
fn cause_of(error: &(dyn std::error::Error + 'static)) -> String {
    causes(error).last().map(ToString::to_string).unwrap_or_default()
}

#[cfg(test)]
mod tests;
