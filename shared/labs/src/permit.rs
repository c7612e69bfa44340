//! The right of one worker to act on a workbench: a lease with a fencing token.

use std::time::Duration;

use domain::time::{Clock, Time};
use domain::{Error, Result};

/// No call may begin in the last part of a claim. It covers the duration of a call and the skew of clocks.
const MARGIN: Duration = Duration::from_secs(30);

/// The right to make a step. It ends before another worker can claim the workbench.
#[derive(Clone)]
pub struct Permit {
    token: u64,
    ends_at: Time,
    clock: Clock,
}

impl Permit {
    pub(crate) fn new(token: u64, claimed_at: Time, claimed_for: Duration, clock: Clock) -> Self {
        Self { token, ends_at: claimed_at.plus(claimed_for.saturating_sub(MARGIN)), clock }
    }

    /// The fencing token: each claim of a workbench has a larger one.
    pub fn token(&self) -> u64 {
        self.token
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
