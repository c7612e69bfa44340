//! Timestamps: UTC with milliseconds, in one text format that sorts by time.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A point in time, such as `2026-03-01T09:30:00.000Z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(transparent)]
pub struct Time(Timestamp);

impl Time {
    pub fn now() -> Self {
        Self::from_millis(Timestamp::now().as_millisecond())
    }

    pub fn from_millis(millis: i64) -> Self {
        Self(Timestamp::from_millisecond(millis).unwrap_or(Timestamp::UNIX_EPOCH))
    }

    /// The creation time of a UUID version 7.
    pub fn from_uuid(uuid: Uuid) -> Self {
        Self::from_millis((uuid.as_u128() >> 80) as i64)
    }

    /// The smallest UUID version 7 of this time.
    pub fn first_uuid(self) -> Uuid {
        let millis = self.as_millis().max(0) as u128;
        Uuid::from_u128((millis << 80) | (7 << 76) | (2 << 62))
    }

    /// The largest UUID version 7 that was made before this time.
    pub fn last_uuid_before(self) -> Uuid {
        Uuid::from_u128(self.first_uuid().as_u128() - 1)
    }

    pub fn as_millis(self) -> i64 {
        self.0.as_millisecond()
    }

    /// Unix seconds, as in DynamoDB TTL attributes and JWT claims.
    pub fn as_seconds(self) -> i64 {
        self.0.as_second()
    }

    /// The UTC date, such as `2026-03-01`.
    pub fn day(self) -> String {
        self.to_string()[..10].to_owned()
    }

    /// The time from now until `later`; zero if it is over.
    pub fn until(self, later: Self) -> Duration {
        Duration::from_millis(u64::try_from(later.as_millis() - self.as_millis()).unwrap_or_default())
    }

    pub fn minus(self, duration: Duration) -> Self {
        Self::from_millis(self.as_millis().saturating_sub(duration.as_millis() as i64))
    }

    pub fn plus(self, duration: Duration) -> Self {
        Self::from_millis(self.as_millis().saturating_add(duration.as_millis() as i64))
    }
}

impl From<Timestamp> for Time {
    fn from(time: Timestamp) -> Self {
        Self::from_millis(time.as_millisecond())
    }
}

impl From<Time> for Timestamp {
    fn from(time: Time) -> Self {
        time.0
    }
}

/// A clock for code that cannot receive the time as an argument. Simulations replace it.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Time + Send + Sync>);

impl Clock {
    pub fn new(now: impl Fn() -> Time + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    pub fn now(&self) -> Time {
        (self.0)()
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::new(Time::now)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MILLISECONDS: DateTimePrinter = DateTimePrinter::new().precision(Some(3));
        MILLISECONDS.print_timestamp(&self.0, jiff::fmt::StdFmtWrite(f)).map_err(|_| fmt::Error)
    }
}

impl Serialize for Time {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_print_in_utc_with_milliseconds() {
        assert_eq!(Time::from_millis(0).to_string(), "1970-01-01T00:00:00.000Z");
        assert_eq!(Time::from_millis(1_772_357_400_120).to_string(), "2026-03-01T09:30:00.120Z");
    }

    #[test]
    fn creation_time_is_read_from_a_version_7_uuid() {
        let before = Time::now();
        let made = Time::from_uuid(Uuid::now_v7());
        assert!(before <= made && made <= Time::now());
    }

    #[test]
    fn the_first_uuid_of_a_time_is_the_smallest_one() {
        let made = Uuid::now_v7();
        let first = Time::from_uuid(made).first_uuid();
        assert_eq!((first.get_version_num(), first.get_variant()), (7, uuid::Variant::RFC4122));
        assert_eq!(Time::from_uuid(first), Time::from_uuid(made));
        assert!(first <= made && Time::from_uuid(made).last_uuid_before().get_variant() != uuid::Variant::RFC4122);
    }
}
