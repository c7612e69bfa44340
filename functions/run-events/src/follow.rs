//! Live events of a run, as server-sent events. If the run is carried out in this process, its events wake the stream. Otherwise
//! the stream reads the log again and again, so a follower of an idle run costs one or two read units a second. A client that
//! comes back continues after its last event.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use domain::id::RunId;
use domain::{Error, Result};
use futures::{Stream, StreamExt, stream};
use platform::run_news::RunWatcher;
use store::runs::{EventReader, NumberedEvent};
use tokio::time::{Instant, sleep_until, timeout_at};
use web::builder::error_body;

use crate::Stores;
use crate::handlers::show_all;

/// The wait before a read. It doubles while nothing happens. With the longest one, an event is shown within a second.
const FIRST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_millis(800);
/// The longest wait if events are announced, in case the run goes on elsewhere.
const LONGEST_ANNOUNCED_WAIT: Duration = Duration::from_secs(5);
const HEARTBEAT: Duration = Duration::from_secs(15);
/// How long a client waits before it opens the next stream.
const RECONNECT_AFTER: Duration = Duration::from_millis(500);

pub struct Follower {
    pub stores: Stores,
    pub run: RunId,
    pub reader: EventReader,
    /// Wakes the stream. `None` if the worker is another process.
    pub watcher: Option<RunWatcher>,
    /// Events that were read and not yet sent.
    pub found: Vec<NumberedEvent>,
    /// When the stream ends, even if the run has not ended.
    pub until: Instant,
    pub is_done: bool,
}

impl Follower {
    pub fn into_response(self) -> Response {
        let opening = stream::iter([Event::default().retry(RECONNECT_AFTER)]);
        let events = opening.chain(self.into_events()).map(Ok::<_, Infallible>);
        let heartbeat = KeepAlive::new().interval(HEARTBEAT).text("the run is in progress");
        Sse::new(events).keep_alive(heartbeat).into_response()
    }

    fn into_events(self) -> impl Stream<Item = Event> {
        let batches = stream::unfold(self, async |mut follower| {
            if follower.is_done {
                return None;
            }
            let batch = follower.next_batch().await.unwrap_or_else(|error| {
                follower.is_done = true;
                vec![Event::default().event("error").data(error_body(&error).to_string())]
            });
            Some((batch, follower))
        });
        batches.flat_map(stream::iter)
    }

    /// Waits for events. The batch is empty if the time of the stream is over.
    async fn next_batch(&mut self) -> Result<Vec<Event>> {
        let mut found = std::mem::take(&mut self.found);
        let longest = if self.watcher.is_some() { LONGEST_ANNOUNCED_WAIT } else { LONGEST_WAIT };
        let mut wait = if self.reader.is_at_end() { FIRST_WAIT } else { Duration::ZERO };
        while found.is_empty() {
            if Instant::now() >= self.until {
                self.is_done = true;
                return Ok(Vec::new());
            }
            self.await_news(self.until.min(Instant::now() + wait)).await;
            wait = longest.min(wait.max(FIRST_WAIT) * 2);
            found = match self.reader.read().await {
                Err(Error::Unavailable { .. }) => Vec::new(),
                read => read?,
            };
        }
        self.is_done = found.last().is_some_and(|last| last.event.kind.ends_run());
        let mut batch = Vec::new();
        for event in show_all(&self.stores, self.run, found).await? {
            let id = event.number().to_string();
            batch.push(Event::default().id(id).json_data(event).map_err(Error::internal)?);
        }
        if self.is_done {
            batch.push(Event::default().event("end").data("{}"));
        }
        Ok(batch)
    }

    /// Waits until events are announced, but not longer than until `next`.
    async fn await_news(&mut self, next: Instant) {
        match &mut self.watcher {
            Some(watcher) => drop(timeout_at(next, watcher.changed()).await),
            None => sleep_until(next).await,
        }
    }
}
