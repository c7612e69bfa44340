//! Functions of numbers.

use std::cmp::Ordering;

use super::super::number::float;
use super::lists::find_extreme;
use super::*;

pub const ALL: &[Function] = &[
    Function::new(&["math.abs", "abs"], &["abs"], (1, 1), &[], absolute),
    Function::new(&["math.ceil", "ceil"], &["ceil"], (1, 1), &[], |_, _, a| round_with(&a[0], f64::ceil)),
    Function::new(&["math.floor", "floor"], &["floor"], (1, 1), &[], |_, _, a| round_with(&a[0], f64::floor)),
    Function::new(&["math.trunc", "trunc"], &[], (1, 1), &[], |_, _, a| round_with(&a[0], f64::trunc)),
    Function::new(&["math.round", "round"], &[], (1, 2), &[], round),
    Function::new(&["math.sqrt", "sqrt"], &[], (1, 1), &[], square_root),
    Function::new(&["math.sign", "sign"], &[], (1, 1), &[], sign),
    Function::new(&["math.isNaN"], &[], (1, 1), &[], |_, _, a| test_float(&a[0], f64::is_nan)),
    Function::new(&["math.isInf"], &[], (1, 1), &[], |_, _, a| test_float(&a[0], f64::is_infinite)),
    Function::new(&["math.isFinite"], &[], (1, 1), &[], |_, _, a| test_float(&a[0], f64::is_finite)),
    Function::new(&["math.greatest", "greatest"], &[], (1, 16), &[], greatest),
    Function::new(&["math.least", "least"], &[], (1, 16), &[], least),
];

fn number_error<T>(value: &Value) -> Result<T, Cause> {
    type_error("number", value)
}

fn absolute<'a>(_: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    match &a[0] {
        Value::Int(int) => int.checked_abs().map(Value::Int).ok_or(Cause::Message("the number gets too large")),
        Value::Large(large) => Ok(Value::Large(*large)),
        Value::Float(float) => Ok(Value::Float(float.abs())),
        other => number_error(other),
    }
}

/// Converts a whole result to an integer, if it is small enough to be exact.
fn integer_if_exact(number: f64) -> Value<'static> {
    if number.abs() < 9e15 { Value::Int(number as i64) } else { Value::Float(number) }
}

fn round_with<'a>(value: &Value<'a>, round: impl Fn(f64) -> f64) -> Outcome<'a> {
    match value {
        Value::Int(_) | Value::Large(_) => Ok(value.clone()),
        Value::Float(float) => Ok(integer_if_exact(round(*float))),
        other => number_error(other),
    }
}

fn round<'a>(_: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let digits = optional(a, 1).map_or(Ok(0), integer)?;
    match &a[0] {
        Value::Float(float) if (1..=15).contains(&digits) => {
            let scale = 10f64.powi(digits as i32);
            let scaled = (float * scale).round();
            Ok(Value::Float(if scaled.is_finite() { scaled / scale } else { *float }))
        }
        value => round_with(value, f64::round),
    }
}

fn square_root<'a>(_: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    float(&a[0]).map_or_else(|| number_error(&a[0]), |value| Ok(Value::Float(value.sqrt())))
}

fn sign<'a>(_: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    match &a[0] {
        Value::Int(int) => Ok(Value::Int(int.signum())),
        Value::Large(_) => Ok(Value::Int(1)),
        Value::Float(float) => Ok(Value::Int(float.partial_cmp(&0.0).unwrap_or(Ordering::Equal) as i64)),
        other => number_error(other),
    }
}

fn test_float<'a>(value: &Value<'a>, holds: impl Fn(f64) -> bool) -> Outcome<'a> {
    float(value).map_or_else(|| number_error(value), |value| Ok(Value::Bool(holds(value))))
}

fn greatest<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    find_extreme(flatten_arguments(a, budget)?, Ordering::Greater, budget)
}

fn least<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    find_extreme(flatten_arguments(a, budget)?, Ordering::Less, budget)
}

/// Returns the arguments, or the elements of a single list argument.
fn flatten_arguments<'a>(a: &[Value<'a>], budget: &mut EvaluationBudget) -> Result<Vec<Value<'a>>, Cause> {
    match a {
        [Value::List(_)] => super::elements(&a[0], budget),
        _ => Ok(a.to_vec()),
    }
}
