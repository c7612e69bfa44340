//! Filters of lists and maps without comparisons, and the functions `range` and `dict`.

use std::collections::HashMap;

use super::super::super::number::{as_i128, whole_number};
use super::super::super::operators::ExpressionOperator;
use super::super::lists::elements;
use super::*;

pub const ALL: &[Function] = &[
    Function::new(&[], &["join"], (1, 3), &["d", "attribute"], join),
    Function::new(&[], &["sum"], (1, 3), &["attribute", "start"], sum),
    Function::new(&[], &["batch"], (2, 3), &["linecount", "fill_with"], batch),
    Function::new(&[], &["slice"], (2, 3), &["slices", "fill_with"], slice),
    Function::new(&[], &["items"], (1, 1), &[], items),
    Function::new(&[], &["range"], (1, 3), &[], range),
];

/// `dict(pairs, name=value)`; the named arguments come as a map.
pub static DICT: Function = Function::new(&[], &[], (2, 2), &[], dict);

fn join<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let between = provided(a, 1).map(|between| as_text(between, budget)).transpose()?;
    let path = optional(a, 2).map(attribute::path).transpose()?;
    let items = elements(&a[0], budget)?;
    budget.bytes(between.as_ref().map_or(0, |between| between.len().saturating_mul(items.len())))?;
    let mut joined = String::new();
    for (index, mut item) in items.into_iter().enumerate() {
        if let Some(between) = between.as_ref().filter(|_| index > 0) {
            joined.push_str(between);
        }
        budget.steps(1)?;
        if let Some(path) = &path {
            item = attribute::find(&item, path, None, budget)?;
        }
        joined.push_str(&format_value(&item, budget)?);
    }
    Value::text(&joined, budget)
}

fn sum<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let path = optional(a, 1).map(attribute::path).transpose()?;
    let mut sum = provided(a, 2).cloned().unwrap_or(Value::Int(0));
    if matches!(sum, Value::Text(_)) {
        return Err(Cause::Message("sum adds numbers; to join texts, write list | join"));
    }
    for mut item in elements(&a[0], budget)? {
        budget.steps(1)?;
        if let Some(path) = &path {
            item = attribute::find(&item, path, None, budget)?;
        }
        sum = ExpressionOperator::Add.apply(&sum, &item, budget)?;
    }
    Ok(sum)
}

/// Splits into lists of `linecount` elements. `fill_with` pads the last one.
fn batch<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let count = size(&a[1])?;
    if count == 0 {
        return Err(Cause::Message("a batch must have at least one element"));
    }
    let mut batches = Vec::new();
    for chunk in elements(&a[0], budget)?.chunks(count) {
        let mut chunk = chunk.to_vec();
        if let Some(fill) = optional(a, 2) {
            budget.bytes(count.saturating_mul(size_of::<Value>()))?;
            chunk.resize(count, fill.clone());
        }
        batches.push(Value::list(chunk, budget)?);
    }
    Value::list(batches, budget)
}

/// Splits into `slices` lists of nearly equal length, longer ones first. `fill_with` pads the shorter ones.
fn slice<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let count = size(&a[1])?;
    if count == 0 {
        return Err(Cause::Message("there must be at least one slice"));
    }
    let items = elements(&a[0], budget)?;
    budget.bytes(count.saturating_mul(2 * size_of::<Value>()))?;
    let (each, longer) = (items.len() / count, items.len() % count);
    let (mut slices, mut rest) = (Vec::new(), &items[..]);
    for number in 0..count {
        let (slice, after) = rest.split_at(each + usize::from(number < longer));
        rest = after;
        let fill = optional(a, 2).filter(|_| number >= longer);
        slices.push(Value::list(slice.iter().chain(fill).cloned().collect(), budget)?);
    }
    Value::list(slices, budget)
}

fn items<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let mut pairs = Vec::new();
    for (key, value) in map(&a[0])?.iter() {
        pairs.push(Value::list(vec![Value::Text(key), value], budget)?);
    }
    Value::list(pairs, budget)
}

fn range<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let number = |place: usize| as_i128(&a[place]).map_or_else(|| type_error("whole number", &a[place]), Ok);
    let (start, stop) = if a.len() == 1 { (0, number(0)?) } else { (number(0)?, number(1)?) };
    let step = if a.len() == 3 { number(2)? } else { 1 };
    // A descending range is counted like an ascending one.
    let (way, stride) = match step {
        0 => return Err(Cause::Message("the step of a range must not be zero")),
        step if step > 0 => (stop - start, step),
        step => (start - stop, -step),
    };
    let count = usize::try_from((way.max(0) + stride - 1) / stride).unwrap_or(usize::MAX);
    budget.bytes(count.saturating_mul(size_of::<Value>()))?;
    let numbers = (0..count as i128).map(|index| whole_number(start + index * step));
    let numbers = numbers.collect::<Result<_, _>>()?;
    Value::list(numbers, budget)
}

/// Builds a map from another map or from pairs. Named arguments override equal keys.
fn dict<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let mut entries = Entries::default();
    match &a[0] {
        Value::Map(given) => {
            for (key, value) in given.iter() {
                entries.set(key, value, budget)?;
            }
        }
        Value::List(pairs) => {
            for pair in pairs.iter() {
                match &elements(&pair, budget)?[..] {
                    [Value::Text(key), value] => entries.set(key.clone(), value.clone(), budget)?,
                    _ => return Err(Cause::Message("dict takes a map, or pairs of a string and a value")),
                }
            }
        }
        other => return type_error("map", other),
    }
    for (key, value) in map(&a[1])?.iter() {
        entries.set(key, value, budget)?;
    }
    Value::map(entries.made, budget)
}

#[derive(Default)]
struct Entries<'a> {
    made: Vec<(Text<'a>, Value<'a>)>,
    places: HashMap<String, usize>,
}

impl<'a> Entries<'a> {
    fn set(&mut self, key: Text<'a>, value: Value<'a>, budget: &mut EvaluationBudget) -> Result<(), Cause> {
        budget.bytes(size_of::<(Text, Value)>() + size_of::<(String, usize)>() + key.len())?;
        match self.places.get(&*key) {
            Some(place) => self.made[*place].1 = value,
            None => {
                self.places.insert(key.to_string(), self.made.len());
                self.made.push((key, value));
            }
        }
        Ok(())
    }
}
