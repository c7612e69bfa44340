//! Changes of an item by an update.

use aws_sdk_dynamodb::types::AttributeValue;
use tables::condition::Path;
use tables::item::Item;
use tables::write::Change;

use crate::conditions::find;
use crate::error::{Error, Result};
use crate::number;

/// Makes all changes. Each sees the item as it was before.
pub fn apply(changes: &[Change], before: &Item) -> Result<Item> {
    let mut item = before.clone();
    for change in changes {
        match change {
            Change::Set(path, value) => put(&mut item, path, value.clone())?,
            Change::Increase(path, by) => {
                let value = find(before, path).ok_or_else(|| missing(path))?;
                put(&mut item, path, sum(path, value, by)?)?;
            }
            Change::Add(path, number) => {
                let value = match find(before, path) {
                    Some(value) => sum(path, value, number)?,
                    None => number.clone(),
                };
                put(&mut item, path, value)?;
            }
            Change::Remove(path) => remove(&mut item, path)?,
        }
    }
    Ok(item)
}

fn sum(path: &Path, value: &AttributeValue, by: &AttributeValue) -> Result<AttributeValue> {
    match (value, by) {
        (AttributeValue::N(value), AttributeValue::N(by)) => Ok(AttributeValue::N(number::add(value, by)?)),
        _ => Err(Error::invalid(format_args!("{path} is no number, so nothing is added to it"))),
    }
}

fn put(item: &mut Item, path: &Path, value: AttributeValue) -> Result<()> {
    let (map, name) = parent(item, path)?;
    map.insert(name.to_owned(), value);
    Ok(())
}

/// Removing what does not exist changes nothing, but the map around it must exist.
fn remove(item: &mut Item, path: &Path) -> Result<()> {
    let (map, name) = parent(item, path)?;
    map.remove(name);
    Ok(())
}

/// The map that a path ends in, and the last name of the path.
fn parent<'i, 'p>(item: &'i mut Item, path: &'p Path) -> Result<(&'i mut Item, &'p str)> {
    let Some((last, fields)) = path.fields.split_last() else { return Ok((item, &path.attribute)) };
    let value = item.get_mut(path.attribute.as_ref()).ok_or_else(|| missing(path))?;
    let map = |value: &'i mut AttributeValue| match value {
        AttributeValue::M(map) => Ok(map),
        _ => Err(missing(path)),
    };
    let mut inner = map(value)?;
    for field in fields {
        inner = map(inner.get_mut(field.as_ref()).ok_or_else(|| missing(path))?)?;
    }
    Ok((inner, last))
}

fn missing(path: &Path) -> Error {
    Error::invalid(format_args!("the item has no {path} to change"))
}
