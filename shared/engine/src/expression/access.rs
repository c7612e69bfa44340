//! Access to the members of maps, and to the elements of lists and texts.

use super::budget::EvaluationBudget;
use super::number::as_integer;
use super::value::Value;
use super::{Cause, Outcome};

pub fn member<'a>(of: &Value<'a>, name: &str, optional: bool, budget: &mut EvaluationBudget) -> Outcome<'a> {
    let found = match of {
        Value::Map(entries) => entries.get(name, budget)?,
        Value::List(items) if optional => items.named(name),
        Value::Undefined if !optional => return Err(Cause::Undefined),
        _ => None,
    };
    match found {
        Some(value) => Ok(value),
        None if optional => Ok(Value::Undefined),
        None if matches!(of, Value::Map(_)) => Err(Cause::Undefined),
        None => {
            let hint = if matches!(name, "length" | "size" | "count") { "; write size(x)" } else { "" };
            Err(Cause::Text(format!("a {} has no fields{hint}", of.kind())))
        }
    }
}

/// With `optional`, follows Jinja: a negative index counts from the end, and a missing element is undefined.
pub fn element<'a>(of: &Value<'a>, index: &Value<'a>, optional: bool, budget: &mut EvaluationBudget) -> Outcome<'a> {
    let found = match (of, index) {
        (Value::Map(entries), Value::Text(key)) => entries.get(key, budget)?,
        (Value::List(items), index) => as_integer(index)
            .and_then(|index| resolve_index(index, items.len(), optional))
            .and_then(|index| items.get(index)),
        (Value::Text(text), Value::Int(index)) if optional => {
            budget.steps(text.len() / 16)?;
            let place = resolve_index(*index, text.chars().count(), true);
            let found = place.and_then(|place| text.chars().nth(place)).map(|c| c.to_string());
            found.map(|c| Value::text(&c, budget)).transpose()?
        }
        (Value::Undefined, _) if !optional => return Err(Cause::Undefined),
        _ => None,
    };
    match found {
        Some(value) => Ok(value),
        None if optional => Ok(Value::Undefined),
        None => Err(match of {
            Value::Map(_) => Cause::Message("the map has no such key"),
            Value::List(_) => Cause::Message("the list has no element at this index"),
            other => Cause::Text(format!("a {} has no elements", other.kind())),
        }),
    }
}

/// Converts an index. In templates, a negative one counts from the end.
pub fn resolve_index(index: i64, len: usize, from_end: bool) -> Option<usize> {
    match usize::try_from(index) {
        Ok(index) => Some(index),
        Err(_) if from_end => len.checked_sub(usize::try_from(index.unsigned_abs()).ok()?),
        Err(_) => None,
    }
}
