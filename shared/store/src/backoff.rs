//! Retries with exponential backoff and jitter, for writers that compete for an item.

use std::time::Duration;

use domain::{Error, Result};

/// The attempts of one writer. Of the writers that compete for an item with an optimistic lock, one succeeds in each
/// round, so a writer may need as many rounds as there are competitors. Therefore the waits are many and short: the
/// default is 120 attempts within about ten seconds.
pub(super) struct Backoff {
    taken: u32,
    most: u32,
    longest_pause_ms: u64,
}

impl Default for Backoff {
    fn default() -> Self {
        Self { taken: 0, most: 120, longest_pause_ms: 160 }
    }
}

impl Backoff {
    /// Fewer attempts, within about two seconds, for conflicts that end within milliseconds.
    pub fn short() -> Self {
        Self { taken: 0, most: 30, longest_pause_ms: 160 }
    }

    /// Longer waits, within about ten seconds, for hundreds of writers of one item: they must not all try at once.
    pub fn of_a_crowd() -> Self {
        Self { taken: 0, most: 16, longest_pause_ms: 3_000 }
    }

    /// Waits for a random time before the next attempt. The upper bound of the wait doubles each time, up to a maximum.
    /// After the last attempt it returns an error with the cause.
    pub async fn next(&mut self, cause: &str) -> Result<()> {
        let ceiling_ms = (5 << self.taken.min(10)).min(self.longest_pause_ms);
        self.taken += 1;
        if self.taken >= self.most {
            return Err(Error::busy(cause));
        }
        tokio::time::sleep(Duration::from_millis(fastrand::u64(1..=ceiling_ms))).await;
        Ok(())
    }
}
