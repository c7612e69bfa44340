//! The operators of both languages. Integers and floats can be mixed.

use std::cmp::Ordering;

use jiff::SignedDuration;

use super::budget::{EvaluationBudget, json_text};
use super::comparison::{compare, contains, equal};
use super::markup::as_markup;
use super::number::{OVERFLOW, as_i128, float, whole_number};
use super::value::{NOT_FINITE, Value};
use super::{Cause, Outcome};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpressionOperator {
    Add,
    Subtract,
    Multiply,
    /// Jinja's `*`, which also repeats a string.
    Repeat,
    Divide,
    /// Jinja's `//`.
    DivideDown,
    Remainder,
    /// Jinja's `%`, whose result has the sign of the divisor.
    Modulo,
    Power,
    /// Jinja's `~`: concatenates both as text.
    Join,
    Equal,
    NotEqual,
    Less,
    AtMost,
    Greater,
    AtLeast,
    In,
    /// Jinja's `in`, which also searches strings.
    Within,
}

impl ExpressionOperator {
    /// Whether the operator accepts undefined operands in a template.
    pub fn is_lenient(self) -> bool {
        matches!(self, Self::Equal | Self::NotEqual | Self::Within)
    }

    pub fn apply<'a>(self, left: &Value<'a>, right: &Value<'a>, budget: &mut EvaluationBudget) -> Outcome<'a> {
        match self {
            Self::Add => add(left, right, budget),
            Self::Subtract => subtract(left, right),
            Self::Multiply => multiply(left, right),
            Self::Repeat => repeat(left, right, budget),
            Self::Divide => divide(left, right),
            Self::DivideDown => divide_down(left, right, "//", whole_quotient, float_quotient),
            Self::Remainder => numbers(left, right, "%", i64::checked_rem, |a, b| a % b),
            Self::Modulo => divide_down(left, right, "%", whole_modulo, float_modulo),
            Self::Power => power(left, right),
            Self::Join => {
                let joined = [format_value(left, budget)?, format_value(right, budget)?].concat();
                Value::text(&joined, budget)
            }
            Self::Equal => Ok(Value::Bool(equal(left, right, budget)?)),
            Self::NotEqual => Ok(Value::Bool(!equal(left, right, budget)?)),
            Self::Less => Ok(Value::Bool(compare(left, right, budget)? == Some(Ordering::Less))),
            Self::AtMost => Ok(Value::Bool(compare(left, right, budget)?.is_some_and(Ordering::is_le))),
            Self::Greater => Ok(Value::Bool(compare(left, right, budget)? == Some(Ordering::Greater))),
            Self::AtLeast => Ok(Value::Bool(compare(left, right, budget)?.is_some_and(Ordering::is_ge))),
            Self::In if matches!(right, Value::Text(_)) => {
                Err(Cause::Message("`in` searches lists and maps; for a string, write text.contains(part)"))
            }
            Self::In | Self::Within => contains(right, left, budget).map(Value::Bool),
        }
    }
}

/// Applies an arithmetic operator. Two integers give an integer; with a float among them, the result is a float.
fn numbers<'a>(
    left: &Value<'a>,
    right: &Value<'a>,
    operator: &str,
    on_integers: impl Fn(i64, i64) -> Option<i64>,
    on_floats: impl Fn(f64, f64) -> f64,
) -> Outcome<'a> {
    let divides = matches!(operator, "//" | "%");
    match (left, right) {
        (Value::Int(_), Value::Int(0)) if divides => Err(Cause::Message("division by zero")),
        (Value::Int(left), Value::Int(right)) => on_integers(*left, *right).map(Value::Int).ok_or(OVERFLOW),
        _ if is_beyond(left, right) => Err(OVERFLOW),
        _ => match (float(left), float(right)) {
            (Some(left), Some(right)) => Ok(Value::Float(on_floats(left, right))),
            _ => Err(Cause::mismatch(operator, left, right)),
        },
    }
}

/// Whether both are integers and one is beyond 64 signed bits: as floats they would lose digits.
fn is_beyond(left: &Value, right: &Value) -> bool {
    let is_large = |value: &Value| matches!(value, Value::Large(_));
    let is_whole = |value: &Value| matches!(value, Value::Int(_) | Value::Large(_));
    (is_large(left) && is_whole(right)) || (is_whole(left) && is_large(right))
}

/// Jinja's `//` and `%`, as Python defines them: the quotient is rounded down, and the remainder has the sign of the
/// divisor.
fn divide_down<'a>(
    left: &Value<'a>,
    right: &Value<'a>,
    operator: &str,
    on_integers: impl Fn(i128, i128) -> i128,
    on_floats: impl Fn(f64, f64) -> f64,
) -> Outcome<'a> {
    if let (Some(left), Some(right)) = (as_i128(left), as_i128(right)) {
        return if right == 0 { Err(DIVISION_BY_ZERO) } else { whole_number(on_integers(left, right)) };
    }
    match (float(left), float(right)) {
        (Some(_), Some(0.0)) => Err(DIVISION_BY_ZERO),
        (Some(left), Some(right)) => Ok(Value::Float(on_floats(left, right))),
        _ => Err(Cause::mismatch(operator, left, right)),
    }
}

const DIVISION_BY_ZERO: Cause = Cause::Message("division by zero");

fn whole_modulo(left: i128, right: i128) -> i128 {
    let rest = left % right;
    if rest != 0 && (rest < 0) != (right < 0) { rest + right } else { rest }
}

fn whole_quotient(left: i128, right: i128) -> i128 {
    (left - whole_modulo(left, right)) / right
}

/// Uses the `%` of floats, which is exact; `left - right * floor(left / right)` is not.
fn float_modulo(left: f64, right: f64) -> f64 {
    let rest = left % right;
    if rest != 0.0 && (rest < 0.0) != (right < 0.0) { rest + right } else { rest.abs().copysign(right) }
}

/// Computes the quotient from the remainder, so that both agree. Rounding may leave the quotient just below a whole
/// number.
fn float_quotient(left: f64, right: f64) -> f64 {
    let rest = left % right;
    let is_below = rest != 0.0 && (rest < 0.0) != (right < 0.0);
    let quotient = (left - rest) / right - f64::from(u8::from(is_below));
    if quotient - quotient.floor() > 0.5 { quotient.floor() + 1.0 } else { quotient.floor() }
}

fn add<'a>(left: &Value<'a>, right: &Value<'a>, budget: &mut EvaluationBudget) -> Outcome<'a> {
    match (left, right) {
        (Value::Text(left), Value::Text(right)) => {
            budget.bytes(left.len() + right.len())?;
            match left.is_safe() || right.is_safe() {
                true => Value::safe_text(&[as_markup(left, budget)?, as_markup(right, budget)?].concat(), budget),
                false => Value::text(&[&**left, right].concat(), budget),
            }
        }
        (Value::List(left), Value::List(right)) => {
            budget.steps(left.len() + right.len())?;
            Value::list(left.iter().chain(right.iter()).collect(), budget)
        }
        (Value::Time(time), Value::Duration(duration)) | (Value::Duration(duration), Value::Time(time)) => {
            time.checked_add(*duration).map(Value::Time).ok_or(OUT_OF_TIME)
        }
        (Value::Duration(left), Value::Duration(right)) => duration(left.checked_add(*right)),
        _ => numbers(left, right, "+", i64::checked_add, |a, b| a + b),
    }
}

pub const OUT_OF_TIME: Cause = Cause::Message("the time is out of range");

/// Checks that a duration fits 64 bits of nanoseconds, which is 292 years.
pub fn duration(duration: Option<SignedDuration>) -> Outcome<'static> {
    let duration = duration.filter(|duration| i64::try_from(duration.as_nanos()).is_ok());
    duration.map(Value::Duration).ok_or(OUT_OF_TIME)
}

fn subtract<'a>(left: &Value<'a>, right: &Value<'a>) -> Outcome<'a> {
    match (left, right) {
        (Value::Time(left), Value::Time(right)) => duration(Some(left.since(*right))),
        (Value::Time(time), Value::Duration(duration)) => {
            time.checked_sub(*duration).map(Value::Time).ok_or(OUT_OF_TIME)
        }
        (Value::Duration(left), Value::Duration(right)) => duration(left.checked_sub(*right)),
        _ => numbers(left, right, "-", i64::checked_sub, |a, b| a - b),
    }
}

fn multiply<'a>(left: &Value<'a>, right: &Value<'a>) -> Outcome<'a> {
    numbers(left, right, "*", i64::checked_mul, |a, b| a * b)
}

fn repeat<'a>(left: &Value<'a>, right: &Value<'a>, budget: &mut EvaluationBudget) -> Outcome<'a> {
    match (left, right) {
        (Value::Text(text), Value::Int(times)) | (Value::Int(times), Value::Text(text)) => {
            let times = usize::try_from(*times).unwrap_or(0);
            budget.bytes(text.len().saturating_mul(times))?;
            text.with_letters(&text.repeat(times), budget)
        }
        _ => multiply(left, right),
    }
}

/// Divides. Two integers give an integer if there is no remainder, otherwise a float: 10 / 4 is 2.5.
fn divide<'a>(left: &Value<'a>, right: &Value<'a>) -> Outcome<'a> {
    match (left, right) {
        (Value::Int(_), Value::Int(0)) => Err(Cause::Message("division by zero")),
        (Value::Int(left), Value::Int(right)) if left.wrapping_rem(*right) == 0 => {
            left.checked_div(*right).map(Value::Int).ok_or(OVERFLOW)
        }
        _ if is_beyond(left, right) => Err(OVERFLOW),
        _ => match (float(left), float(right)) {
            (Some(left), Some(right)) => Ok(Value::Float(left / right)),
            _ => Err(Cause::mismatch("/", left, right)),
        },
    }
}

fn power<'a>(left: &Value<'a>, right: &Value<'a>) -> Outcome<'a> {
    let checked_power = |base: i64, exponent: i64| base.checked_pow(u32::try_from(exponent).ok()?);
    match (left, right) {
        (Value::Int(base), Value::Int(exponent)) if *exponent >= 0 => {
            checked_power(*base, *exponent).map(Value::Int).ok_or(OVERFLOW)
        }
        _ if is_beyond(left, right) => Err(OVERFLOW),
        _ => match (float(left), float(right)) {
            (Some(left), Some(right)) => Ok(Value::Float(left.powf(right))),
            _ => Err(Cause::mismatch("**", left, right)),
        },
    }
}

/// Converts a value to the text that a template prints.
pub fn format_value(value: &Value, budget: &mut EvaluationBudget) -> Result<String, Cause> {
    let text = match value {
        Value::Undefined => return Err(Cause::Undefined),
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Large(number) => number.to_string(),
        Value::Float(number) if !number.is_finite() => return Err(NOT_FINITE),
        // `{:?}` keeps the `.0` of a whole float.
        Value::Float(number) => format!("{number:?}"),
        Value::Text(text) => {
            budget.bytes(text.len())?;
            return Ok(text.to_string());
        }
        Value::Time(time) => time.to_string(),
        Value::Duration(duration) => super::value::seconds(*duration),
        Value::List(_) | Value::Map(_) => return json_text(&value.to_json(budget)?, budget),
    };
    budget.bytes(text.len())?;
    Ok(text)
}
