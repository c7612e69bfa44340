//! Attempts at what others are at too.

use std::time::Duration;

use domain::{Error, Result};

const LONGEST_PAUSE_MS: u64 = 160;

/// How often something is tried. Of those who change what they read, one comes through in each round: it takes as many
/// rounds as there are others, some ten seconds in all. Many short waits come through where few long ones would not.
pub(super) struct Turns {
    taken: u32,
    most: u32,
}

impl Default for Turns {
    fn default() -> Self {
        Self { taken: 0, most: 120 }
    }
}

impl Turns {
    /// For what passes by itself in milliseconds: some two seconds in all.
    pub fn short() -> Self {
        Self { taken: 0, most: 30 }
    }

    /// Waits before the next attempt, longer each time and never as long as a neighbour; after the last it gives up.
    pub async fn next(&mut self, cause: &str) -> Result<()> {
        let ceiling_ms = (5 << self.taken.min(10)).min(LONGEST_PAUSE_MS);
        self.taken += 1;
        if self.taken >= self.most {
            return Err(Error::busy(cause));
        }
        tokio::time::sleep(Duration::from_millis(fastrand::u64(1..=ceiling_ms))).await;
        Ok(())
    }
}
