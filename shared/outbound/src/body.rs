//! The body of an outbound response, with idle and total timeouts and a size limit.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::{Stream, StreamExt};
use hyper::body::{Body as _, Incoming};
use tokio::task::JoinHandle;
use tokio::time::{Instant, Sleep, timeout};

use super::{OutboundError, RequestTimeouts};

/// How long to wait for the rest of a body after the last event of its stream.
const REST_TIMEOUT: Duration = Duration::from_secs(1);

/// A response body as a stream. Dropping it early closes the connection, so that the server stops sending.
pub struct Body {
    incoming: Incoming,
    idle: Duration,
    deadline: Instant,
    timer: Pin<Box<Sleep>>,
    /// Whether the idle timer runs. It starts only when no data is available, so a slow reader causes no timeout.
    waiting: bool,
    ended: bool,
}

impl Body {
    pub(super) fn new(incoming: Incoming, timeouts: &RequestTimeouts, deadline: Instant) -> Self {
        let timer = Box::pin(tokio::time::sleep_until(deadline));
        Self { incoming, idle: timeouts.idle, deadline, timer, waiting: false, ended: false }
    }

    /// Reads the whole body, or fails if it has more than `limit_bytes`.
    pub async fn read_to_end(mut self, limit_bytes: usize) -> Result<Bytes, OutboundError> {
        let mut first: Option<Bytes> = None;
        let mut all = BytesMut::new();
        while let Some(piece) = self.next().await {
            let piece = piece?;
            let before = first.as_ref().map_or(0, Bytes::len).max(all.len());
            if before + piece.len() > limit_bytes {
                return Err(OutboundError::TooLarge { limit_bytes });
            }
            // Most bodies arrive in one piece, which needs no copy.
            match first.take() {
                None if all.is_empty() => first = Some(piece),
                earlier => {
                    all.extend_from_slice(&earlier.unwrap_or_default());
                    all.extend_from_slice(&piece);
                }
            }
        }
        Ok(first.unwrap_or_else(|| all.freeze()))
    }

    /// Reads the rest in the background after the last event of a stream, so that the connection can be reused.
    pub fn finish(mut self) -> JoinHandle<()> {
        tokio::spawn(async move {
            let rest = async { while let Some(Ok(_)) = self.next().await {} };
            timeout(REST_TIMEOUT, rest).await.ok();
        })
    }
}

impl Stream for Body {
    type Item = Result<Bytes, OutboundError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        while !self.ended {
            let next = match Pin::new(&mut self.incoming).poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) => Some(Ok(data)),
                    // Trailers are ignored.
                    Err(_) => continue,
                },
                Poll::Ready(Some(Err(cause))) => {
                    tracing::warn!(%cause, "the connection closed in the middle of a response");
                    Some(Err(OutboundError::Cut))
                }
                Poll::Ready(None) => None,
                Poll::Pending => {
                    if !self.waiting {
                        self.waiting = true;
                        let until = self.deadline.min(Instant::now() + self.idle);
                        self.timer.as_mut().reset(until);
                    }
                    ready!(self.timer.as_mut().poll(cx));
                    Some(Err(OutboundError::Timeout { sent: true }))
                }
            };
            self.waiting = false;
            self.ended = !matches!(next, Some(Ok(_)));
            return Poll::Ready(next);
        }
        Poll::Ready(None)
    }
}
