//! The events of a run, in pages, and as they are stored.

use super::items::LogItem;
use super::results::URL_VALID;
use super::{Runs, parse};
use crate::attribute::SK;
use crate::keys;
use crate::query::{Range, TableQuery};
use domain::Result;
use domain::id::RunId;
use domain::page::Order;
use domain::run::{RunEvent, RunValue};

/// An event of a log, with its number.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberedEvent {
    pub number: u64,
    pub event: RunEvent,
}

/// The parts of a log that are read at once. Each has at least one event.
const PARTS: u32 = 50;

/// A reader of a log, which may still grow: each read goes on where the last one ended.
pub struct EventReader {
    runs: Runs,
    run_id: RunId,
    /// The number of the last event that the reader skips.
    after: u64,
    /// The number of the first event of the part to read.
    next_part: u64,
    is_at_end: bool,
}

impl EventReader {
    /// The next events, in order. None are skipped, and none come twice.
    pub async fn read(&mut self) -> Result<Vec<NumberedEvent>> {
        let places = (keys::log_place(self.next_part), keys::log_place(u64::MAX));
        let range = Some(Range::between(SK, places.0, places.1));
        let query = TableQuery {
            range,
            order: Order::Asc,
            limit: Some(PARTS),
            ..TableQuery::partition(keys::run_log(self.run_id))
        };
        let found = self.runs.journal.query(&query).await?;
        self.is_at_end = found.next.is_none();
        let mut events = Vec::new();
        for part in found.items {
            let part: LogItem = parse(part)?;
            // A query is no snapshot: it may find a part, but not the one before, which was stored during the query.
            if part.first()? != self.next_part {
                break;
            }
            for event in part.events(None)? {
                if self.next_part > self.after {
                    events.push(NumberedEvent { number: self.next_part, event });
                }
                self.next_part += 1;
            }
        }
        Ok(events)
    }

    /// Whether the last read found all events that are stored.
    pub fn is_at_end(&self) -> bool {
        self.is_at_end
    }
}

impl Runs {
    /// A reader of the events after a number. Large values stay in the bucket.
    pub async fn read_events(&self, run_id: RunId, after: u32) -> Result<EventReader> {
        let after = u64::from(after);
        let next_part = self.part_of(run_id, after + 1).await?;
        Ok(EventReader { runs: self.clone(), run_id, after, next_part, is_at_end: false })
    }

    /// Reads at most `limit` events after a number.
    pub async fn events_after(&self, run_id: RunId, after: u32, limit: usize) -> Result<Vec<NumberedEvent>> {
        let mut reader = self.read_events(run_id, after).await?;
        let mut events = Vec::new();
        while events.len() < limit && !reader.is_at_end() {
            events.extend(reader.read().await?);
        }
        events.truncate(limit);
        Ok(events)
    }

    /// The first number of the part that has an event, or of the last part if the log ends before.
    async fn part_of(&self, id: RunId, number: u64) -> Result<u64> {
        if number == 1 {
            return Ok(1);
        }
        let range = Some(Range::between(SK, keys::log_place(1), keys::log_place(number)));
        let query =
            TableQuery { range, order: Order::Desc, limit: Some(1), ..TableQuery::partition(keys::run_log(id)) };
        let part = self.journal.query(&query).await?.items.into_iter().next();
        part.map_or(Ok(1), |part| parse::<LogItem>(part)?.first())
    }

    /// A presigned URL of a value that is in the bucket.
    pub async fn value_url(&self, value: &RunValue) -> Result<Option<String>> {
        match value {
            RunValue::Value(_) => Ok(None),
            RunValue::Object(name) => self.bucket.presigned(name, URL_VALID).await.map(Some),
        }
    }
}
