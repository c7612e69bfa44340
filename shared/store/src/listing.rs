//! Page pagination over a local index, with the total read from a counter. Filters of lists are built here too.

use attributes::Attributes;
use serde::{Deserialize, Serialize};

use super::attribute::Attribute;
use super::condition::Condition;
use super::item::{Item, parse};
use super::keys::Key;
use super::query::TableQuery;
use super::table::Table;
use domain::Result;
use domain::page::{Page, PageRequest};
use domain::text;

/// Reads a page of a partition in the order of an index. A filtered list is read to its end, to find the total. Without
/// a filter, only the counter and the items up to the page are read.
pub(super) async fn page(
    entities: &Table,
    counters: &Table,
    count: Key,
    query: TableQuery,
    request: PageRequest,
) -> Result<Page<Item>> {
    if query.filter.is_some() {
        return Ok(request.slice(entities.query_all(query).await?));
    }
    let (total, items) = futures::try_join!(total(counters, count), items(entities, query, request))?;
    Ok(Page { items, total, request })
}

/// The number of entities in a list.
#[derive(Deserialize, Attributes)]
pub(super) struct CountItem {
    total: u64,
}

async fn total(counters: &Table, count: Key) -> Result<u64> {
    let item = counters.get(&count).await?;
    item.map_or(Ok(0), |item| Ok(parse::<CountItem>(item)?.total))
}

pub(super) async fn items(entities: &Table, mut query: TableQuery, request: PageRequest) -> Result<Vec<Item>> {
    let mut skip = request.offset();
    while skip > 0 {
        let limit = Some(u32::try_from(skip).unwrap_or(u32::MAX));
        let skipped = entities.query(&TableQuery { limit, count_only: true, ..query.clone() }).await?;
        if skipped.next.is_none() {
            return Ok(Vec::new());
        }
        skip -= skipped.count;
        query.after = skipped.next;
    }
    let mut items = Vec::new();
    loop {
        query.limit = Some(request.per_page - items.len() as u32);
        let mut found = entities.query(&query).await?;
        items.append(&mut found.items);
        if items.len() as u32 == request.per_page || found.next.is_none() {
            return Ok(items);
        }
        query.after = found.next;
    }
}

/// Selects the items whose name contains a text, without regard to case. None if there is no text.
pub(super) fn search(folded: Attribute<String>, text: Option<&str>) -> Option<Condition> {
    text.filter(|text| !text.is_empty()).map(|text| folded.contains(text::folded(text)))
}

/// Selects the items that have one of these values. An empty list selects all items.
pub(super) fn one_of<T: Serialize>(attribute: Attribute<T>, wanted: &[T]) -> Option<Condition> {
    (!wanted.is_empty()).then(|| attribute.is_one_of(wanted))
}
