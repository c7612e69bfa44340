//! How connections are made: a name is resolved once, every address is judged, and exactly a judged one is dialled.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::future::BoxFuture;
use http::Uri;
use http::uri::Scheme;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tower_service::Service;

use super::guard::Guard;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// What lies under a connection: tests put their own here.
pub trait Network: Send + Sync {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;

    fn dial(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>>;
}

/// The machine's own resolver and sockets.
pub struct Internet;

impl Network for Internet {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }

    fn dial(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>> {
        Box::pin(TcpStream::connect(address))
    }
}

#[derive(Debug, thiserror::Error)]
pub(super) enum ConnectError {
    #[error("the destination is not one that requests may go to")]
    Forbidden,
    #[error("no connection within {} s", CONNECT_TIMEOUT.as_secs())]
    Timeout,
    #[error(transparent)]
    Failed(#[from] io::Error),
}

#[derive(Clone)]
pub(super) struct Connector {
    pub guard: Arc<Guard>,
    pub network: Arc<dyn Network>,
}

impl Service<Uri> for Connector {
    type Response = TokioIo<TcpStream>;
    type Error = ConnectError;
    type Future = BoxFuture<'static, Result<Self::Response, ConnectError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ConnectError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connector = self.clone();
        Box::pin(async move {
            timeout(CONNECT_TIMEOUT, connector.connect(&uri)).await.unwrap_or(Err(ConnectError::Timeout))
        })
    }
}

impl Connector {
    async fn connect(&self, uri: &Uri) -> Result<TokioIo<TcpStream>, ConnectError> {
        let host = uri.host().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        let port = uri.port_u16().unwrap_or(if uri.scheme() == Some(&Scheme::HTTPS) { 443 } else { 80 });
        let addresses = self.addresses(host.trim_start_matches('[').trim_end_matches(']')).await?;
        let mut failed = ConnectError::Forbidden;
        for address in addresses.into_iter().filter(|address| self.guard.permits(*address)) {
            match self.network.dial(SocketAddr::new(address, port)).await {
                Ok(stream) => {
                    // A request is one small write, and a streamed answer many: neither waits for company.
                    stream.set_nodelay(true)?;
                    return Ok(TokioIo::new(stream));
                }
                Err(cause) => failed = cause.into(),
            }
        }
        Err(failed)
    }

    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        match host.parse() {
            Ok(address) => Ok(vec![address]),
            Err(_) => self.network.resolve(host).await,
        }
    }
}
