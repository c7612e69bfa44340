//! Counts of what may happen a number of times in each hour. All processes share a count.

use std::time::Duration;

use super::attribute::{Attribute, EXPIRES_AT};
use super::keys::Key;
use super::table::Table;
use domain::Result;
use domain::time::Time;

pub const HOUR: Duration = Duration::from_secs(60 * 60);

const EVENT_COUNT: Attribute<u64> = Attribute::new("event_count");

/// The number of the hour of a time. It is a part of the key of its count.
pub fn hour_of(now: Time) -> i64 {
    now.as_seconds().div_euclid(HOUR.as_secs() as i64)
}

/// Counts an event, on condition that the hour has room for it.
pub async fn take_place(counters: &Table, key: Key, most: u64, now: Time) -> Result<bool> {
    let place = counters.update(key).add(EVENT_COUNT, 1);
    let place = place.set(EXPIRES_AT, now.plus(2 * HOUR).as_seconds());
    let place = place.require(EVENT_COUNT.is_missing().or(EVENT_COUNT.is_less_than(most)));
    Ok(counters.write(place).await?.is_written())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_stored_counts() {
        crate::stored_items::require("refused_calls", &[EVENT_COUNT.path()]);
    }
}
