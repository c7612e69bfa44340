//! Connections to servers that do not speak HTTP, such as mail servers. The guard checks their addresses as those of HTTP.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use platform::tls;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::network::{CONNECT_TIMEOUT, ConnectError};
use super::{Outbound, OutboundError, cause_of};

/// A connection, with its place in the connection limit.
pub struct Stream {
    io: Box<dyn Io>,
    peer: SocketAddr,
    place: OwnedSemaphorePermit,
}

trait Io: AsyncRead + AsyncWrite + Send + Sync + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Sync + Unpin> Io for T {}

impl Outbound {
    /// Connects to a server. `host` is a name or an address.
    pub async fn open(&self, host: &str, port: u16) -> Result<Stream, OutboundError> {
        let dialled = timeout(CONNECT_TIMEOUT, self.connector.dial(host, port)).await;
        let (stream, place) = dialled.unwrap_or(Err(ConnectError::Timeout)).map_err(|error| {
            tracing::warn!(cause = %cause_of(&error), "a destination could not be reached");
            OutboundError::from(&error)
        })?;
        let peer = stream.peer_addr().map_err(|_| OutboundError::Unreachable)?;
        Ok(Stream { io: Box::new(stream), peer, place })
    }

    /// Encrypts a connection. The certificate must be that of `host`, by an authority that this machine trusts.
    pub async fn encrypt(&self, stream: Stream, host: &str) -> io::Result<Stream> {
        let Stream { io, peer, place } = stream;
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let encrypted = TlsConnector::from(Arc::new(tls::trusting_machine()?)).connect(name, io).await?;
        Ok(Stream { io: Box::new(encrypted), peer, place })
    }
}

impl Stream {
    pub fn peer(&self) -> SocketAddr {
        self.peer
    }
}

impl AsyncRead for Stream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}
