//! Functions of time. The clock is the run's own, so that a run which is taken up again sees the same moment.

use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, Zoned};

use super::super::operators::whole as whole_number;
use super::*;

pub const ALL: &[Function] = &[
    Function::new(&["now"], &["now"], (0, 0), &[], |_, scope, _| Ok(Value::Time(scope.now))),
    Function::new(&["timestamp"], &["timestamp"], (1, 1), &[], timestamp),
    Function::new(&["duration"], &["duration"], (1, 1), &[], duration),
    Function::new(&["date"], &["date"], (1, 3), &["format", "timezone"], date),
    Function::new(&["getFullYear"], &[], (1, 2), &[], |_, _, a| part(a, |at| at.year().into(), None)),
    Function::new(&["getMonth"], &[], (1, 2), &[], |_, _, a| part(a, |at| i64::from(at.month()) - 1, None)),
    Function::new(&["getDate"], &[], (1, 2), &[], |_, _, a| part(a, |at| at.day().into(), None)),
    Function::new(&["getDayOfMonth"], &[], (1, 2), &[], |_, _, a| part(a, |at| i64::from(at.day()) - 1, None)),
    Function::new(&["getDayOfYear"], &[], (1, 2), &[], |_, _, a| part(a, |at| i64::from(at.day_of_year()) - 1, None)),
    Function::new(&["getDayOfWeek"], &[], (1, 2), &[], |_, _, a| part(a, day_of_week, None)),
    Function::new(&["getHours"], &[], (1, 2), &[], |_, _, a| part(a, |at| at.hour().into(), Some(3_600_000))),
    Function::new(&["getMinutes"], &[], (1, 2), &[], |_, _, a| part(a, |at| at.minute().into(), Some(60_000))),
    Function::new(&["getSeconds"], &[], (1, 2), &[], |_, _, a| part(a, |at| at.second().into(), Some(1_000))),
    Function::new(&["getMilliseconds"], &[], (1, 2), &[], |_, _, a| part(a, |at| at.millisecond().into(), Some(1))),
];

const MAX_FORMAT_BYTES: usize = 200;
pub const PLAIN_FORMAT: &str = "the format of a date is written with %, as in %Y-%m-%d";

/// Of RFC 3339, or of seconds since 1970.
fn timestamp<'a>(_: &mut Budget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    moment(&a[0]).map(Value::Time)
}

fn moment(value: &Value) -> Result<Timestamp, Why> {
    const NONE: Why = Why::Message("no timestamp: write it as 2026-03-01T09:30:00Z");
    match value {
        Value::Time(time) => Ok(*time),
        Value::Text(text) => text.trim().parse().map_err(|_| NONE),
        value => whole_number(value).and_then(|seconds| Timestamp::from_second(seconds).ok()).ok_or(NONE),
    }
}

/// `1h30m`, `90s`, `1.5s`, or seconds.
fn duration<'a>(_: &mut Budget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    const NONE: Why = Why::Message("no duration: write it as 1h30m or 90s");
    match &a[0] {
        Value::Duration(duration) => Ok(Value::Duration(*duration)),
        Value::Text(text) => text.trim().parse().map(Value::Duration).map_err(|_| NONE),
        value => whole_number(value).map(|seconds| Value::Duration(SignedDuration::from_secs(seconds))).ok_or(NONE),
    }
}

/// In UTC, or in a named zone.
fn zoned(value: &Value, zone: Option<&Value>) -> Result<Zoned, Why> {
    let zone = match zone {
        None => TimeZone::UTC,
        Some(zone) => TimeZone::get(text(zone)?).map_err(|_| Why::Message("no such time zone"))?,
    };
    Ok(moment(value)?.to_zoned(zone))
}

fn date<'a>(budget: &mut Budget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let format = optional(a, 1).map(text).transpose()?.map_or("%Y-%m-%d %H:%M", |format| format);
    if format.len() > MAX_FORMAT_BYTES {
        return Err(Why::Message("the format of a date has at most 200 bytes"));
    }
    if !format.contains('%') {
        return Err(Why::Message(PLAIN_FORMAT));
    }
    let at = zoned(&a[0], optional(a, 2))?;
    // A directive pads by at most 255.
    budget.bytes(format.len() * 256)?;
    let text = jiff::fmt::strtime::format(format, &at).map_err(|_| Why::Message("no format of a date"))?;
    Value::text(&text, budget)
}

/// A part of a moment, or all of a duration in that unit.
fn part<'a>(a: &[Value<'a>], of: impl Fn(&Zoned) -> i64, unit_ms: Option<i128>) -> Outcome<'a> {
    match (&a[0], unit_ms) {
        (Value::Duration(duration), Some(unit_ms)) => Ok(Value::Int((duration.as_millis() / unit_ms) as i64)),
        (value, _) => Ok(Value::Int(of(&zoned(value, optional(a, 1))?))),
    }
}

fn day_of_week(at: &Zoned) -> i64 {
    match at.weekday() {
        Weekday::Sunday => 0,
        day => day.to_monday_one_offset().into(),
    }
}
