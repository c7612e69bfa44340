//! DNS resolution and connecting. Here SSRF is refused, also by DNS rebinding: a name is resolved once, the guard checks each address,
//! and only a checked address is connected to.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::future::BoxFuture;
use http::Uri;
use http::uri::Scheme;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;
use tower_service::Service;

use super::address_guard::AddressGuard;

pub(super) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Resolves names and opens connections. Tests replace it.
pub trait Network: Send + Sync {
    fn resolve<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;

    fn dial(&self, address: SocketAddr) -> BoxFuture<'_, io::Result<TcpStream>>;
}

/// The resolver and the sockets of this machine.
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
    #[error("requests to this destination are not allowed")]
    Forbidden,
    #[error("no connection within {} s", CONNECT_TIMEOUT.as_secs())]
    Timeout,
    #[error("this process has no free connection or file descriptor")]
    Exhausted,
    #[error(transparent)]
    Failed(io::Error),
}

impl From<io::Error> for ConnectError {
    fn from(error: io::Error) -> Self {
        if is_exhaustion(&error) { Self::Exhausted } else { Self::Failed(error) }
    }
}

/// Whether this process or machine has run out of file descriptors or memory, so the destination is not the cause.
pub fn is_exhaustion(error: &io::Error) -> bool {
    const ENFILE: i32 = 23;
    const EMFILE: i32 = 24;
    matches!(error.raw_os_error(), Some(ENFILE | EMFILE)) || error.kind() == io::ErrorKind::OutOfMemory
}

#[derive(Clone)]
pub(super) struct Connector {
    pub guard: Arc<AddressGuard>,
    pub network: Arc<dyn Network>,
    /// The connection limit: each open connection holds a permit, also while idle.
    pub room: Arc<Semaphore>,
}

/// A connection with its permit, which is released when it closes.
pub(super) struct OutboundConnection {
    stream: TokioIo<TcpStream>,
    _place: OwnedSemaphorePermit,
}

impl connect::Connection for OutboundConnection {
    fn connected(&self) -> connect::Connected {
        self.stream.connected()
    }
}

impl Read for OutboundConnection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl Write for OutboundConnection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }
}

impl Service<Uri> for Connector {
    type Response = OutboundConnection;
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
    async fn connect(&self, uri: &Uri) -> Result<OutboundConnection, ConnectError> {
        let host = uri.host().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        let port = uri.port_u16().unwrap_or(if uri.scheme() == Some(&Scheme::HTTPS) { 443 } else { 80 });
        let (stream, place) = self.dial(host.trim_start_matches('[').trim_end_matches(']'), port).await?;
        Ok(OutboundConnection { stream: TokioIo::new(stream), _place: place })
    }

    /// Opens a connection to an address of the host that the guard permits, and takes a place in the connection limit for it.
    pub(super) async fn dial(&self, host: &str, port: u16) -> Result<(TcpStream, OwnedSemaphorePermit), ConnectError> {
        let addresses = self.addresses(host).await?;
        let sockets = addresses.into_iter().map(|address| SocketAddr::new(address, port));
        let permitted: Vec<_> = sockets.filter(|socket| self.guard.permits(*socket)).collect();
        if permitted.is_empty() {
            return Err(ConnectError::Forbidden);
        }
        let place = self.room.clone().try_acquire_owned().map_err(|_| ConnectError::Exhausted)?;
        let mut failed = ConnectError::Forbidden;
        for socket in permitted {
            match self.network.dial(socket).await {
                Ok(stream) => {
                    // Nagle's algorithm would delay small writes.
                    stream.set_nodelay(true)?;
                    return Ok((stream, place));
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
