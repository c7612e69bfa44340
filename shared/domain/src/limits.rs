//! Rate limits in fixed windows: dimensions, levels and values.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::time::Time;

/// The quantity that a rate limit counts, and its window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dimension {
    /// Requests per minute
    Rpm,
    /// Requests per day
    Rpd,
    /// Tokens per minute
    Tpm,
    /// Tokens per day
    Tpd,
    /// Images per minute
    Ipm,
}

impl Dimension {
    pub const ALL: [Self; 5] = [Self::Rpm, Self::Rpd, Self::Tpm, Self::Tpd, Self::Ipm];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rpm => "rpm",
            Self::Rpd => "rpd",
            Self::Tpm => "tpm",
            Self::Tpd => "tpd",
            Self::Ipm => "ipm",
        }
    }

    /// The length of the window in seconds. Windows are fixed: UTC minutes and UTC days.
    pub fn window_s(self) -> i64 {
        match self {
            Self::Rpm | Self::Tpm | Self::Ipm => 60,
            Self::Rpd | Self::Tpd => 86_400,
        }
    }

    /// The number of the window that contains `at`.
    pub fn window(self, at: Time) -> i64 {
        at.as_seconds().div_euclid(self.window_s())
    }

    /// When the window that contains `at` ends, in Unix seconds.
    pub fn resets_at(self, at: Time) -> i64 {
        (self.window(at) + 1) * self.window_s()
    }
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The maximum per window and dimension. `None` means unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    pub rpm: Option<u64>,
    pub rpd: Option<u64>,
    pub tpm: Option<u64>,
    pub tpd: Option<u64>,
    pub ipm: Option<u64>,
}

impl Limits {
    pub const NONE: Self = Self { rpm: None, rpd: None, tpm: None, tpd: None, ipm: None };

    pub fn get(&self, dimension: Dimension) -> Option<u64> {
        match dimension {
            Dimension::Rpm => self.rpm,
            Dimension::Rpd => self.rpd,
            Dimension::Tpm => self.tpm,
            Dimension::Tpd => self.tpd,
            Dimension::Ipm => self.ipm,
        }
    }

    /// Fills the missing limits with `others`.
    pub fn or(self, others: Self) -> Self {
        Self {
            rpm: self.rpm.or(others.rpm),
            rpd: self.rpd.or(others.rpd),
            tpm: self.tpm.or(others.tpm),
            tpd: self.tpd.or(others.tpd),
            ipm: self.ipm.or(others.ipm),
        }
    }
}

/// The level of a limit: an organization, a user in it, or an API key of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Org,
    User,
    Key,
}

impl Level {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Org => "org",
            Self::User => "user",
            Self::Key => "key",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The limits of a plan at each level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlanLimits {
    pub org: Limits,
    pub user: Limits,
    pub key: Limits,
}

impl PlanLimits {
    /// Whether no level has a limit.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub fn get(&self, level: Level) -> Limits {
        match level {
            Level::Org => self.org,
            Level::User => self.user,
            Level::Key => self.key,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_utc_minutes_and_days() {
        let at = Time::from_millis(86_400_000 * 3 + 61_500);
        assert_eq!(Dimension::Rpm.window(at), 3 * 1_440 + 1);
        assert_eq!(Dimension::Rpm.resets_at(at), 86_400 * 3 + 120);
        assert_eq!(Dimension::Tpd.window(at), 3);
        assert_eq!(Dimension::Tpd.resets_at(at), 86_400 * 4);
    }
}
