//! The filters `int` and `float`. A value that is not a number is an error, unless a default is given.

use super::super::super::number::{OVERFLOW, as_i128, float, whole_number};
use super::*;

pub const ALL: &[Function] = &[
    Function::new(&[], &["int"], (1, 3), &["default", "base"], to_int),
    Function::new(&[], &["float"], (1, 2), &["default"], to_float),
];

fn or_default<'a>(found: Option<Value<'a>>, a: &[Value<'a>], what: &str) -> Outcome<'a> {
    found.or_else(|| provided(a, 1).cloned()).ok_or_else(|| {
        Cause::Text(format!("cannot convert {} to {what}; use x | {what}(0) for a default", a[0].kind()))
    })
}

fn to_int<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let base = provided(a, 2).map_or(Ok(10), integer)?;
    let base = u32::try_from(base).ok().filter(|base| *base == 0 || (2..=36).contains(base));
    let base = base.ok_or(Cause::Message("the base of int must be 0, or 2 to 36"))?;
    let found = match &a[0] {
        Value::Bool(value) => Some(Value::Int((*value).into())),
        Value::Text(text) => {
            budget.bytes(text.len())?;
            match parse_digits(text.trim(), base) {
                Some(number) => Some(whole_number(number)?),
                None => parse_float(text).map(truncate).transpose()?.flatten(),
            }
        }
        Value::Float(number) => truncate(*number)?,
        Value::Time(time) => Some(Value::Int(time.as_second())),
        Value::Duration(duration) => Some(Value::Int(duration.as_secs())),
        other => as_i128(other).map(whole_number).transpose()?,
    };
    or_default(found, a, "int")
}

fn truncate<'a>(number: f64) -> Result<Option<Value<'a>>, Cause> {
    match number {
        number if number.is_nan() => Ok(None),
        number if number.abs() < 1e20 => whole_number(number.trunc() as i128).map(Some),
        _ => Err(OVERFLOW),
    }
}

/// Parses digits of a base, optionally with a prefix `0x`, `0o` or `0b` and with `_` between digits.
fn parse_digits(text: &str, base: u32) -> Option<i128> {
    let (is_negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let prefixed = [("0x", 16), ("0o", 8), ("0b", 2)].into_iter().find_map(|(prefix, of)| {
        let start = text.get(..2)?;
        (start.eq_ignore_ascii_case(prefix) && (base == of || base == 0)).then(|| (&text[2..], of))
    });
    let (text, base) = prefixed.unwrap_or((text, if base == 0 { 10 } else { base }));
    let is_unsigned = text.starts_with(|c: char| c.is_ascii_alphanumeric());
    let number = is_unsigned.then(|| i128::from_str_radix(&remove_underscores(text)?, base).ok())??;
    Some(if is_negative { -number } else { number })
}

/// Removes underscores between digits, and refuses them elsewhere.
fn remove_underscores(text: &str) -> Option<Cow<'_, str>> {
    match text.contains('_') {
        false => Some(Cow::Borrowed(text)),
        true if text.split('_').all(|part| part.starts_with(is_digit) && part.ends_with(is_digit)) => {
            Some(Cow::Owned(text.replace('_', "")))
        }
        true => None,
    }
}

fn is_digit(c: char) -> bool {
    c.is_ascii_alphanumeric()
}

fn parse_float(text: &str) -> Option<f64> {
    remove_underscores(text.trim())?.parse().ok()
}

fn to_float<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    if let Value::Text(text) = &a[0] {
        budget.bytes(text.len())?;
    }
    let found = match &a[0] {
        Value::Bool(value) => Some(f64::from(*value)),
        Value::Text(text) => parse_float(text),
        value => float(value),
    };
    or_default(found.map(Value::Float), a, "float")
}
