//! How long the bodies of an organization's calls of models are kept, if an administrator has turned that on.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::retention::RunRetention;
use super::time::Time;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// A rule of the bucket deletes old objects by the prefix of their names, so the days are rounded up to one of these.
const OBJECT_DAYS: [u8; 5] = [1, 3, 7, 14, 30];

/// A number of days
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct CallRetention(u8);

impl CallRetention {
    pub const MAX_DAYS: u8 = 30;
    pub const LONGEST: Self = Self(Self::MAX_DAYS);

    pub fn new(days: u8) -> Option<Self> {
        (1..=Self::MAX_DAYS).contains(&days).then_some(Self(days))
    }

    pub fn days(self) -> u8 {
        self.0
    }

    /// The longest retention of an organization whose plan keeps its runs for these days.
    pub fn longest(plan: RunRetention) -> Self {
        u8::try_from(plan.days()).ok().and_then(Self::new).unwrap_or(Self::LONGEST)
    }

    /// When the bodies of a call that ended at this time expire.
    pub fn expiry(self, ended_at: Time) -> Time {
        ended_at.plus(DAY * u32::from(self.0))
    }

    /// The prefix of the names of objects that are kept for at least these days.
    pub fn object_prefix(self) -> String {
        format!("call-bodies/{}d", self.object_days())
    }

    fn object_days(self) -> u8 {
        OBJECT_DAYS.into_iter().find(|days| *days >= self.0).unwrap_or(Self::MAX_DAYS)
    }
}

impl TryFrom<u8> for CallRetention {
    type Error = String;

    fn try_from(days: u8) -> Result<Self, String> {
        Self::new(days).ok_or_else(|| format!("1 to {} days", Self::MAX_DAYS))
    }
}

impl From<CallRetention> for u8 {
    fn from(retention: CallRetention) -> Self {
        retention.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_kept_at_least_as_long_as_the_bodies() {
        let days = [1, 2, 3, 7, 8, 14, 15, 30].map(|days| CallRetention::new(days).unwrap().object_days());
        assert_eq!(days, [1, 3, 3, 7, 14, 14, 30, 30]);
        assert_eq!((CallRetention::new(0), CallRetention::new(31)), (None, None));
    }

    #[test]
    fn the_plan_limits_the_days() {
        let longest = [1, 30, 31, 365].map(|days| CallRetention::longest(RunRetention::new(days).unwrap()).days());
        assert_eq!(longest, [1, 30, 30, 30]);
    }
}
