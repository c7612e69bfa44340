//! Cursor pagination over a partition, in the order of its sort keys.

use super::item::Item;
use super::keys::Key;
use super::query::{QueryResult, Range, TableQuery};
use super::table::Table;
use domain::Result;
use domain::page::{Order, Slice};

/// Reads at most `limit` items whose sort key begins with `prefix`, starting after the sort key `after`. DynamoDB reads at most
/// 1 MB at once, so a page of large items is short although another one follows.
pub(super) async fn slice(
    table: &Table,
    partition: String,
    prefix: &str,
    order: Order,
    limit: u32,
    after: Option<String>,
) -> Result<Slice<Item>> {
    // A cursor from outside of this list is ignored, so that the list starts at its beginning.
    let after = after.filter(|sk| sk.starts_with(prefix));
    let range = (!prefix.is_empty()).then(|| Range::beginning(prefix));
    let query = TableQuery {
        range,
        order,
        after: after.map(|sk| Key { pk: partition.clone(), sk }.attributes()),
        // One extra item shows whether there is a next page.
        limit: Some(limit + 1),
        ..TableQuery::partition(partition)
    };
    let QueryResult { mut items, next, .. } = table.query(&query).await?;
    let more = items.len() > limit as usize || next.is_some();
    items.truncate(limit as usize);
    let next = items.last().filter(|_| more).and_then(Key::from_item).map(|key| key.sk);
    Ok(Slice { items, next })
}
