//! The events of a run, in pages.

use super::items::LogItem;
use super::results::URL_VALID;
use super::{Runs, parse};
use crate::store::keys;
use crate::store::table::{Range, TableQuery};
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

impl Runs {
    /// Reads at most `limit` events after a number. Large values stay in the bucket.
    pub async fn events_after(&self, id: RunId, after: u32, limit: usize) -> Result<Vec<NumberedEvent>> {
        let (mut events, after) = (Vec::new(), u64::from(after));
        let mut next = self.part_of(id, after + 1).await?;
        while let Some(first) = next {
            let range = Some(Range { attribute: "sk", from: keys::log_place(first), to: keys::log_place(u64::MAX) });
            let query =
                TableQuery { range, order: Order::Asc, limit: Some(PARTS), ..TableQuery::partition(keys::run_log(id)) };
            let found = self.journal.query(&query).await?;
            let mut number = first;
            for part in found.items {
                for event in parse::<LogItem>(part)?.events()? {
                    if number > after && events.len() < limit {
                        events.push(NumberedEvent { number, event });
                    }
                    number += 1;
                }
            }
            next = (found.next.is_some() && events.len() < limit).then_some(number);
        }
        Ok(events)
    }

    /// The first number of the part that has an event of this number, or that would follow. None if the log ends before.
    async fn part_of(&self, id: RunId, number: u64) -> Result<Option<u64>> {
        if number == 1 {
            return Ok(Some(1));
        }
        let range = Some(Range { attribute: "sk", from: keys::log_place(1), to: keys::log_place(number) });
        let query =
            TableQuery { range, order: Order::Desc, limit: Some(1), ..TableQuery::partition(keys::run_log(id)) };
        let part = self.journal.query(&query).await?.items.into_iter().next();
        part.map(|part| parse::<LogItem>(part)?.first()).transpose()
    }

    /// A presigned URL of a value that is in the bucket.
    pub async fn value_url(&self, value: &RunValue) -> Result<Option<String>> {
        match value {
            RunValue::Value(_) => Ok(None),
            RunValue::Object(name) => self.bucket.presigned(name, URL_VALID).await.map(Some),
        }
    }
}
