//! Quotas: the maximum number of keys, webhooks or credentials that may exist. The count changes in the transaction
//! that creates or removes an entity, so that concurrent requests cannot exceed the maximum.

use super::keys::Key;
use super::table::Table;
use super::write::Write;

/// The label of `increment`.
pub const LABEL: &str = "quota";

/// Adds one to the count. The write is refused when the maximum is reached.
pub fn increment(table: &Table, count: Key, most: usize) -> Write {
    let more = table.update(count).add("live", 1);
    more.require("attribute_not_exists(live) OR live < :most").bind(":most", most).labeled(LABEL)
}

pub fn decrement(table: &Table, count: Key) -> Write {
    table.update(count).add("live", -1)
}
