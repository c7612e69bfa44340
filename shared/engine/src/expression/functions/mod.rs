//! The function library of expressions. A function of CEL is called as `f(x, …)` or `x.f(…)`, one of Jinja as `x |
//! f(…)` or `x.f(…)`. The functions with the semantics of Jinja are in `jinja`.

mod convert;
pub mod jinja;
mod json;
mod lists;
mod numbers;
pub mod pattern;
mod range;
pub mod suggestions;
mod text;
mod time;

pub use lists::{elements, slice_value};
pub use text::SURPLUS;
pub use time::PLAIN_FORMAT;

use super::budget::EvaluationBudget;
use super::value::{List, Map, Text, Value};
use super::{Cause, Outcome, Scope};

#[derive(Debug)]
pub struct Function {
    cel: &'static [&'static str],
    jinja: &'static [&'static str],
    /// The minimum and maximum number of arguments, including the value that the function is called on.
    pub takes: (usize, usize),
    /// The names of the arguments after the first, for named arguments.
    pub named: &'static [&'static str],
    pub body: FunctionBody,
}

type FunctionBody = for<'a> fn(&mut EvaluationBudget, &Scope<'a>, &[Value<'a>]) -> Outcome<'a>;

impl Function {
    const fn new(
        cel: &'static [&'static str],
        jinja: &'static [&'static str],
        takes: (usize, usize),
        named: &'static [&'static str],
        body: FunctionBody,
    ) -> Self {
        Self { cel, jinja, takes, named, body }
    }
}

pub fn find_cel_function(name: &str) -> Option<&'static Function> {
    all().find(|function| function.cel.contains(&name))
}

pub fn find_jinja_function(name: &str) -> Option<&'static Function> {
    all().find(|function| function.jinja.contains(&name))
}

fn all() -> impl Iterator<Item = &'static Function> {
    let of_both = [text::ALL, lists::ALL, numbers::ALL, convert::ALL, json::ALL, time::ALL];
    of_both.into_iter().flatten().chain(jinja::all())
}

fn type_error<T>(what: &str, value: &Value) -> Result<T, Cause> {
    Err(Cause::Text(format!("expected a {what}, got {}", value.kind())))
}

/// Reads an argument as text, or fails.
fn text<'v, 'a>(value: &'v Value<'a>) -> Result<&'v Text<'a>, Cause> {
    match value {
        Value::Text(text) => Ok(text),
        other => type_error("string", other),
    }
}

fn list<'v, 'a>(value: &'v Value<'a>) -> Result<&'v List<'a>, Cause> {
    match value {
        Value::List(list) => Ok(list),
        other => type_error("list", other),
    }
}

fn map<'v, 'a>(value: &'v Value<'a>) -> Result<&'v Map<'a>, Cause> {
    match value {
        Value::Map(map) => Ok(map),
        other => type_error("map", other),
    }
}

fn integer(value: &Value) -> Result<i64, Cause> {
    super::number::as_integer(value).map_or_else(|| type_error("whole number", value), Ok)
}

/// Reads a size or an index, which must not be negative.
fn size(value: &Value) -> Result<usize, Cause> {
    usize::try_from(integer(value)?).map_err(|_| Cause::Message("expected a number that is not negative"))
}

/// Returns an optional argument; null counts as omitted.
fn optional<'v, 'a>(arguments: &'v [Value<'a>], place: usize) -> Option<&'v Value<'a>> {
    arguments.get(place).filter(|argument| !matches!(argument, Value::Null | Value::Undefined))
}
