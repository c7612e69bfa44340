//! The right of one worker to act on a workbench: a lease that ends before the claim does.

use std::time::Duration;

use domain::time::{Clock, Time};
use domain::{Error, Result};

/// No call may begin in the last part of a claim. It covers the 60 s in which a call may take effect after it was sent, and the
/// skew of clocks.
const MARGIN: Duration = Duration::from_secs(75);

/// The right to make a step. It ends before another worker can claim the workbench.
#[derive(Clone)]
pub struct Permit {
    attempt: u64,
    ends_at: Time,
    clock: Clock,
}

impl Permit {
    pub(crate) fn new(attempt: u64, claimed_at: Time, claimed_for: Duration, clock: Clock) -> Self {
        Self { attempt, ends_at: claimed_at.plus(claimed_for.saturating_sub(MARGIN)), clock }
    }

    /// The number of the claim, as in `Claimed`. Clusters do not check it; the simulation uses it to find stale calls.
    pub fn attempt(&self) -> u64 {
        self.attempt
    }

    /// Fails if the permit has ended. A backend checks it before each call that changes something, because its process
    /// may have been suspended since the last call.
    pub fn check(&self) -> Result<()> {
        if self.clock.now() < self.ends_at {
            return Ok(());
        }
        Err(Error::busy("the step took too long, so another worker may have the workbench"))
    }
}
