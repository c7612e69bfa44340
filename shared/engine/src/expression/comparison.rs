//! Equality and order of values, and membership. Numbers are compared exactly, also across integers and floats.

use std::cmp::Ordering;

use super::Cause;
use super::budget::EvaluationBudget;
use super::number::float;
use super::value::{List, Map, Value};

/// Whether two values are equal. Values of different kinds are not equal; that is no error.
pub fn equal(left: &Value, right: &Value, budget: &mut EvaluationBudget) -> Result<bool, Cause> {
    budget.steps(1)?;
    Ok(match (left, right) {
        (Value::Null, Value::Null) | (Value::Undefined, Value::Undefined) => true,
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::Text(left), Value::Text(right)) => {
            budget.steps(left.len().min(right.len()) / 64)?;
            **left == **right
        }
        (Value::Time(left), Value::Time(right)) => left == right,
        (Value::Duration(left), Value::Duration(right)) => left == right,
        (Value::List(left), Value::List(right)) => return equal_lists(left, right, budget),
        (Value::Map(left), Value::Map(right)) => return equal_maps(left, right, budget),
        _ => numeric(left, right) == Some(Ordering::Equal),
    })
}

fn equal_lists(left: &List, right: &List, budget: &mut EvaluationBudget) -> Result<bool, Cause> {
    if left.len() != right.len() {
        return Ok(false);
    }
    for (left, right) in left.iter().zip(right.iter()) {
        if !equal(&left, &right, budget)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn equal_maps(left: &Map, right: &Map, budget: &mut EvaluationBudget) -> Result<bool, Cause> {
    if left.len() != right.len() {
        return Ok(false);
    }
    for (key, value) in left.iter() {
        match right.get(&key, budget)? {
            Some(other) if equal(&value, &other, budget)? => {}
            _ => return Ok(false),
        }
    }
    Ok(true)
}

/// Compares numbers exactly, also where an integer does not fit a float.
fn numeric(left: &Value, right: &Value) -> Option<Ordering> {
    match (left, right) {
        (Value::Int(left), Value::Int(right)) => Some(left.cmp(right)),
        (Value::Float(left), Value::Float(right)) => left.partial_cmp(right),
        (Value::Int(left), Value::Float(right)) => int_to_float(*left, *right),
        (Value::Float(left), Value::Int(right)) => int_to_float(*right, *left).map(Ordering::reverse),
        (Value::Large(left), Value::Large(right)) => Some(left.cmp(right)),
        (Value::Large(_), Value::Int(_)) => Some(Ordering::Greater),
        (Value::Int(_), Value::Large(_)) => Some(Ordering::Less),
        (Value::Large(left), Value::Float(right)) => large_to_float(*left, *right),
        (Value::Float(left), Value::Large(right)) => large_to_float(*right, *left).map(Ordering::reverse),
        _ => None,
    }
}

fn int_to_float(int: i64, float: f64) -> Option<Ordering> {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    if float.is_nan() {
        return None;
    }
    if float >= BEYOND {
        return Some(Ordering::Less);
    }
    if float < -BEYOND {
        return Some(Ordering::Greater);
    }
    Some(int.cmp(&(float as i64)).then((0.0).partial_cmp(&float.fract()).unwrap_or(Ordering::Equal)))
}

/// A float from 2^63 on is whole, so the cast loses nothing that matters.
fn large_to_float(large: u64, float: f64) -> Option<Ordering> {
    const BEYOND: f64 = 18_446_744_073_709_551_616.0;
    match float {
        _ if float.is_nan() => None,
        _ if float >= BEYOND => Some(Ordering::Less),
        _ => Some(large.cmp(&(float as u64))),
    }
}

/// Compares two values. Returns none if one of them is NaN.
pub fn compare(left: &Value, right: &Value, budget: &mut EvaluationBudget) -> Result<Option<Ordering>, Cause> {
    if let (Value::Text(left), Value::Text(right)) = (left, right) {
        budget.steps(left.len().min(right.len()) / 64)?;
    }
    compare_uncharged(left, right)
}

/// Compares two values whose cost is charged already.
pub fn compare_uncharged(left: &Value, right: &Value) -> Result<Option<Ordering>, Cause> {
    match (left, right) {
        (Value::Text(left), Value::Text(right)) => Ok(Some((**left).cmp(&**right))),
        (Value::Bool(left), Value::Bool(right)) => Ok(Some(left.cmp(right))),
        (Value::Time(left), Value::Time(right)) => Ok(Some(left.cmp(right))),
        (Value::Duration(left), Value::Duration(right)) => Ok(Some(left.cmp(right))),
        _ if float(left).is_some() && float(right).is_some() => Ok(numeric(left, right)),
        _ => Err(Cause::mismatch("a comparison", left, right)),
    }
}

/// Whether an element of the list equals the value.
pub fn has_equal(list: &List, value: &Value, budget: &mut EvaluationBudget) -> Result<bool, Cause> {
    for item in list.iter() {
        if equal(&item, value, budget)? {
            return Ok(true);
        }
    }
    Ok(false)
}

pub fn contains(whole: &Value, part: &Value, budget: &mut EvaluationBudget) -> Result<bool, Cause> {
    match (whole, part) {
        (Value::List(items), part) => has_equal(items, part, budget),
        (Value::Map(entries), Value::Text(key)) => Ok(entries.get(key, budget)?.is_some()),
        (Value::Map(_) | Value::Undefined, _) | (Value::Text(_), Value::Undefined) => Ok(false),
        (Value::Text(text), Value::Text(part)) => {
            budget.steps((text.len() + part.len()) / 16)?;
            Ok(text.contains(&**part))
        }
        _ => Err(Cause::Text(format!("cannot search in a {}", whole.kind()))),
    }
}
