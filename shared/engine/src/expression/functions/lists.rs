//! Functions of lists and maps.

use std::cmp::Ordering;

use super::super::access::resolve_index;
use super::super::comparison::{compare, compare_uncharged, contains as is_in};
use super::super::index::ValueIndex;
use super::super::operators::ExpressionOperator;
use super::*;

pub const ALL: &[Function] = &[
    Function::new(&["size"], &["length", "count", "size"], (1, 1), &[], length),
    Function::new(&["contains"], &["contains"], (2, 2), &[], contains),
    Function::new(&["reverse"], &["reverse"], (1, 1), &[], reverse),
    Function::new(&["sort"], &[], (1, 3), &[], sort),
    Function::new(&["distinct"], &[], (1, 1), &[], distinct),
    Function::new(&["flatten"], &["flatten"], (1, 1), &[], flatten),
    Function::new(&["slice"], &[], (3, 3), &[], slice),
    Function::new(&["first"], &["first"], (1, 1), &[], first),
    Function::new(&["last"], &["last"], (1, 1), &[], last),
    Function::new(&["sum"], &[], (1, 1), &[], sum),
    Function::new(&["min"], &[], (1, 1), &[], min),
    Function::new(&["max"], &[], (1, 1), &[], max),
    Function::new(&["keys"], &["keys", "list"], (1, 1), &[], keys),
    Function::new(&["values"], &["values"], (1, 1), &[], values),
    Function::new(&["merge"], &["merge"], (2, 16), &[], merge),
    Function::new(&["get"], &["get"], (2, 3), &["default"], get),
    Function::new(&["lists.range", "range"], &[], (1, 3), &[], super::range::range),
];

/// Returns what a comprehension iterates over: the elements of a list, the keys of a map, or the characters of a text.
pub fn elements<'a>(over: &Value<'a>, budget: &mut EvaluationBudget) -> Result<Vec<Value<'a>>, Cause> {
    match over {
        Value::List(items) => {
            budget.bytes(items.len() * size_of::<Value>())?;
            Ok(items.iter().collect())
        }
        Value::Map(entries) => {
            budget.bytes(entries.len() * size_of::<Value>())?;
            Ok(entries.iter().map(|(key, _)| Value::Text(key)).collect())
        }
        Value::Text(text) => {
            budget.bytes(text.len() * size_of::<Value>())?;
            text.chars().map(|c| Value::text(c.encode_utf8(&mut [0; 4]), budget)).collect()
        }
        other => Err(Cause::Text(format!("a {} has no elements", other.kind()))),
    }
}

/// Jinja's `[start:stop:step]`.
pub fn slice_value<'a>(
    of: &Value<'a>,
    [start, stop, step]: [Option<i64>; 3],
    budget: &mut EvaluationBudget,
) -> Outcome<'a> {
    let count = match of {
        Value::List(items) => items.len(),
        Value::Text(text) => {
            budget.steps(text.len() / 16)?;
            text.chars().count()
        }
        other => return Err(Cause::Text(format!("a {} cannot be sliced", other.kind()))),
    };
    let step = match usize::try_from(step.unwrap_or(1)) {
        Ok(step) if step > 0 => step,
        _ => return Err(Cause::Message("the step of a slice must be above zero")),
    };
    let bound = |bound: i64| resolve_index(bound, count, true).map_or(0, |place| place.min(count));
    let (start, stop) = (start.map_or(0, bound), stop.map_or(count, bound));
    let kept = (start..stop).step_by(step);
    match of {
        Value::List(items) => {
            budget.bytes(kept.len() * size_of::<Value>())?;
            Value::list(kept.filter_map(|place| items.get(place)).collect(), budget)
        }
        of => {
            let whole = text(of)?;
            let byte = |place: usize| whole.char_indices().nth(place).map_or(whole.len(), |(byte, _)| byte);
            let part = &whole[byte(start)..byte(stop.max(start))];
            if step == 1 {
                return Value::text(part, budget);
            }
            budget.bytes(part.len())?;
            Value::text(&part.chars().step_by(step).collect::<String>(), budget)
        }
    }
}

/// Returns the first or the last element or character, or undefined if there is none.
fn first_or_last<'a>(of: &Value<'a>, is_last: bool, budget: &mut EvaluationBudget) -> Outcome<'a> {
    match of {
        Value::List(items) => {
            let place = if is_last { items.len().checked_sub(1) } else { Some(0) };
            Ok(place.and_then(|place| items.get(place)).unwrap_or(Value::Undefined))
        }
        Value::Text(text) => {
            let end = if is_last { text.chars().next_back() } else { text.chars().next() };
            end.map_or(Ok(Value::Undefined), |c| Value::text(c.encode_utf8(&mut [0; 4]), budget))
        }
        other => {
            let mut elements = elements(other, budget)?;
            let end = if is_last { elements.pop() } else { elements.into_iter().next() };
            Ok(end.unwrap_or(Value::Undefined))
        }
    }
}

fn length<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let length = match &a[0] {
        Value::List(items) => items.len(),
        Value::Map(entries) => entries.len(),
        Value::Text(text) => {
            budget.steps(text.len() / 16)?;
            text.chars().count()
        }
        other => return Err(Cause::Text(format!("a {} has no size", other.kind()))),
    };
    Ok(Value::Int(length as i64))
}

fn contains<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    is_in(&a[0], &a[1], budget).map(Value::Bool)
}

fn reverse<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    if let Value::Text(text) = &a[0] {
        budget.bytes(text.len())?;
        return Value::text(&text.chars().rev().collect::<String>(), budget);
    }
    let mut items = elements(&a[0], budget)?;
    items.reverse();
    Value::list(items, budget)
}

fn sort<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let key = optional(a, 1).map(text).transpose()?;
    let mut keyed = Vec::new();
    for item in elements(&a[0], budget)? {
        keyed.push((key.map_or(Ok(item.clone()), |key| member_at(&item, key, budget))?, item));
    }
    sort_by_key(&mut keyed, |(key, _)| key, budget)?;
    let mut items: Vec<Value> = keyed.into_iter().map(|(_, item)| item).collect();
    if optional(a, 2).is_some_and(Value::is_truthy) {
        items.reverse();
    }
    Value::list(items, budget)
}

/// Sorts in place. It fails if two values cannot be compared; NaN comes after all numbers. The order is total, because
/// an inconsistent one could make the sort panic. The cost is charged before sorting.
fn sort_by_key<'a, T>(
    items: &mut [T],
    key: impl Fn(&T) -> &Value<'a>,
    budget: &mut EvaluationBudget,
) -> Result<(), Cause> {
    let Some(first) = items.first() else { return Ok(()) };
    let mut letters = 0;
    for item in &*items {
        compare(key(first), key(item), budget)?;
        if let Value::Text(text) = key(item) {
            letters += text.len();
        }
    }
    let comparisons = items.len().ilog2() as usize + 1;
    budget.steps((items.len() + letters / 64).saturating_mul(comparisons))?;
    items.sort_by(|left, right| total_order(key(left), key(right)));
    Ok(())
}

/// A total order of values that can be compared.
fn total_order(left: &Value, right: &Value) -> Ordering {
    let is_nan = |value: &Value| matches!(value, Value::Float(number) if number.is_nan());
    match (is_nan(left), is_nan(right)) {
        (false, false) => compare_uncharged(left, right).ok().flatten().unwrap_or(Ordering::Equal),
        (left, right) => left.cmp(&right),
    }
}

/// Returns the value at a path such as `user.name`, or null.
fn member_at<'a>(of: &Value<'a>, path: &str, budget: &mut EvaluationBudget) -> Outcome<'a> {
    let mut found = of.clone();
    budget.steps(path.len() / 16)?;
    for name in path.split('.') {
        found = match &found {
            Value::Map(entries) => entries.get(name, budget)?.unwrap_or(Value::Null),
            _ => Value::Null,
        };
    }
    Ok(found)
}

fn distinct<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let mut kept = ValueIndex::default();
    for item in elements(&a[0], budget)? {
        kept.insert(item, budget)?;
    }
    Value::list(kept.into_values(), budget)
}

fn flatten<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let mut flat = Vec::new();
    for item in list(&a[0])?.iter() {
        budget.steps(1)?;
        match &item {
            Value::List(_) => flat.extend(elements(&item, budget)?),
            _ => flat.push(item),
        }
    }
    Value::list(flat, budget)
}

fn slice<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let (start, end) = (size(&a[1])?, size(&a[2])?);
    if start > end || end > list(&a[0])?.len() {
        return Err(Cause::Message("this part is outside of the list"));
    }
    let bounds = [start, end].map(|bound| i64::try_from(bound).ok());
    slice_value(&a[0], [bounds[0], bounds[1], None], budget)
}

fn first<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    first_or_last(&a[0], false, budget)
}

fn last<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    first_or_last(&a[0], true, budget)
}

fn sum<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let mut sum = Value::Int(0);
    for item in list(&a[0])?.iter() {
        budget.steps(1)?;
        sum = ExpressionOperator::Add.apply(&sum, &item, budget)?;
    }
    Ok(sum)
}

fn min<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    find_extreme(elements(&a[0], budget)?, Ordering::Less, budget)
}

fn max<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    find_extreme(elements(&a[0], budget)?, Ordering::Greater, budget)
}

/// Returns the least or the greatest value, or undefined if there is none.
pub fn find_extreme<'a>(items: Vec<Value<'a>>, wanted: Ordering, budget: &mut EvaluationBudget) -> Outcome<'a> {
    let mut found = Value::Undefined;
    for item in items {
        budget.steps(1)?;
        if found.is_undefined() || compare(&item, &found, budget)? == Some(wanted) {
            found = item;
        }
    }
    Ok(found)
}

/// Returns the keys of a map; a list stays as it is.
fn keys<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    Value::list(elements(&a[0], budget)?, budget)
}

fn values<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    budget.steps(map(&a[0])?.len())?;
    Value::list(map(&a[0])?.iter().map(|(_, value)| value).collect(), budget)
}

/// Merges maps. If a key occurs more than once, the last entry wins.
fn merge<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let mut merged: Vec<(Text, Value)> = Vec::new();
    for argument in a {
        let entries = map(argument)?;
        budget.bytes(entries.len() * size_of::<(Text, Value)>())?;
        // The keys of one map differ, so only the entries of earlier maps are searched.
        let known = merged.len();
        for (key, value) in entries.iter() {
            budget.steps((1 + known / 8).saturating_mul(1 + key.len() / 64))?;
            match merged[..known].iter_mut().find(|(other, _)| **other == *key) {
                Some((_, other)) => *other = value,
                None => merged.push((key, value)),
            }
        }
    }
    Value::map(merged, budget)
}

fn get<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let found = map(&a[0])?.get(text(&a[1])?, budget)?;
    Ok(found.or_else(|| a.get(2).cloned()).unwrap_or(Value::Null))
}
