//! The one HTTP client for requests that leave the platform, to model providers and to addresses that users give.
//!
//! It goes only where the guard lets it, follows redirects only when asked to, and waits and reads no more than it is
//! told to.

mod body;
mod calls;
mod guard;
mod network;
mod oauth2;
mod redirects;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode, Uri};
use http_body_util::Full;
use hyper_rustls::{ConfigBuilderExt, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::{self, Client};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::{ClientConfig, RootCertStore};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout_at};

use crate::config::{Config, OUTBOUND_MAX_CONNECTIONS};
use domain::address::has_valid_port;
use domain::{Error, Result};

pub use body::Body;
pub use calls::{CallError, Calls, sensitive};
pub use guard::Guard;
pub use network::{Internet, Network, is_exhaustion};
pub use redirects::MAX_REDIRECTS;

use network::{ConnectError, Connector};

/// Under the minute after which load balancers drop idle connections.
const KEEP_ALIVE: Duration = Duration::from_secs(50);
const MAX_IDLE_PER_HOST: usize = 128;
/// Half of what a Lambda may have open.
const MAX_CONNECTIONS: usize = 512;

type HttpClient = Client<HttpsConnector<Connector>, Full<Bytes>>;

/// How long to wait for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Until the status and headers are there, connecting included.
    pub first_byte: Duration,
    /// Between two pieces of the body.
    pub idle: Duration,
    /// For all of it.
    pub total: Duration,
}

impl Patience {
    /// What is left of it when all must be over by then.
    fn until(&self, deadline: Instant) -> Self {
        let left = deadline.saturating_duration_since(Instant::now());
        Self { total: self.total.min(left), ..*self }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutboundError {
    #[error("the destination is not one that requests may go to")]
    Forbidden,
    #[error("the URL is not one of HTTP")]
    NotHttp,
    /// This process has no connection free. Nothing was sent.
    #[error("the platform has too many connections open")]
    Exhausted,
    /// Nothing was sent.
    #[error("the destination is not reached")]
    Unreachable,
    /// `sent`: the request may have arrived.
    #[error("the destination did not answer in time")]
    Timeout { sent: bool },
    /// The request may have arrived.
    #[error("the connection was cut")]
    Cut,
    #[error("the answer is larger than {limit_bytes} bytes")]
    TooLarge { limit_bytes: usize },
    #[error("the destination redirects more than {MAX_REDIRECTS} times")]
    TooManyRedirects,
}

impl OutboundError {
    /// For the answers of test calls.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Forbidden => "destination_forbidden",
            Self::NotHttp => "url_not_http",
            Self::Exhausted => "platform_busy",
            Self::Unreachable => "destination_unreachable",
            Self::Timeout { .. } => "destination_timeout",
            Self::Cut => "connection_cut",
            Self::TooLarge { .. } => "answer_too_large",
            Self::TooManyRedirects => "too_many_redirects",
        }
    }
}

pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Body,
}

/// One for the life of a process: it holds the connections.
#[derive(Clone)]
pub struct Outbound {
    connector: Connector,
    client: Arc<OnceLock<HttpClient>>,
}

impl Outbound {
    pub fn from_config(config: &Config) -> Result<Self> {
        let outbound = Self::new(Guard::from_config(config)?, Internet);
        match config.optional(OUTBOUND_MAX_CONNECTIONS) {
            Some(most) => Ok(outbound.with_max_connections(most.parse().map_err(Error::internal)?)),
            None => Ok(outbound),
        }
    }

    /// At most so many connections, idle ones included.
    #[must_use]
    pub fn with_max_connections(self, most: usize) -> Self {
        let room = Arc::new(Semaphore::new(most));
        Self { connector: Connector { room, ..self.connector }, client: Arc::default() }
    }

    pub fn new(guard: Guard, network: impl Network + 'static) -> Self {
        let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let connector = Connector { guard: Arc::new(guard), network: Arc::new(network), room };
        Self { connector, client: Arc::default() }
    }

    /// Whether the guard refuses the host of a URL as it is written: an address, or `localhost`. Any other name is
    /// checked when it is resolved.
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

    pub async fn send(&self, request: Request<Bytes>, patience: &Patience) -> Result<Answer, OutboundError> {
        let is_http = matches!(request.uri().scheme_str(), Some("http" | "https"));
        let has_password = request.uri().authority().is_none_or(|authority| authority.as_str().contains('@'));
        let has_port = request.uri().authority().is_some_and(has_valid_port);
        if !is_http || has_password || !has_port {
            return Err(OutboundError::NotHttp);
        }
        let began = Instant::now();
        let deadline = began + patience.total;
        // Trust is read from disk, so not before something is sent.
        let client = match self.client.get() {
            Some(client) => client.clone(),
            None => self.connect(),
        };
        let answer = client.request(request.map(Full::new));
        let answer = match timeout_at(deadline.min(began + patience.first_byte), answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => return Err(why(&error)),
            Err(_) => return Err(OutboundError::Timeout { sent: true }),
        };
        let (parts, incoming) = answer.into_parts();
        let body = Body::new(incoming, patience, deadline);
        Ok(Answer { status: parts.status, headers: parts.headers, body })
    }

    /// The client, kept once it has its certificates: where there was no file free to read them, the next call tries again.
    fn connect(&self) -> HttpClient {
        let (tls, is_trusting) = match trusted_roots() {
            Ok(tls) => (tls, true),
            Err(cause) => {
                tracing::error!(?cause, "no trusted certificates found: no HTTPS request succeeds");
                (no_roots(), false)
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

/// The machine's own roots, as for AWS: an operator's private authority is added in one place, `SSL_CERT_FILE`.
fn trusted_roots() -> Result<ClientConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(Error::internal)?.with_native_roots().map_err(Error::internal)?;
    Ok(config.with_no_client_auth())
}

fn no_roots() -> ClientConfig {
    ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_protocol_versions(rustls::ALL_VERSIONS)
        .expect("ring has what TLS needs")
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth()
}

fn why(error: &legacy::Error) -> OutboundError {
    if !error.is_connect() {
        tracing::warn!(cause = %cause_of(error), "an answer never began");
        return OutboundError::Cut;
    }
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = cause {
        match error.downcast_ref() {
            Some(ConnectError::Forbidden) => return OutboundError::Forbidden,
            Some(ConnectError::Timeout) => return OutboundError::Timeout { sent: false },
            Some(ConnectError::Exhausted) => return OutboundError::Exhausted,
            _ => cause = error.source(),
        }
    }
    tracing::warn!(cause = %cause_of(error), "a destination is not reached");
    OutboundError::Unreachable
}

/// The innermost cause: the outer ones only say that there is one.
fn cause_of(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests;
