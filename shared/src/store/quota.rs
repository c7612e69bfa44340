//! How many of a kind there may be: a count beside them, changed in the transaction that makes or removes one, so that
//! no number of clients at once makes one too many.

use super::keys::Key;
use super::table::Table;
use super::write::Write;

/// Refused when there are as many as there may be.
pub fn one_more(table: &Table, count: Key, most: usize) -> Write {
    let more = table.update(count).add("live", 1);
    more.require("attribute_not_exists(live) OR live < :most").bind(":most", most)
}

pub fn one_less(table: &Table, count: Key) -> Write {
    table.update(count).add("live", -1)
}
