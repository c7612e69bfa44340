//! From one kind of value to another.

use serde_json::Value as Json;

use super::super::operators::{float, printed};
use super::super::value::Text;
use super::*;

pub const ALL: &[Function] = &[
    Function::new(&["int"], &[], (1, 1), &[], to_int),
    Function::new(&["uint"], &[], (1, 1), &[], to_uint),
    Function::new(&["double"], &[], (1, 1), &[], to_double),
    Function::new(&["string"], &["string"], (1, 1), &[], to_string),
    Function::new(&["bool"], &["bool"], (1, 1), &[], to_bool),
    Function::new(&["type"], &[], (1, 1), &[], |budget, _, a| Value::text(a[0].kind(), budget)),
    Function::new(&["dyn"], &[], (1, 1), &[], |_, _, a| Ok(a[0].clone())),
    Function::new(&["toJson"], &[], (1, 2), &[], to_json),
    Function::new(&["fromJson"], &["fromjson"], (1, 1), &[], from_json),
];

fn cannot<'a>(value: &Value, to: &str) -> Outcome<'a> {
    Err(Why::Text(format!("this {} is no {to}", value.kind())))
}

fn to_int<'a>(_: &mut Budget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    match &a[0] {
        Value::Int(_) | Value::Large(_) => Ok(a[0].clone()),
        Value::Float(number) if number.abs() < 9.2e18 => Ok(Value::Int(*number as i64)),
        Value::Bool(value) => Ok(Value::Int((*value).into())),
        Value::Text(text) => text.trim().parse().map(Value::Int).or_else(|_| cannot(&a[0], "int")),
        Value::Time(time) => Ok(Value::Int(time.as_second())),
        Value::Duration(duration) => Ok(Value::Int(duration.as_secs())),
        other => cannot(other, "int"),
    }
}

fn to_uint<'a>(budget: &mut Budget, scope: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    match to_int(budget, scope, a)? {
        Value::Int(negative) if negative < 0 => cannot(&a[0], "uint"),
        number => Ok(number),
    }
}

fn to_double<'a>(_: &mut Budget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    match &a[0] {
        Value::Text(text) => text.trim().parse().map(Value::Float).or_else(|_| cannot(&a[0], "double")),
        value => float(value).map_or_else(|| cannot(value, "double"), |number| Ok(Value::Float(number))),
    }
}

fn to_string<'a>(budget: &mut Budget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    match &a[0] {
        Value::Text(_) => Ok(a[0].clone()),
        other => Value::text(&printed(other, budget)?, budget),
    }
}

fn to_bool<'a>(_: &mut Budget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    match &a[0] {
        Value::Text(text) => match text.to_ascii_lowercase().as_str() {
            "true" | "t" | "1" | "yes" => Ok(Value::Bool(true)),
            "false" | "f" | "0" | "no" => Ok(Value::Bool(false)),
            _ => cannot(&a[0], "bool"),
        },
        other => Ok(Value::Bool(other.is_true())),
    }
}

pub fn to_json<'a>(budget: &mut Budget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    const MAX_INDENT: usize = 8;
    let json = a[0].to_json(budget)?;
    let indent = match optional(a, 1) {
        None | Some(Value::Bool(false)) => 0,
        Some(Value::Bool(true)) => 2,
        Some(indent) => size(indent)?,
    };
    if indent == 0 {
        return Value::text(&json.to_string(), budget);
    }
    if indent > MAX_INDENT {
        return Err(Why::Message("indents by at most 8"));
    }
    let spaces = " ".repeat(indent);
    let mut text = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(spaces.as_bytes());
    // No line is longer than its value and the indent of the deepest.
    budget.bytes(depth(&json).saturating_mul(indent).saturating_mul(count(&json)))?;
    serde::Serialize::serialize(&json, &mut serde_json::Serializer::with_formatter(&mut text, formatter))
        .map_err(|_| Why::Message("no JSON"))?;
    Value::text(&String::from_utf8_lossy(&text), budget)
}

fn depth(json: &Json) -> usize {
    match json {
        Json::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Json::Object(entries) => 1 + entries.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// How many lines it takes.
fn count(json: &Json) -> usize {
    match json {
        Json::Array(items) => 2 + items.iter().map(count).sum::<usize>(),
        Json::Object(entries) => 2 + entries.values().map(count).sum::<usize>(),
        _ => 1,
    }
}

fn from_json<'a>(budget: &mut Budget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let text = text(&a[0])?;
    // A byte of JSON becomes a value at most.
    budget.bytes(text.len().saturating_mul(size_of::<Json>()) / 2)?;
    let json = serde_json::from_str(text).map_err(|_| Why::Message("not JSON"))?;
    own(&json, budget)
}

/// The same without what it was borrowed from.
fn own<'a>(json: &Json, budget: &mut Budget) -> Outcome<'a> {
    budget.steps(1)?;
    match json {
        Json::Null => Ok(Value::Null),
        Json::Bool(value) => Ok(Value::Bool(*value)),
        Json::Number(number) => Ok(Value::number(number)),
        Json::String(text) => Value::text(text, budget),
        Json::Array(items) => {
            let items = items.iter().map(|item| own(item, budget)).collect::<Result<_, _>>()?;
            Value::list(items, budget)
        }
        Json::Object(entries) => {
            let mut made = Vec::new();
            for (key, value) in entries {
                budget.bytes(key.len())?;
                made.push((Text::Made(key.as_str().into()), own(value, budget)?));
            }
            Value::map(made, budget)
        }
    }
}
