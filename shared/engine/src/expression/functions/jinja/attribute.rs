//! The attribute of an element that a filter compares, sums or joins: `attribute='user.name'`.

use super::*;
use crate::expression::access::element;

/// Reads an attribute path: names and indexes separated by dots.
pub fn path<'v>(attribute: &'v Value) -> Result<Cow<'v, str>, Cause> {
    match attribute {
        Value::Text(text) => Ok(Cow::Borrowed(text)),
        Value::Int(place) => Ok(Cow::Owned(place.to_string())),
        other => type_error("string", other),
    }
}

/// Returns the attribute of an element, or the default, otherwise undefined.
pub fn find<'a>(of: &Value<'a>, path: &str, default: Option<&Value<'a>>, budget: &mut EvaluationBudget) -> Outcome<'a> {
    budget.steps(path.len() / 16)?;
    let mut found = of.clone();
    for name in path.split('.') {
        budget.steps(1)?;
        found = match &found {
            Value::Map(entries) => entries.get(name, budget)?.unwrap_or(Value::Undefined),
            Value::List(items) if !is_index(name) => items.named(name).unwrap_or(Value::Undefined),
            Value::List(_) | Value::Text(_) => match name.parse().ok().filter(|_| is_index(name)) {
                Some(place) => element(&found, &Value::Int(place), true, budget)?,
                None => Value::Undefined,
            },
            _ => Value::Undefined,
        };
        if let Some(default) = default.filter(|_| found.is_undefined()) {
            found = default.clone();
        }
    }
    Ok(found)
}

/// Whether a part of a path is a list index, and not a name.
pub fn is_index(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit())
}
