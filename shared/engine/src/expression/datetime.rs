//! A timestamp between the years 1 and 9999, in UTC. The timestamps of jiff end a day earlier than those of CEL.

use std::fmt;

use jiff::civil::{DateTime, date};
use jiff::fmt::temporal::Pieces;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UtcDateTime(DateTime);

const EPOCH: DateTime = date(1970, 1, 1).at(0, 0, 0, 0);

impl UtcDateTime {
    fn new(utc: DateTime) -> Option<Self> {
        (utc.year() >= 1).then_some(Self(utc))
    }

    /// Parses an RFC 3339 timestamp.
    pub fn parse(text: &str) -> Option<Self> {
        let pieces = Pieces::parse(text).ok()?;
        let local = pieces.date().to_datetime(pieces.time()?);
        let offset = SignedDuration::from_secs(pieces.to_numeric_offset()?.seconds().into());
        local.checked_sub(offset).ok().and_then(Self::new)
    }

    pub fn from_second(seconds: i64) -> Option<Self> {
        Self(EPOCH).checked_add(SignedDuration::from_secs(seconds))
    }

    pub fn as_second(self) -> i64 {
        self.since(Self(EPOCH)).as_secs()
    }

    pub fn checked_add(self, duration: SignedDuration) -> Option<Self> {
        self.0.checked_add(duration).ok().and_then(Self::new)
    }

    pub fn checked_sub(self, duration: SignedDuration) -> Option<Self> {
        self.0.checked_sub(duration).ok().and_then(Self::new)
    }

    pub fn since(self, other: Self) -> SignedDuration {
        self.0.duration_since(other.0)
    }

    /// Converts to a timestamp of jiff. The last hours of the year 9999 have none.
    pub fn timestamp(self) -> Option<Timestamp> {
        TimeZone::UTC.to_timestamp(self.0).ok()
    }

    /// Returns the local time in a time zone.
    pub fn in_zone(self, zone: &TimeZone) -> Option<DateTime> {
        let offset = zone.to_offset(self.timestamp().unwrap_or(Timestamp::MAX));
        self.0.checked_add(SignedDuration::from_secs(offset.seconds().into())).ok()
    }
}

impl TryFrom<Timestamp> for UtcDateTime {
    type Error = ();

    fn try_from(timestamp: Timestamp) -> Result<Self, ()> {
        Self::new(TimeZone::UTC.to_datetime(timestamp)).ok_or(())
    }
}

impl fmt::Display for UtcDateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}Z", self.0)
    }
}
