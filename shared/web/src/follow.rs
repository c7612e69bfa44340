//! Live streams: what is added to a log, as server-sent events. If the log is written by this process, its news wake the stream.
//! Otherwise the stream reads the log again and again, so a follower of an idle log costs one or two read units a second. A
//! client that comes back continues after its last event.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use domain::{Error, Result};
use futures::{Stream, StreamExt, stream};
use http::HeaderMap;
use platform::run_news::RunWatcher;
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::builder::error_body;

pub const LAST_EVENT_ID: &str = "Last-Event-ID";

/// The wait before a read. It doubles while nothing happens. With the longest one, an event is shown within a second.
const FIRST_WAIT: Duration = Duration::from_millis(100);
pub const LONGEST_WAIT: Duration = Duration::from_millis(800);
/// The longest wait if events are announced, in case the log is written elsewhere.
const LONGEST_ANNOUNCED_WAIT: Duration = Duration::from_secs(5);
const HEARTBEAT: Duration = Duration::from_secs(15);
/// How long a client waits before it opens the next stream.
const RECONNECT_AFTER: Duration = Duration::from_millis(500);

/// The entries that were added to a log since the last read.
#[derive(Default)]
pub struct Additions {
    /// Each entry with its number as the id.
    pub events: Vec<Event>,
    /// More entries are stored than were read.
    pub has_more: bool,
    /// Nothing will be added any more.
    pub is_last: bool,
}

/// A log that a stream follows.
pub trait FollowedLog: Send + 'static {
    /// The next entries, in order. None are skipped, and none come twice.
    fn read(&mut self) -> impl Future<Output = Result<Additions>> + Send;
}

pub struct Follower<L> {
    pub log: L,
    /// Wakes the stream. `None` if the log is written by another process.
    pub watcher: Option<RunWatcher>,
    /// Entries that were read and not yet sent.
    pub found: Additions,
    /// When the stream ends, even if the log goes on.
    pub until: Instant,
}

impl<L: FollowedLog> Follower<L> {
    pub fn into_response(self) -> Response {
        let opening = stream::iter([Event::default().retry(RECONNECT_AFTER)]);
        let events = opening.chain(self.into_events()).map(Ok::<_, Infallible>);
        let heartbeat = KeepAlive::new().interval(HEARTBEAT).text("nothing new");
        Sse::new(events).keep_alive(heartbeat).into_response()
    }

    fn into_events(self) -> impl Stream<Item = Event> {
        let batches = stream::unfold(Some(self), async |follower| {
            let mut follower = follower?;
            match follower.next_batch().await {
                Ok(None) => None,
                Ok(Some(Additions { events, is_last: false, .. })) => Some((events, Some(follower))),
                Ok(Some(Additions { mut events, .. })) => {
                    events.push(Event::default().event("end").data("{}"));
                    Some((events, None))
                }
                Err(error) => {
                    let event = Event::default().event("error").data(error_body(&error).to_string());
                    Some((vec![event], None))
                }
            }
        });
        batches.flat_map(stream::iter)
    }

    /// Waits for entries. `None` if the time of the stream is over.
    async fn next_batch(&mut self) -> Result<Option<Additions>> {
        let mut found = std::mem::take(&mut self.found);
        let longest = if self.watcher.is_some() { LONGEST_ANNOUNCED_WAIT } else { LONGEST_WAIT };
        let mut wait = if found.has_more { Duration::ZERO } else { FIRST_WAIT };
        while found.events.is_empty() {
            if Instant::now() >= self.until {
                return Ok(None);
            }
            self.await_news(self.until.min(Instant::now() + wait)).await;
            found = match self.log.read().await {
                Err(Error::Unavailable { .. }) => Additions::default(),
                read => read?,
            };
            // More entries are stored, but this client may not see those that were read.
            wait = if found.has_more { Duration::ZERO } else { longest.min(wait.max(FIRST_WAIT) * 2) };
        }
        self.found.has_more = found.has_more;
        Ok(Some(found))
    }

    /// Waits until entries are announced, but not longer than until `next`.
    async fn await_news(&mut self, next: Instant) {
        match &mut self.watcher {
            Some(watcher) => drop(timeout_at(next, watcher.changed()).await),
            None => sleep_until(next).await,
        }
    }
}

/// The number of the last entry that the client has.
pub fn last_event_id<N: std::str::FromStr>(headers: &HeaderMap) -> Result<Option<N>> {
    let Some(id) = headers.get(LAST_EVENT_ID).filter(|id| !id.is_empty()) else { return Ok(None) };
    let number = id.to_str().ok().and_then(|id| id.parse().ok());
    number.map(Some).ok_or_else(|| Error::invalid_query(LAST_EVENT_ID, "must be the number of an event"))
}
