//! Type conversions.

use super::super::number::float;
use super::super::operators::format_value;
use super::*;

pub const ALL: &[Function] = &[
    Function::new(&["int"], &[], (1, 1), &[], to_int),
    Function::new(&["uint"], &[], (1, 1), &[], to_uint),
    Function::new(&["double"], &[], (1, 1), &[], to_double),
    Function::new(&["string"], &["string"], (1, 1), &[], to_string),
    Function::new(&["bool"], &[], (1, 1), &[], parse_bool),
    Function::new(&[], &["bool"], (1, 1), &[], to_bool),
    Function::new(&["type"], &[], (1, 1), &[], |budget, _, a| Value::text(a[0].kind(), budget)),
    Function::new(&["dyn"], &[], (1, 1), &[], |_, _, a| Ok(a[0].clone())),
];

fn conversion_error<'a>(value: &Value, to: &str) -> Outcome<'a> {
    Err(Cause::Text(format!("cannot convert {} to {to}", value.kind())))
}

fn to_int<'a>(_: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    match &a[0] {
        Value::Int(_) | Value::Large(_) => Ok(a[0].clone()),
        Value::Float(number) if number.abs() < 9.2e18 => Ok(Value::Int(*number as i64)),
        Value::Bool(value) => Ok(Value::Int((*value).into())),
        Value::Text(text) => text.trim().parse().map(Value::Int).or_else(|_| conversion_error(&a[0], "int")),
        Value::Time(time) => Ok(Value::Int(time.as_second())),
        Value::Duration(duration) => Ok(Value::Int(duration.as_secs())),
        other => conversion_error(other, "int"),
    }
}

fn to_uint<'a>(budget: &mut EvaluationBudget, scope: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    match to_int(budget, scope, a)? {
        Value::Int(negative) if negative < 0 => conversion_error(&a[0], "uint"),
        number => Ok(number),
    }
}

fn to_double<'a>(_: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    match &a[0] {
        Value::Text(text) => text.trim().parse().map(Value::Float).or_else(|_| conversion_error(&a[0], "double")),
        value => float(value).map_or_else(|| conversion_error(value, "double"), |number| Ok(Value::Float(number))),
    }
}

fn to_string<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    match &a[0] {
        Value::Text(_) => Ok(a[0].clone()),
        other => Value::text(&format_value(other, budget)?, budget),
    }
}

/// Reads a text as CEL does; any other value has its truth value in a template.
fn parse_bool<'a>(_: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    match &a[0] {
        Value::Text(text) => match &**text {
            "true" | "True" | "TRUE" | "t" | "1" => Ok(Value::Bool(true)),
            "false" | "False" | "FALSE" | "f" | "0" => Ok(Value::Bool(false)),
            _ => conversion_error(&a[0], "bool"),
        },
        other => Ok(Value::Bool(other.is_truthy())),
    }
}

fn to_bool<'a>(_: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    match &a[0] {
        Value::Text(text) => match text.to_ascii_lowercase().as_str() {
            "true" | "t" | "1" | "yes" => Ok(Value::Bool(true)),
            "false" | "f" | "0" | "no" => Ok(Value::Bool(false)),
            _ => conversion_error(&a[0], "bool"),
        },
        other => Ok(Value::Bool(other.is_truthy())),
    }
}
