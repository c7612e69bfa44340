//! Conditions of items.

use std::cmp::Ordering;

use aws_sdk_dynamodb::types::AttributeValue;
use tables::condition::{Comparison, Condition, Path};
use tables::item::Item;

use crate::error::Result;
use crate::number;

/// Whether a condition holds for an item. An item that does not exist is empty.
pub fn holds(condition: &Condition, item: &Item) -> Result<bool> {
    let value = |path: &Path| find(item, path);
    Ok(match condition {
        Condition::Exists(path) => value(path).is_some(),
        Condition::Missing(path) => value(path).is_none(),
        Condition::Compare(path, comparison, other) => match value(path) {
            Some(value) => compares(value, *comparison, other)?,
            None => false,
        },
        Condition::Between(path, from, to) => match value(path) {
            Some(value) => {
                compares(value, Comparison::GreaterOrEqual, from)? && compares(value, Comparison::LessOrEqual, to)?
            }
            None => false,
        },
        Condition::Contains(path, part) => match value(path) {
            Some(AttributeValue::S(text)) => text.contains(part.as_str()),
            Some(AttributeValue::Ss(texts)) => texts.contains(part),
            Some(AttributeValue::L(items)) => items.iter().any(|item| item.as_s().is_ok_and(|text| text == part)),
            _ => false,
        },
        Condition::OneOf(path, values) => match value(path) {
            Some(value) => any(values, |other| equal(value, other))?,
            None => false,
        },
        Condition::And(all) => !any(all, |condition| Ok(!holds(condition, item)?))?,
        Condition::Or(several) => any(several, |condition| holds(condition, item))?,
    })
}

fn any<T>(all: &[T], mut test: impl FnMut(&T) -> Result<bool>) -> Result<bool> {
    for one in all {
        if test(one)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The value at a path.
pub fn find<'i>(item: &'i Item, path: &Path) -> Option<&'i AttributeValue> {
    let value = item.get(path.attribute.as_ref())?;
    path.fields.iter().try_fold(value, |value, field| value.as_m().ok()?.get(field.as_ref()))
}

fn compares(value: &AttributeValue, comparison: Comparison, other: &AttributeValue) -> Result<bool> {
    if comparison == Comparison::Equal {
        return equal(value, other);
    }
    // Only texts, numbers and bytes have an order, and no type has one with another type.
    let order = match (value, other) {
        (AttributeValue::S(one), AttributeValue::S(other)) => one.as_bytes().cmp(other.as_bytes()),
        (AttributeValue::N(one), AttributeValue::N(other)) => number::compare(one, other)?,
        (AttributeValue::B(one), AttributeValue::B(other)) => one.as_ref().cmp(other.as_ref()),
        _ => return Ok(false),
    };
    Ok(match comparison {
        Comparison::Equal => order == Ordering::Equal,
        Comparison::Less => order == Ordering::Less,
        Comparison::LessOrEqual => order != Ordering::Greater,
        Comparison::Greater => order == Ordering::Greater,
        Comparison::GreaterOrEqual => order != Ordering::Less,
    })
}

/// Whether two values are the same in DynamoDB: numbers by their value, and sets without an order.
pub fn equal(one: &AttributeValue, other: &AttributeValue) -> Result<bool> {
    Ok(match (one, other) {
        (AttributeValue::N(one), AttributeValue::N(other)) => one == other || number::compare(one, other)?.is_eq(),
        (AttributeValue::L(one), AttributeValue::L(other)) => {
            let pairs: Vec<_> = one.iter().zip(other).collect();
            one.len() == other.len() && !any(&pairs, |(one, other)| Ok(!equal(one, other)?))?
        }
        (AttributeValue::M(one), AttributeValue::M(other)) => equal_items(one, other)?,
        (AttributeValue::Ss(one), AttributeValue::Ss(other)) => sorted(one) == sorted(other),
        (AttributeValue::Ns(one), AttributeValue::Ns(other)) => {
            let keys =
                |numbers: &[String]| numbers.iter().map(|text| number::sortable(text)).collect::<Result<Vec<_>>>();
            sorted(&keys(one)?) == sorted(&keys(other)?)
        }
        (AttributeValue::Bs(one), AttributeValue::Bs(other)) => {
            let bytes = |blobs: &[aws_sdk_dynamodb::primitives::Blob]| {
                sorted(&blobs.iter().map(|blob| blob.as_ref().to_vec()).collect::<Vec<_>>())
            };
            bytes(one) == bytes(other)
        }
        _ => one == other,
    })
}

/// Whether two items or maps are the same.
pub fn equal_items(one: &Item, other: &Item) -> Result<bool> {
    let fields: Vec<_> = one.iter().collect();
    let differs = |(name, value): &(&String, &AttributeValue)| match other.get(*name) {
        Some(other) => Ok(!equal(value, other)?),
        None => Ok(true),
    };
    Ok(one.len() == other.len() && !any(&fields, differs)?)
}

fn sorted<T: Ord + Clone>(values: &[T]) -> Vec<T> {
    let mut values = values.to_vec();
    values.sort_unstable();
    values
}
