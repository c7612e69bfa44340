//! Parts of a partition, in the order of its sort keys.

use super::keys::Key;
use super::table::{Item, Query, Range, Table};
use domain::Result;
use domain::page::{Order, Slice};

/// At most `limit` items whose sort key begins so, behind the one whose sort key is `after`.
pub(super) async fn slice(
    table: &Table,
    partition: String,
    prefix: &str,
    order: Order,
    limit: u32,
    after: Option<String>,
) -> Result<Slice<Item>> {
    // A place outside of the list is nowhere in it: the list goes on from its beginning.
    let after = after.filter(|sk| sk.starts_with(prefix));
    let range = (!prefix.is_empty()).then(|| Range::beginning("sk", prefix));
    let query = Query {
        range,
        order,
        after: after.map(|sk| Key { pk: partition.clone(), sk }.attributes()),
        // One more than is shown tells whether there are more.
        limit: Some(limit + 1),
        ..Query::partition(partition)
    };
    let mut items = table.query(&query).await?.items;
    let more = items.len() > limit as usize;
    items.truncate(limit as usize);
    let next = items.last().filter(|_| more).and_then(Key::of).map(|key| key.sk);
    Ok(Slice { items, next })
}
