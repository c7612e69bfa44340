//! Functions of time. `now` is the time of the run, so that a resumed run sees the same time.

use domain::language::Translated;
use jiff::civil::{DateTime, Weekday};
use jiff::fmt::strtime::{self, BrokenDownTime};
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Zoned};

use super::super::datetime::UtcDateTime;
use super::super::number::as_integer;
use super::super::operators::{OUT_OF_TIME, duration as bounded};
use super::*;

pub const ALL: &[Function] = &[
    Function::new(&["now"], &["now"], (0, 0), &[], now),
    Function::new(&["timestamp"], &["timestamp"], (1, 1), &[], timestamp),
    Function::new(&["duration"], &["duration"], (1, 1), &[], duration),
    Function::new(&["date"], &["date"], (1, 3), &["format", "timezone"], date),
    Function::new(&["getFullYear"], &[], (1, 2), &[], |_, _, a| read_field(a, |at| at.year().into(), None)),
    Function::new(&["getMonth"], &[], (1, 2), &[], |_, _, a| read_field(a, |at| i64::from(at.month()) - 1, None)),
    Function::new(&["getDate"], &[], (1, 2), &[], |_, _, a| read_field(a, |at| at.day().into(), None)),
    Function::new(&["getDayOfMonth"], &[], (1, 2), &[], |_, _, a| read_field(a, |at| i64::from(at.day()) - 1, None)),
    Function::new(&["getDayOfYear"], &[], (1, 2), &[], |_, _, a| {
        read_field(a, |at| i64::from(at.day_of_year()) - 1, None)
    }),
    Function::new(&["getDayOfWeek"], &[], (1, 2), &[], |_, _, a| read_field(a, day_of_week, None)),
    Function::new(&["getHours"], &[], (1, 2), &[], |_, _, a| read_field(a, |at| at.hour().into(), Some(3_600))),
    Function::new(&["getMinutes"], &[], (1, 2), &[], |_, _, a| read_field(a, |at| at.minute().into(), Some(60))),
    Function::new(&["getSeconds"], &[], (1, 2), &[], |_, _, a| read_field(a, |at| at.second().into(), Some(1))),
    Function::new(&["getMilliseconds"], &[], (1, 2), &[], milliseconds),
];

const MAX_FORMAT_BYTES: usize = 200;
pub const PLAIN_FORMAT: Translated = Translated::new(
    "a date format needs directives with %, such as %Y-%m-%d",
    "un formato de fecha necesita directivas con %, como %Y-%m-%d",
);

/// Converts RFC 3339 text, or seconds since 1970.
fn timestamp<'a>(_: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    utc_time(&a[0]).map(Value::Time)
}

fn now<'a>(_: &mut EvaluationBudget, scope: &Scope<'a>, _: &[Value<'a>]) -> Outcome<'a> {
    UtcDateTime::try_from(scope.now).map(Value::Time).map_err(|()| OUT_OF_TIME)
}

fn utc_time(value: &Value) -> Result<UtcDateTime, Cause> {
    const NONE: Cause = Cause::Message("invalid timestamp; write it as 2026-03-01T09:30:00Z");
    match value {
        Value::Time(time) => Ok(*time),
        Value::Text(text) => UtcDateTime::parse(text.trim()).ok_or(NONE),
        value => as_integer(value).and_then(UtcDateTime::from_second).ok_or(NONE),
    }
}

/// Converts text such as `1h30m`, `90s` or `1.5s`, or seconds.
fn duration<'a>(_: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    const NONE: Cause = Cause::Message("invalid duration; write it as 1h30m or 90s");
    match &a[0] {
        Value::Duration(duration) => Ok(Value::Duration(*duration)),
        Value::Text(text) => bounded(Some(text.trim().parse().map_err(|_| NONE)?)),
        value => bounded(Some(SignedDuration::from_secs(as_integer(value).ok_or(NONE)?))),
    }
}

/// Returns the time zone of an argument: UTC if omitted, an IANA name, or a fixed offset such as `+05:30`.
fn zone(zone: Option<&Value>) -> Result<TimeZone, Cause> {
    const NONE: Cause = Cause::Message("unknown time zone; use a name such as Europe/Madrid");
    let Some(zone) = zone else { return Ok(TimeZone::UTC) };
    let name = text(zone)?;
    match fixed_offset(name) {
        Some(offset) => Ok(TimeZone::fixed(offset)),
        None => TimeZone::get(name).map_err(|_| NONE),
    }
}

/// Parses `+02:00` or `-09:30`; without a sign, the offset is positive.
fn fixed_offset(text: &str) -> Option<Offset> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let number = |digits: &str| (digits.len() == 2).then(|| digits.parse::<u8>().ok()).flatten().map(i32::from);
    let (hours, minutes) = digits.split_once(':')?;
    let (hours, minutes) = (number(hours)?, number(minutes).filter(|minutes| *minutes < 60)?);
    Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()
}

fn date<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let format = optional(a, 1).map(text).transpose()?.map_or("%Y-%m-%d %H:%M", |format| format);
    if format.len() > MAX_FORMAT_BYTES {
        return Err(Cause::Message("the date format is longer than 200 bytes; shorten it"));
    }
    if !format.contains('%') {
        return Err(Cause::Message(PLAIN_FORMAT.en));
    }
    let (at, zone) = (utc_time(&a[0])?, zone(optional(a, 2))?);
    // A directive pads to at most 255 characters.
    budget.bytes(format.len() * 256)?;
    let text = match at.timestamp() {
        Some(timestamp) => strtime::format(format, &Zoned::new(timestamp, zone)),
        None => BrokenDownTime::from(at.in_zone(&zone).ok_or(OUT_OF_TIME)?).to_string(format),
    };
    Value::text(&text.map_err(|_| Cause::Message("invalid date format; use directives such as %Y-%m-%d"))?, budget)
}

/// Returns a field of a timestamp, or a whole duration in a unit.
fn read_field<'a>(a: &[Value<'a>], of: impl Fn(DateTime) -> i64, unit_s: Option<i64>) -> Outcome<'a> {
    match (&a[0], unit_s) {
        (Value::Duration(duration), Some(unit_s)) => Ok(Value::Int(duration.as_secs() / unit_s)),
        (value, _) => {
            let at = utc_time(value)?.in_zone(&zone(optional(a, 1))?);
            Ok(Value::Int(of(at.ok_or(OUT_OF_TIME)?)))
        }
    }
}

/// Returns the milliseconds within the second, also for a duration.
fn milliseconds<'a>(_: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    match &a[0] {
        Value::Duration(duration) => Ok(Value::Int(duration.subsec_millis().into())),
        _ => read_field(a, |at| at.millisecond().into(), None),
    }
}

fn day_of_week(at: DateTime) -> i64 {
    match at.weekday() {
        Weekday::Sunday => 0,
        day => day.to_monday_one_offset().into(),
    }
}
