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

use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode, Uri};
use http_body_util::Full;
use hyper_rustls::{ConfigBuilderExt, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::{self, Client};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::{ClientConfig, RootCertStore};
use tokio::time::{Instant, timeout_at};

use crate::config::Config;
use crate::{Error, Result};

pub use body::Body;
pub use calls::{CallError, Calls, sensitive};
pub use guard::Guard;
pub use network::{Internet, Network};
pub use redirects::MAX_REDIRECTS;

use network::{ConnectError, Connector};

/// Under the minute after which load balancers drop idle connections.
const KEEP_ALIVE: Duration = Duration::from_secs(50);
const MAX_IDLE_PER_HOST: usize = 128;

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
    client: Arc<OnceLock<Client<HttpsConnector<Connector>, Full<Bytes>>>>,
}

impl Outbound {
    pub fn from_config(config: &Config) -> Result<Self> {
        Ok(Self::new(Guard::from_config(config)?, Internet))
    }

    pub fn new(guard: Guard, network: impl Network + 'static) -> Self {
        let connector = Connector { guard: Arc::new(guard), network: Arc::new(network) };
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
        address.is_ok_and(|address| !self.connector.guard.permits(address))
    }

    pub async fn send(&self, request: Request<Bytes>, patience: &Patience) -> Result<Answer, OutboundError> {
        let is_http = matches!(request.uri().scheme_str(), Some("http" | "https"));
        let has_password = request.uri().authority().is_none_or(|authority| authority.as_str().contains('@'));
        if !is_http || has_password {
            return Err(OutboundError::NotHttp);
        }
        let began = Instant::now();
        let deadline = began + patience.total;
        // Trust is read from disk, so not before something is sent.
        let client = self.client.get_or_init(|| connect(self.connector.clone()));
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
}

fn connect(connector: Connector) -> Client<HttpsConnector<Connector>, Full<Bytes>> {
    let connector =
        HttpsConnectorBuilder::new().with_tls_config(trust()).https_or_http().enable_http1().wrap_connector(connector);
    Client::builder(TokioExecutor::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(KEEP_ALIVE)
        .pool_max_idle_per_host(MAX_IDLE_PER_HOST)
        .build(connector)
}

/// The machine's own roots, as for AWS: an operator's private authority is added in one place, `SSL_CERT_FILE`.
fn trust() -> ClientConfig {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = || ClientConfig::builder_with_provider(provider.clone()).with_safe_default_protocol_versions();
    let with_roots = config().map_err(Error::internal).and_then(|config| {
        let config = config.with_native_roots().map_err(Error::internal)?;
        Ok(config.with_no_client_auth())
    });
    with_roots.unwrap_or_else(|cause| {
        tracing::error!(?cause, "no trusted certificates found: no HTTPS request will succeed");
        ClientConfig::builder_with_provider(provider)
            .with_protocol_versions(rustls::ALL_VERSIONS)
            .expect("ring has what TLS needs")
            .with_root_certificates(RootCertStore::empty())
            .with_no_client_auth()
    })
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
