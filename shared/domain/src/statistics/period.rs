//! A period of whole days in a time zone.

use std::collections::BTreeMap;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use super::{QUARTER, RunCounts};
use crate::time::Time;
use crate::{Error, Result};

/// A longer period would read too much.
const MAX_DAYS: i32 = 366;
/// The default length, with the current day.
const DEFAULT_DAYS: i32 = 30;

/// The days from `first` to `last`, both included.
#[derive(Clone, Debug)]
pub struct Period {
    pub first: Date,
    pub last: Date,
    zone: TimeZone,
}

impl Period {
    /// A period from the parameters `from`, `to` and `timezone` of a request. By default it is the thirty days until today, in
    /// UTC.
    pub fn parse(from: Option<&str>, to: Option<&str>, zone: Option<&str>, now: Time) -> Result<Self> {
        let zone = zone.unwrap_or("UTC");
        let zone = TimeZone::get(zone).map_err(|_| {
            Error::invalid_query("timezone", format!("{zone} is no IANA time zone, such as Europe/Madrid"))
        })?;
        let date = |name: &str, text: Option<&str>| {
            let parsed = text.map(|text| text.parse::<Date>().ok().filter(|date| date.to_string() == text));
            let invalid = || Error::invalid_query(name, "a date such as 2026-11-22");
            parsed.map(|date| date.ok_or_else(invalid)).transpose()
        };
        let last = date("to", to)?.unwrap_or_else(|| zone.to_datetime(Timestamp::from(now)).date());
        let default = || last.saturating_sub((DEFAULT_DAYS - 1).days());
        let first = date("from", from)?.unwrap_or_else(default);
        match first.until(last).map(|span| span.get_days()) {
            Ok(days) if days < 0 => Err(Error::invalid_query("from", "must not be after `to`")),
            Ok(days) if days < MAX_DAYS => Ok(Self { first, last, zone }),
            _ => Err(Error::invalid_query(
                "from",
                format!("the period has more than {MAX_DAYS} days; choose a later day"),
            )),
        }
    }

    pub fn zone_name(&self) -> &str {
        self.zone.iana_name().unwrap_or("UTC")
    }

    /// All days of the period.
    pub fn days(&self) -> impl Iterator<Item = Date> {
        let last = self.last;
        self.first.series(1.day()).take_while(move |day| *day <= last)
    }

    /// The first and the last UTC day that have a part of the period.
    pub fn utc_days(&self) -> (String, String) {
        let start =
            |day: Date| self.zone.to_ambiguous_zoned(day.at(0, 0, 0, 0)).compatible().map(|time| time.timestamp());
        let first = start(self.first).unwrap_or(Timestamp::MIN);
        let end = self.last.tomorrow().map(start).unwrap_or(Ok(Timestamp::MAX)).unwrap_or(Timestamp::MAX);
        let last = end.saturating_sub(1.nanosecond()).unwrap_or(end);
        let day = |time: Timestamp| TimeZone::UTC.to_datetime(time).date().to_string();
        (day(first), day(last))
    }

    /// The day, in the time zone of the period, of a quarter of an hour of a UTC day. None if it is outside of the period.
    fn day_of(&self, utc_day: Date, quarter: u8) -> Option<Date> {
        let begin = TimeZone::UTC.to_timestamp(utc_day.at(0, 0, 0, 0)).ok()?;
        let at = begin.checked_add(QUARTER * u32::from(quarter)).ok()?;
        let day = self.zone.to_datetime(at).date();
        (self.first..=self.last).contains(&day).then_some(day)
    }

    /// The counts of each day of the period. Days without runs have zeros.
    pub fn count<'a>(&self, quarters: impl IntoIterator<Item = (&'a str, u8, RunCounts)>) -> Vec<(Date, RunCounts)> {
        let mut counts: BTreeMap<Date, RunCounts> = self.days().map(|day| (day, RunCounts::default())).collect();
        for (utc_day, quarter, runs) in quarters {
            let day = utc_day.parse().ok().and_then(|utc_day| self.day_of(utc_day, quarter));
            if let Some(sum) = day.and_then(|day| counts.get_mut(&day)) {
                *sum += runs;
            }
        }
        counts.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Time {
        text.parse::<Timestamp>().unwrap().into()
    }

    fn period(from: &str, to: &str, zone: &str) -> Period {
        Period::parse(Some(from), Some(to), Some(zone), at("2026-11-23T12:00:00Z")).unwrap()
    }

    #[test]
    fn the_default_period_ends_today() {
        let now = at("2026-11-22T23:30:00Z");
        let utc = Period::parse(None, None, None, now).unwrap();
        assert_eq!((utc.first.to_string(), utc.last.to_string()), ("2026-10-24".to_owned(), "2026-11-22".to_owned()));
        assert_eq!((utc.days().count(), utc.zone_name()), (30, "UTC"));
        let madrid = Period::parse(None, None, Some("Europe/Madrid"), now).unwrap();
        assert_eq!(madrid.last.to_string(), "2026-11-23");
    }

    #[test]
    fn wrong_parameters_are_refused() {
        for (from, to, zone, problem) in [
            (Some("yesterday"), None, None, "from: a date such as 2026-11-22"),
            (None, Some("2026-11-22T10:00:00Z"), None, "to: a date such as 2026-11-22"),
            (Some("2026-11-22"), Some("2026-11-21"), None, "from: must not be after `to`"),
            (
                Some("2025-11-20"),
                Some("2026-11-21"),
                None,
                "from: the period has more than 366 days; choose a later day",
            ),
            (None, None, Some("Madrid"), "timezone: Madrid is no IANA time zone, such as Europe/Madrid"),
        ] {
            let refused = Period::parse(from, to, zone, at("2026-11-23T12:00:00Z")).unwrap_err();
            assert_eq!(refused.to_string(), problem);
        }
    }

    #[test]
    fn the_utc_days_cover_the_period() {
        for (zone, days) in [
            ("UTC", ("2026-11-21", "2026-11-22")),
            ("Europe/Madrid", ("2026-11-20", "2026-11-22")),
            ("America/New_York", ("2026-11-21", "2026-11-23")),
        ] {
            let (first, last) = period("2026-11-21", "2026-11-22", zone).utc_days();
            assert_eq!((first.as_str(), last.as_str()), days, "{zone}");
        }
    }

    #[test]
    fn runs_are_counted_on_the_day_of_the_zone() {
        let one = RunCounts { completed: 1, ..RunCounts::default() };
        // 18:15, 18:30 and 23:45 UTC.
        let quarters = [("2026-11-21", 73, one), ("2026-11-21", 74, one), ("2026-11-21", 95, one)];
        for (zone, expected) in [("UTC", [3, 0]), ("Asia/Kolkata", [1, 2]), ("Asia/Kathmandu", [0, 3])] {
            let counts = period("2026-11-21", "2026-11-22", zone).count(quarters);
            assert_eq!(counts.iter().map(|(_, runs)| runs.total()).collect::<Vec<_>>(), expected, "{zone}");
        }
        assert_eq!(period("2026-11-22", "2026-11-22", "UTC").count(quarters)[0].1.total(), 0);
    }
}
