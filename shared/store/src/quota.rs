//! Quotas: the maximum number of keys, webhooks or credentials that may exist. The count changes in the transaction
//! that creates or removes an entity, so that concurrent requests cannot exceed the maximum.

use super::attribute::Attribute;
use super::keys::Key;
use super::table::Table;
use super::write::Write;

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
    table.update(count).add(LIVE, -1)
}

#[cfg(test)]
#[test]
fn reads_stored_counts() {
    super::stored_items::require("quota", &[LIVE.path()]);
}
