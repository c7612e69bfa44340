//! Quotas: the maximum number of keys, webhooks or credentials that may exist. The count changes in the transaction
//! that creates or removes an entity, so that concurrent requests cannot exceed the maximum.

use serde::Deserialize;

use super::attribute::Attribute;
use super::item::parse;
use super::keys::Key;
use super::table::Table;
use super::write::Write;
use domain::Result;

/// The number of entities that exist.
const LIVE: Attribute<usize> = Attribute::new("live");

/// The label of `increment`.
pub const LABEL: &str = "quota";

/// Adds one to the count. The write is refused when the maximum is reached.
pub fn increment(table: &Table, count: Key, most: usize) -> Write {
    let more = table.update(count).add(LIVE, 1);
    more.require(LIVE.is_missing().or(LIVE.is_less_than(most))).labeled(LABEL)
}

pub fn decrement(table: &Table, count: Key) -> Write {
    add(table, count, -1)
}

/// Changes the count without a maximum, for entities that the platform creates.
pub fn add(table: &Table, count: Key, number: i32) -> Write {
    table.update(count).add(LIVE, number)
}

/// Reads the count.
pub async fn read(table: &Table, count: &Key) -> Result<usize> {
    let item: Option<Count> = table.get(count).await?.map(parse).transpose()?;
    Ok(item.map_or(0, |item| item.live))
}

/// Corrects the count of entities that expire: the table deletes them without it. Nothing changes if the count is not the one
/// that was read before the entities were counted.
pub fn correct(table: &Table, count: Key, read: usize, counted: usize) -> Write {
    table.update(count).set(LIVE, counted).require_is(LIVE, read)
}

#[derive(Deserialize)]
struct Count {
    live: usize,
}

#[cfg(test)]
#[test]
fn reads_stored_counts() {
    super::stored_items::require("quota", &[LIVE.path()]);
}
