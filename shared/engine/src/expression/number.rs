//! Converts between values and numbers.

use super::value::Value;
use super::{Cause, Outcome};

pub const OVERFLOW: Cause = Cause::Message("the number gets too large");

pub fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::Large(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        _ => None,
    }
}

/// Reads an integer, also from a whole float such as `2.0`.
pub fn as_integer(value: &Value) -> Option<i64> {
    match value {
        Value::Int(number) => Some(*number),
        Value::Float(number) if number.fract() == 0.0 && number.abs() < 9e15 => Some(*number as i64),
        _ => None,
    }
}

/// Converts an integer to 128 bits, which hold the results of the operators.
pub fn as_i128(value: &Value) -> Option<i128> {
    match value {
        Value::Int(number) => Some((*number).into()),
        Value::Large(number) => Some((*number).into()),
        _ => None,
    }
}

pub fn whole_number<'a>(number: i128) -> Outcome<'a> {
    match (i64::try_from(number), u64::try_from(number)) {
        (Ok(whole), _) => Ok(Value::Int(whole)),
        (_, Ok(large)) => Ok(Value::Large(large)),
        _ => Err(OVERFLOW),
    }
}
