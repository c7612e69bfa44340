//! The bodies of requests and responses, which note whether the platform or the client is waited for. The body of a request
//! must arrive within a time that grows with its size (Slowloris).

use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::sync::oneshot;
use tokio::time::{Instant, Sleep, sleep_until};

use super::places::Place;

type BoxError = Box<dyn Error + Send + Sync>;

/// How slowly a client may send the body of a request.
#[derive(Clone, Copy, Debug)]
pub struct BodyPace {
    /// How long the platform waits for the client, however small the body is.
    pub patience: Duration,
    /// Each time this many bytes have arrived, it waits a second longer.
    pub bytes_per_second: u32,
}

#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    #[error("the body arrived too slowly")]
    TooSlow,
    #[error("the connection was closed in favour of another one")]
    Closed,
}

/// The body of a request.
pub struct RequestBody {
    /// None only while it is dropped.
    inner: Option<Incoming>,
    /// Takes the rest of a body that nobody has read.
    rest: Option<oneshot::Sender<Incoming>>,
    place: Arc<Place>,
    pace: BodyPace,
    received_bytes: u64,
    /// How long the client was waited for, without the current wait.
    waited: Duration,
    /// The start and the end of the current wait.
    wait: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl RequestBody {
    /// The body, and what receives its rest if it is dropped before its end. `None` if the connection is closed.
    pub fn new(inner: Incoming, place: Arc<Place>, pace: BodyPace) -> Option<(Self, oneshot::Receiver<Incoming>)> {
        let is_open = !inner.is_end_stream() || place.work();
        let (rest, unread) = oneshot::channel();
        let (inner, rest) = (Some(inner), Some(rest));
        let body = Self { inner, rest, place, pace, received_bytes: 0, waited: Duration::ZERO, wait: None };
        is_open.then_some((body, unread))
    }

    /// How much longer the client may take.
    fn time_left(&self) -> Duration {
        let earned = self.received_bytes as f64 / f64::from(self.pace.bytes_per_second.max(1));
        (self.pace.patience + Duration::from_secs_f64(earned)).saturating_sub(self.waited)
    }
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let Some(inner) = &mut self.inner else { return Poll::Ready(None) };
        match Pin::new(inner).poll_frame(context) {
            Poll::Ready(frame) => {
                if let Some((began, _)) = self.wait.take() {
                    self.waited += began.elapsed();
                }
                let received = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref()).map_or(0, Bytes::len);
                self.received_bytes += received as u64;
                // Hyper knows the end of a body with a length before it is asked for a frame after the last one.
                if (frame.is_none() || self.is_end_stream()) && !self.place.work() {
                    return Poll::Ready(Some(Err(BodyError::Closed.into())));
                }
                Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
            }
            Poll::Pending => {
                let time_left = self.time_left();
                let (_, end) = self.wait.get_or_insert_with(|| {
                    let now = Instant::now();
                    (now, Box::pin(sleep_until(now + time_left)))
                });
                ready!(end.as_mut().poll(context));
                Poll::Ready(Some(Err(BodyError::TooSlow.into())))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.inner.as_ref().is_none_or(Incoming::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.as_ref().map(Incoming::size_hint).unwrap_or_default()
    }
}

impl Drop for RequestBody {
    fn drop(&mut self) {
        let unread = self.inner.take().filter(|inner| !inner.is_end_stream());
        if let Some((inner, rest)) = unread.zip(self.rest.take()) {
            let _ = rest.send(inner);
        }
    }
}

/// The body of a response.
pub struct ResponseBody<B> {
    inner: Pin<Box<B>>,
    place: Arc<Place>,
}

impl<B> ResponseBody<B> {
    pub fn new(inner: B, place: Arc<Place>) -> Self {
        Self { inner: Box::pin(inner), place }
    }
}

impl<B: Body> Body for ResponseBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        // The client has read the frames so far: hyper asks for another one when it has room for it.
        self.place.work();
        let frame = ready!(self.inner.as_mut().poll_frame(context));
        self.place.wait();
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// A response without a body, or one that is not sent (`HEAD`), ends without a frame.
impl<B> Drop for ResponseBody<B> {
    fn drop(&mut self) {
        self.place.wait();
    }
}
