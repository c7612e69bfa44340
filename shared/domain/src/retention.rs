//! How long runs are kept. The plan of an organization says how many days after its end a run is deleted.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::time::Time;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// No run lasts longer.
const LONGEST_RUN_DAYS: u32 = 90;
/// A rule of the bucket deletes old objects by the prefix of their names, so the days are rounded up to one of these.
const OBJECT_DAYS: [u16; 4] = [7, 30, 90, 365];

/// A number of days
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u16", into = "u16")]
pub struct RunRetention(u16);

impl RunRetention {
    pub const MAX_DAYS: u16 = 365;
    pub const LONGEST: Self = Self(Self::MAX_DAYS);

    pub fn new(days: u16) -> Option<Self> {
        (1..=Self::MAX_DAYS).contains(&days).then_some(Self(days))
    }

    pub fn days(self) -> u16 {
        self.0
    }

    /// When a run that has ended is deleted.
    pub fn expiry(self, ended_at: Time) -> Time {
        ended_at.plus(DAY * u32::from(self.0))
    }

    /// When an item of a run is deleted that was stored while the run was in progress.
    pub fn latest_expiry(self, stored_at: Time) -> Time {
        self.expiry(stored_at).plus(DAY * LONGEST_RUN_DAYS)
    }

    /// The prefix of the names of objects that are kept at least as long as the run.
    pub fn object_prefix(self) -> String {
        format!("runs/{}d", self.object_days())
    }

    /// The prefix of the names of objects of threads. They are kept for these days, and not as long as a run may last.
    pub fn thread_prefix(self) -> String {
        format!("threads/{}d", self.object_days())
    }

    /// The prefix of the names of objects of responses, which are kept for these days.
    pub fn response_prefix(self) -> String {
        format!("responses/{}d", self.object_days())
    }

    /// The prefix of the names of objects of invocations, which are kept for these days.
    pub fn invocation_prefix(self) -> String {
        format!("invocations/{}d", self.object_days())
    }

    /// All such prefixes of threads.
    pub fn thread_prefixes() -> impl Iterator<Item = String> {
        OBJECT_DAYS.into_iter().map(|days| format!("threads/{days}d"))
    }

    fn object_days(self) -> u16 {
        OBJECT_DAYS.into_iter().find(|days| *days >= self.0).unwrap_or(Self::MAX_DAYS)
    }
}

impl Default for RunRetention {
    fn default() -> Self {
        Self(30)
    }
}

impl TryFrom<u16> for RunRetention {
    type Error = String;

    fn try_from(days: u16) -> Result<Self, String> {
        Self::new(days).ok_or_else(|| format!("1 to {} days", Self::MAX_DAYS))
    }
}

impl From<RunRetention> for u16 {
    fn from(retention: RunRetention) -> Self {
        retention.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_kept_at_least_as_long_as_their_run() {
        let prefixes = [1, 7, 8, 30, 31, 365].map(|days| RunRetention::new(days).unwrap().object_prefix());
        assert_eq!(prefixes, ["runs/7d", "runs/7d", "runs/30d", "runs/30d", "runs/90d", "runs/365d"]);
        assert_eq!(RunRetention::new(8).unwrap().thread_prefix(), "threads/30d");
        assert_eq!((RunRetention::new(0), RunRetention::new(366)), (None, None));
    }

    #[test]
    fn what_was_stored_early_outlives_the_run() {
        let (started, month) = (Time::now(), RunRetention::default());
        let ended = started.plus(DAY * LONGEST_RUN_DAYS);
        assert_eq!(month.latest_expiry(started), month.expiry(ended));
    }
}
