//! Filters that compare elements: sorting, grouping and removing duplicates. They ignore case by default.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

use super::super::super::comparison::{compare_uncharged, equal};
use super::super::lists::elements;
use super::*;

pub const ALL: &[Function] = &[
    Function::new(&[], &["sort"], (1, 4), &["reverse", "case_sensitive", "attribute"], sort),
    Function::new(&[], &["unique"], (1, 3), &["case_sensitive", "attribute"], unique),
    Function::new(&[], &["min"], (1, 3), &["case_sensitive", "attribute"], |budget, _, a| {
        find_extreme(a, Ordering::Less, budget)
    }),
    Function::new(&[], &["max"], (1, 3), &["case_sensitive", "attribute"], |budget, _, a| {
        find_extreme(a, Ordering::Greater, budget)
    }),
    Function::new(&[], &["groupby"], (2, 4), &["attribute", "default", "case_sensitive"], group_by),
    Function::new(&[], &["dictsort"], (1, 4), &["case_sensitive", "by", "reverse"], dictsort),
];

/// Elements, each with its sort key.
type Keyed<'a> = Vec<(Value<'a>, Value<'a>)>;

fn with_keys<'a>(
    of: &Value<'a>,
    attribute: Option<&Value>,
    default: Option<&Value<'a>>,
    case_sensitive: bool,
    budget: &mut EvaluationBudget,
) -> Result<Keyed<'a>, Cause> {
    let path = attribute.map(attribute::path).transpose()?;
    let elements = elements(of, budget)?;
    budget.bytes(elements.len() * size_of::<Value>())?;
    let mut keyed = Vec::with_capacity(elements.len());
    for element in elements {
        keyed.push((sort_key(&element, path.as_deref(), default, case_sensitive, budget)?, element));
    }
    Ok(keyed)
}

fn sort_key<'a>(
    element: &Value<'a>,
    path: Option<&str>,
    default: Option<&Value<'a>>,
    case_sensitive: bool,
    budget: &mut EvaluationBudget,
) -> Outcome<'a> {
    let found = path.map_or_else(|| Ok(element.clone()), |path| attribute::find(element, path, default, budget))?;
    match &found {
        Value::Text(text) if !case_sensitive => {
            budget.bytes(text.len() * 3)?;
            let lower = text.to_lowercase();
            if *lower == **text { Ok(found) } else { Value::text(&lower, budget) }
        }
        _ => Ok(found),
    }
}

/// Sorts a list. `attribute='last,first'` sorts by both attributes.
fn sort<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let (reverse, case_sensitive) = (flag(a, 1)?, flag(a, 2)?);
    let attribute = optional(a, 3).map(attribute::path).transpose()?;
    let mut keyed = match attribute.filter(|attribute| attribute.contains(',')) {
        None => with_keys(&a[0], optional(a, 3), None, case_sensitive, budget)?,
        Some(attributes) => {
            let mut keyed = Vec::new();
            for element in elements(&a[0], budget)? {
                budget.steps(attributes.len() / 16)?;
                let mut keys = Vec::new();
                for path in attributes.split(',') {
                    keys.push(sort_key(&element, Some(path), None, case_sensitive, budget)?);
                }
                keyed.push((Value::list(keys, budget)?, element));
            }
            keyed
        }
    };
    sort_keyed(&mut keyed, reverse, budget)?;
    Value::list(keyed.into_iter().map(|(_, element)| element).collect(), budget)
}

/// A stable sort in place. The cost of comparing all keys is charged before, times the rounds of a sort.
fn sort_keyed(keyed: &mut Keyed, reverse: bool, budget: &mut EvaluationBudget) -> Result<(), Cause> {
    let mut cost = 0usize;
    for (key, _) in &*keyed {
        cost = cost.saturating_add(comparison_cost(key, budget)?);
    }
    let rounds = keyed.len().max(1).ilog2() as usize + 1;
    budget.steps(cost.saturating_mul(rounds))?;
    let mut mismatch = None;
    keyed.sort_by(|(left, _), (right, _)| {
        let order = total_order(left, right, &mut mismatch);
        if reverse { order.reverse() } else { order }
    });
    mismatch.map_or(Ok(()), Err)
}

/// The cost of comparing a value, in steps.
fn comparison_cost(value: &Value, budget: &mut EvaluationBudget) -> Result<usize, Cause> {
    budget.steps(1)?;
    Ok(match value {
        Value::Text(text) => 1 + text.len() / 64,
        Value::List(items) => {
            let mut cost = 1;
            for item in items.iter() {
                cost += comparison_cost(&item, budget)?;
            }
            cost
        }
        _ => 1,
    })
}

/// A total order of all values, so that the sort stays consistent. Values that cannot be compared are reported in
/// `mismatch`.
fn total_order(left: &Value, right: &Value, mismatch: &mut Option<Cause>) -> Ordering {
    match (left, right) {
        (Value::List(left), Value::List(right)) => {
            let mut pairs = left.iter().zip(right.iter());
            let first =
                pairs.find_map(|(left, right)| Some(total_order(&left, &right, mismatch)).filter(|o| o.is_ne()));
            first.unwrap_or_else(|| left.len().cmp(&right.len()))
        }
        (Value::Null, Value::Null) => Ordering::Equal,
        _ if rank(left) == rank(right) && rank(left) < Rank::Unordered => {
            let is_nan = |value: &Value| matches!(value, Value::Float(number) if number.is_nan());
            let numbers = compare_uncharged(left, right).ok().flatten();
            numbers.unwrap_or_else(|| is_nan(left).cmp(&is_nan(right)))
        }
        _ => {
            mismatch.get_or_insert_with(|| match left.is_undefined() || right.is_undefined() {
                true => Cause::Message("an element does not have the attribute"),
                false => Cause::Text(format!("cannot compare {} with {}", left.kind(), right.kind())),
            });
            rank(left).cmp(&rank(right))
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Number,
    Text,
    Bool,
    Time,
    Duration,
    List,
    Null,
    Unordered,
}

fn rank(value: &Value) -> Rank {
    match value {
        Value::Int(_) | Value::Large(_) | Value::Float(_) => Rank::Number,
        Value::Text(_) => Rank::Text,
        Value::Bool(_) => Rank::Bool,
        Value::Time(_) => Rank::Time,
        Value::Duration(_) => Rank::Duration,
        Value::List(_) => Rank::List,
        Value::Null => Rank::Null,
        Value::Map(_) | Value::Undefined => Rank::Unordered,
    }
}

/// Returns the first of the least or greatest elements, or undefined if there is none.
fn find_extreme<'a>(a: &[Value<'a>], wanted: Ordering, budget: &mut EvaluationBudget) -> Outcome<'a> {
    let mut found: Option<(Value, Value)> = None;
    let mut mismatch = None;
    for (key, element) in with_keys(&a[0], optional(a, 2), None, flag(a, 1)?, budget)? {
        let is_better = match &found {
            None => true,
            Some((best, _)) => {
                comparison_cost(&key, budget)?;
                comparison_cost(best, budget)?;
                total_order(&key, best, &mut mismatch) == wanted
            }
        };
        if let Some(cause) = mismatch {
            return Err(cause);
        }
        if is_better {
            found = Some((key, element));
        }
    }
    Ok(found.map_or(Value::Undefined, |(_, element)| element))
}

/// Keeps the first element of each key, in the original order.
fn unique<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    // The hashes are randomly keyed, so that colliding data cannot be prepared.
    let hashes = RandomState::new();
    let mut known: HashMap<u64, Vec<Value>> = HashMap::new();
    let mut kept = Vec::new();
    for (key, element) in with_keys(&a[0], optional(a, 2), None, flag(a, 1)?, budget)? {
        let mut hasher = hashes.build_hasher();
        hash(&key, &hashes, &mut hasher, budget)?;
        budget.bytes(4 * size_of::<Value>())?;
        let alike = known.entry(hasher.finish()).or_default();
        let mut is_known = false;
        for other in &*alike {
            is_known = is_known || equal(&key, other, budget)?;
        }
        if !is_known {
            alike.push(key);
            kept.push(element);
        }
    }
    Value::list(kept, budget)
}

/// Equal values have equal hashes.
fn hash(
    value: &Value,
    hashes: &RandomState,
    hasher: &mut impl Hasher,
    budget: &mut EvaluationBudget,
) -> Result<(), Cause> {
    budget.steps(1)?;
    match value {
        Value::Undefined => 0.hash(hasher),
        Value::Null => 1.hash(hasher),
        Value::Bool(value) => value.hash(hasher),
        Value::Int(number) => (*number as f64).to_bits().hash(hasher),
        Value::Large(number) => (*number as f64).to_bits().hash(hasher),
        // Adding zero gives both zeros the same bits.
        Value::Float(number) => (number + 0.0).to_bits().hash(hasher),
        Value::Text(text) => {
            budget.steps(text.len() / 16)?;
            text.hash(hasher);
        }
        Value::Time(time) => time.hash(hasher),
        Value::Duration(duration) => duration.hash(hasher),
        Value::List(items) => {
            for item in items.iter() {
                hash(&item, hashes, hasher, budget)?;
            }
        }
        // The hashes are summed, because the entries have no order.
        Value::Map(entries) => {
            let mut sum = 0u64;
            for (key, value) in entries.iter() {
                let mut entry = hashes.build_hasher();
                budget.steps(1 + key.len() / 16)?;
                key.hash(&mut entry);
                hash(&value, hashes, &mut entry, budget)?;
                sum = sum.wrapping_add(entry.finish());
            }
            sum.hash(hasher);
        }
    }
    Ok(())
}

/// Groups elements by an attribute, ordered by it. The grouper is the attribute of the first element of the group.
fn group_by<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let (default, case_sensitive) = (optional(a, 2), flag(a, 3)?);
    let path = attribute::path(&a[1])?;
    let mut keyed = with_keys(&a[0], Some(&a[1]), default, case_sensitive, budget)?;
    sort_keyed(&mut keyed, false, budget)?;
    let mut groups: Vec<(Value, Vec<Value>)> = Vec::new();
    for (key, element) in keyed {
        budget.bytes(size_of::<Value>())?;
        match groups.last_mut() {
            Some((last, items)) if equal(last, &key, budget)? => items.push(element),
            _ => groups.push((key, vec![element])),
        }
    }
    let mut grouped = Vec::new();
    for (_, items) in groups {
        let grouper = attribute::find(&items[0], &path, default, budget)?;
        if grouper.is_undefined() {
            return Err(Cause::Message("an element does not have the attribute"));
        }
        let items = Value::list(items, budget)?;
        grouped.push(Value::group(grouper, items, budget)?);
    }
    Value::list(grouped, budget)
}

/// Returns the entries of a map as pairs, ordered by key or by value.
fn dictsort<'a>(budget: &mut EvaluationBudget, _: &Scope<'a>, a: &[Value<'a>]) -> Outcome<'a> {
    let by_value = match optional(a, 2).map(text).transpose()?.map(|by| &**by) {
        None | Some("key") => false,
        Some("value") => true,
        Some(_) => return Err(Cause::Message("dictsort sorts only by 'key' or by 'value'")),
    };
    let (case_sensitive, reverse) = (flag(a, 1)?, flag(a, 3)?);
    let entries = map(&a[0])?;
    budget.bytes(entries.len() * size_of::<(Value, Value)>())?;
    let mut keyed = Vec::new();
    for (name, value) in entries.iter() {
        let name = Value::Text(name);
        let key = sort_key(if by_value { &value } else { &name }, None, None, case_sensitive, budget)?;
        keyed.push((key, Value::list(vec![name, value], budget)?));
    }
    sort_keyed(&mut keyed, reverse, budget)?;
    Value::list(keyed.into_iter().map(|(_, pair)| pair).collect(), budget)
}
