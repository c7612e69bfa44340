//! Page pagination over a local index, with the total read from a counter. Filters of lists are built here too.

use attributes::Attributes;
use serde::{Deserialize, Serialize};

use futures::future::try_join_all;

use super::attribute::Attribute;
use super::condition::Condition;
use super::item::{Item, parse};
use super::keys::Key;
use super::query::{Range, TableIndex, TableQuery};
use super::table::Table;
use domain::Result;
use domain::page::{Order, Page, PageRequest, Slice};
use domain::sharing::Ownership;
use domain::text;
use domain::tool_mark::ToolMark;

/// The list of the organization that has a workflow or an agent. The index `organization` sorts it by creation.
pub(super) const ORGANIZATION: Attribute<String> = Attribute::new("organization");

/// A partition that a list shows, and the counter of its total.
pub(super) type List = (String, Key);

/// The lists that show what a user owns, what is shared with the user, or both.
pub(super) fn selected(ownership: Ownership, own: List, shared: List) -> Vec<List> {
    match ownership {
        Ownership::Mine => vec![own],
        Ownership::Shared => vec![shared],
        Ownership::All => vec![own, shared],
    }
}

/// Reads a page of one or more lists in the order of an index, whose key is `sort`. Filtered lists are read to their end, to
/// find the total. Without a filter, only the counters and the items up to the page are read.
pub(super) async fn page(
    entities: &Table,
    counters: &Table,
    lists: &[List],
    query: TableQuery,
    sort: Attribute<String>,
    request: PageRequest,
) -> Result<Page<Item>> {
    let of_list = |(partition, _): &List| TableQuery { partition: partition.clone(), ..query.clone() };
    if query.filter.is_some() {
        let found = try_join_all(lists.iter().map(|list| entities.query_all(of_list(list)))).await?;
        return Ok(request.slice(merge(found, &sort, query.order)));
    }
    let totals = try_join_all(lists.iter().map(|(_, count)| total(counters, count.clone())));
    let items = async {
        match lists {
            [list] => items(entities, of_list(list), request).await,
            // Each list may have all items of the page and of those before.
            _ => {
                let most = PageRequest { page: 1, per_page: request.page.saturating_mul(request.per_page) };
                let found = try_join_all(lists.iter().map(|list| items(entities, of_list(list), most))).await?;
                Ok(request.slice(merge(found, &sort, query.order)).items)
            }
        }
    };
    let (totals, items) = futures::try_join!(totals, items)?;
    Ok(Page { items, total: totals.into_iter().sum(), request })
}

/// Merges sorted lists.
fn merge(mut lists: Vec<Vec<Item>>, sort: &Attribute<String>, order: Order) -> Vec<Item> {
    if lists.len() == 1 {
        return lists.swap_remove(0);
    }
    let mut items: Vec<Item> = lists.into_iter().flatten().collect();
    // The key of one index is a number.
    let number = |item: &Item| sort.find(item)?.as_n().ok()?.parse::<u128>().ok();
    let text = |item: &Item| sort.find(item).and_then(|key| key.as_s().ok()).cloned();
    items.sort_by_cached_key(|item| (number(item), text(item)));
    if order == Order::Desc {
        items.reverse();
    }
    items
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

/// The items of several lists that are marked as tools, oldest first.
pub(super) async fn marked_as_tools(
    entities: &Table,
    lists: [String; 2],
    by_created: Attribute<String>,
    mark: Attribute<Option<ToolMark>>,
) -> Result<Vec<Item>> {
    let filter = Some(mark.exists());
    let index = Some(TableIndex::local(by_created.clone()));
    let query = |list| TableQuery { index: index.clone(), filter: filter.clone(), ..TableQuery::partition(list) };
    let found = try_join_all(lists.map(|list| entities.query_all(query(list)))).await?;
    Ok(merge(found, &by_created, Order::Asc))
}

/// Selects the items whose name contains a text, without regard to case. None if there is no text.
pub(super) fn search(folded: Attribute<String>, text: Option<&str>) -> Option<Condition> {
    text.filter(|text| !text.is_empty()).map(|text| folded.contains(text::folded(text)))
}

/// Selects the items that have one of these values. An empty list selects all items.
pub(super) fn one_of<T: Serialize>(attribute: Attribute<T>, wanted: &[T]) -> Option<Condition> {
    (!wanted.is_empty()).then(|| attribute.is_one_of(wanted))
}

/// Reads a part of an organization's workflows or agents, newest first. The index has only keys, so that a change of an entity
/// does not write it; the items are read from the table.
pub(super) async fn of_organization(
    entities: &Table,
    list: String,
    limit: u32,
    after: Option<String>,
) -> Result<Slice<Item>> {
    const BY_CREATED: Attribute<String> = Attribute::new("by_created");
    let range = after.as_ref().map(|after| Range::between(BY_CREATED, "0", after.as_str()));
    let index = Some(TableIndex::global("organization", ORGANIZATION));
    // One item is that of the cursor, and another one shows whether there is a next part.
    let query = TableQuery { index, range, order: Order::Desc, ..TableQuery::partition(list) };
    let found = entities.query(&TableQuery { limit: Some(limit + 2), ..query }).await?;
    let keys = found.items.iter().filter_map(Key::from_item).filter(|key| after.as_ref() != Some(&key.sk));
    let mut keys: Vec<Key> = keys.collect();
    let has_more = keys.len() > limit as usize || found.next.is_some();
    keys.truncate(limit as usize);
    let next = keys.last().filter(|_| has_more).map(|key| key.sk.clone());
    let items = entities.batch_get(&keys).await?;
    // The index lags: an item may not be listed any more.
    let listed = |key: &Key| {
        items
            .iter()
            .find(|item| ORGANIZATION.find(item).is_some() && Key::from_item(item).as_ref() == Some(key))
            .cloned()
    };
    Ok(Slice { items: keys.iter().filter_map(listed).collect(), next })
}
