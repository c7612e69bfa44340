//! Divides what a holder stores into transactions that DynamoDB accepts: at most 100 writes and 4 MB, and 400 KB for each
//! item. The parts are stored one after the other. A crash between two of them loses nothing, because the next holder
//! computes the missing events again. A review or a run is stored together with the event that names it.

use std::mem::take;

use futures::future::try_join_all;

use super::Runs;
use super::hold::{Arrival, RunHold};
use super::items::{LogItem, ReviewItem, RunItem};
use crate::run_statistics::{self, RunPlace};
use crate::write::Write;
use domain::Result;
use domain::run::{Commit, Hold, NewReview, NewRun, RunEvent, RunEventKind};

/// The maximum size of one item of a log. A DynamoDB item has at most 400 KB.
const MAX_ITEM_BYTES: usize = 256 * 1024;
/// The maximum size of the events, reviews and runs of a transaction. The rest of DynamoDB's 4 MB is for names and keys.
pub const MAX_TRANSACTION_BYTES: usize = 3 * 1024 * 1024;
/// The maximum number of reviews, and of items of runs, in a transaction. The rest of DynamoDB's 100 writes is for the
/// log, for the counters of started runs, and for the heads of the run and its parent.
const MAX_OTHER_WRITES: usize = 60;

/// What one transaction stores.
#[derive(Default)]
pub struct Part {
    /// The events as JSON.
    pub events: Vec<String>,
    /// The items of the reviews that it opens, and of the runs that it starts.
    pub others: Vec<Write>,
    pub started: Vec<RunPlace>,
    /// The number of exchanges that begin with these events.
    pub exchanges: u64,
    bytes: usize,
}

impl Part {
    fn has_room_for(&self, bytes: usize, writes: usize, max_bytes: usize) -> bool {
        let fits = self.bytes + bytes <= max_bytes && self.others.len() + writes <= MAX_OTHER_WRITES;
        fits || self.events.is_empty()
    }
}

impl Runs {
    pub(super) async fn store_commit(&self, hold: &mut RunHold, commit: &Commit) -> Result<Hold> {
        let Commit { events, opened, started, .. } = commit;
        let events = hold.events_to_store(events);
        let events = self.seal_events(hold, &events).await?;
        for part in self.divide(hold, &events, opened, started).await? {
            if self.store_part(hold, part).await? == Hold::Lost {
                return Ok(Hold::Lost);
            }
        }
        Ok(Hold::Held)
    }

    pub(super) async fn store_part(&self, hold: &mut RunHold, part: Part) -> Result<Hold> {
        if let Some(Arrival::New(new, start_key)) = hold.arrival.clone() {
            return self.store_first_part(hold, *new, start_key, part).await;
        }
        let head = self
            .held(hold)
            .set(RunItem::NEXT_EVENT, hold.next_event + part.events.len() as u64)
            .set(RunItem::CRASHES, 0);
        let starts_runs = !part.started.is_empty();
        let head = if starts_runs { head.set(RunItem::CALLS, true) } else { head };
        let head = count_exchanges(head, part.exchanges);
        hold.has_calls |= starts_runs;
        let starts = run_statistics::count_starts(&self.counters, &part.started);
        let mut writes = vec![head];
        writes.extend(self.log_items(hold.place, hold.next_event, &part.events));
        writes.extend([part.others, starts].concat());
        if !self.persist(hold, &writes).await?.is_written() {
            return Ok(Hold::Lost);
        }
        hold.next_event += part.events.len() as u64;
        if let Some(news) = &self.news {
            news.announce_events(hold.id());
        }
        Ok(Hold::Held)
    }

    /// The transactions that store the events, reviews and runs of a commit.
    pub(super) async fn divide(
        &self,
        hold: &mut RunHold,
        events: &[RunEvent],
        opened: &[NewReview],
        started: &[NewRun],
    ) -> Result<Vec<Part>> {
        let begins: Vec<bool> = events.iter().map(|event| hold.exchanges.detect(&event.kind).is_some()).collect();
        let hold = &*hold;
        let texts = events
            .iter()
            .map(|event| self.retry_while_unavailable(hold, move || self.serialize_event(hold.place, event)));
        let texts = try_join_all(texts).await?;
        let (mut parts, mut part) = (Vec::new(), Part::default());
        for ((event, text), begins_exchange) in events.iter().zip(texts).zip(begins) {
            let mut place = None;
            let others = match &event.kind {
                RunEventKind::StepAsked { step, .. } => {
                    let review = opened.iter().filter(|review| review.step == *step);
                    let expires_at = hold.place.retention.latest_expiry(self.now());
                    review.map(|review| self.entities.put(&ReviewItem::new(hold.place, review, expires_at))).collect()
                }
                RunEventKind::StepCalled { run_id, .. } => match started.iter().find(|new| new.id == *run_id) {
                    Some(new) => {
                        let new = NewRun { retention: hold.place.retention, ..new.clone() };
                        let build = || self.new_run(new.clone(), Vec::new(), None);
                        let (item, writes) = self.retry_while_unavailable(hold, build).await?;
                        place = Some(item.place());
                        writes
                    }
                    None => Vec::new(),
                },
                _ => Vec::new(),
            };
            let bytes = text.len() + others.iter().map(Write::bytes).sum::<usize>();
            if !part.has_room_for(bytes, others.len(), self.max_transaction_bytes) {
                parts.push(take(&mut part));
            }
            part.started.extend(place);
            part.exchanges += u64::from(begins_exchange);
            part.bytes += bytes;
            part.others.extend(others);
            part.events.push(text);
        }
        parts.push(part);
        Ok(parts)
    }

    /// The items of the log for events as JSON.
    pub(super) fn log_items(&self, run: RunPlace, first: u64, events: &[String]) -> Vec<Write> {
        let expires_at = run.retention.latest_expiry(self.now());
        let (mut items, mut from, mut bytes) = (Vec::new(), 0, 0);
        let item = |from: usize, to: usize| {
            self.journal.put(&LogItem::new(run.id, first + from as u64, &events[from..to], expires_at))
        };
        for (place, event) in events.iter().enumerate() {
            if bytes > 0 && bytes + event.len() > MAX_ITEM_BYTES {
                items.push(item(from, place));
                (from, bytes) = (place, 0);
            }
            bytes += event.len();
        }
        if from < events.len() {
            items.push(item(from, events.len()));
        }
        items
    }
}

/// Counts exchanges in the head of a run, in the transaction that stores the events with which they begin.
pub(super) fn count_exchanges(head: Write, begun: u64) -> Write {
    match begun {
        0 => head,
        begun => head.add(RunItem::EXCHANGES, begun),
    }
}
