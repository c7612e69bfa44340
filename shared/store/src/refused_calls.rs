//! The rate limit of the events of refused webhook calls: the first ones of an hour are stored, the others are counted. So a
//! caller without the token cannot fill the storage.

use std::convert::Infallible;
use std::mem::take;
use std::sync::{Arc, Mutex, PoisonError};

use super::hourly::{self, HOUR};
use super::keys;
use super::table::Table;
use super::webhooks::WebhookItem;
use domain::Result;
use domain::id::WebhookId;
use domain::time::Time;
use domain::webhook::RefusedSender;
use platform::cache::Cache;
use platform::{Context, config};

const CACHE_CAPACITY: usize = 10_000;

/// A process adds its calls to the stored count as soon as they are this part of what it has added before. So a flood of
/// calls costs few writes, and the stored count is at most 1 % too low.
const COUNT_PRECISION: u64 = 100;

#[derive(Clone)]
pub struct RefusedCalls {
    entities: Table,
    counters: Table,
    /// The hours whose limit is reached. Their calls need no write to `counters`.
    full: Arc<Cache<RefusedHour, Arc<Mutex<UnstoredCalls>>>>,
}

/// The refused calls that a webhook received from one kind of sender within an hour.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct RefusedHour {
    webhook: WebhookId,
    sender: RefusedSender,
    hour: i64,
}

/// What a process has counted in an hour.
#[derive(Default)]
struct UnstoredCalls {
    added: u64,
    pending: u64,
}

impl UnstoredCalls {
    /// Counts a call. Returns the number to add to the stored count now.
    fn count(&mut self) -> u64 {
        self.pending += 1;
        if self.pending * COUNT_PRECISION < self.added {
            return 0;
        }
        self.added += self.pending;
        take(&mut self.pending)
    }
}

impl RefusedCalls {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            entities: Table::new(context, config::TABLE_ENTITIES)?,
            counters: Table::new(context, config::TABLE_COUNTERS)?,
            full: Arc::new(Cache::new(HOUR, CACHE_CAPACITY)),
        })
    }

    /// Returns whether the event of a refused call may be stored. If not, the call is counted.
    pub async fn admit(&self, webhook: WebhookId, sender: RefusedSender, now: Time) -> Result<bool> {
        let hour = RefusedHour { webhook, sender, hour: hourly::hour_of(now) };
        if self.full.get(&hour).is_none() && self.take_place(hour, now).await? {
            return Ok(true);
        }
        let Ok(unstored) = self.full.get_or_load(&hour, async || Ok::<_, Infallible>(Arc::default())).await;
        let number = unstored.lock().unwrap_or_else(PoisonError::into_inner).count();
        if number > 0 {
            let write = self.entities.update(keys::webhook(webhook)).add(WebhookItem::UNSTORED_CALLS, number);
            // A webhook that was deleted meanwhile is not created again.
            let _ = self.entities.write(write.require_exists()).await?;
        }
        Ok(false)
    }

    /// Counts an event that is stored, on condition that the hour has room. All processes share this counter.
    async fn take_place(&self, RefusedHour { webhook, sender, hour }: RefusedHour, now: Time) -> Result<bool> {
        let key = keys::refused_calls(webhook, sender.as_str(), hour);
        hourly::take_place(&self.counters, key, sender.max_stored(), now).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_costs_few_writes_and_is_counted_to_one_percent() {
        let mut unstored = UnstoredCalls::default();
        let written: Vec<_> = (0..100_000).map(|_| unstored.count()).filter(|number| *number > 0).collect();
        assert!(written[..100].iter().all(|number| *number == 1), "few calls are counted exactly");
        assert!(written.len() < 1_000, "{} writes", written.len());
        let counted: u64 = written.iter().sum();
        assert!((99_000..=100_000).contains(&counted), "{counted}");
    }
}
