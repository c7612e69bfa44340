//! Lists that are spread over several partitions, because one partition would become hot. They are read together, newest or
//! oldest first. The sort key is an id of version 7.

use futures::future::try_join_all;
use uuid::Uuid;

use super::condition::Path;
use super::item::{Item, to_value};
use super::query::{Range, TableQuery};
use super::table::Table;
use domain::page::{Order, Slice};
use domain::{Error, Result};

/// The number of entries after which a filtered page stops reading.
const MAX_SCANNED: u32 = 1_000;
/// A filter that drops most entries needs larger steps.
const FILTERED_STEP: u32 = 100;

pub(super) struct ShardedList<'a> {
    pub table: &'a Table,
    /// A query of each partition.
    pub shards: Vec<TableQuery>,
    /// The attribute that is the sort key. It has an id.
    pub id: Path,
    pub order: Order,
    /// The smallest and the largest id of the list.
    pub from: Uuid,
    pub to: Uuid,
    /// Whether most entries are dropped, by the queries or by `load`.
    pub drops_most: bool,
}

impl ShardedList<'_> {
    /// Reads a page of at most `limit` entries, each with its id. `after` is the place of the page before. `load` turns
    /// entries of the list into what the page shows. A filtered page may be short although another one follows.
    pub async fn page<T, F>(
        &self,
        limit: u32,
        after: Option<String>,
        load: impl Fn(Vec<(Uuid, Item)>) -> F,
    ) -> Result<Slice<T>>
    where
        F: Future<Output = Result<Vec<(Uuid, T)>>>,
    {
        let size = if self.drops_most { limit.max(FILTERED_STEP) } else { limit };
        // A place of another kind is ignored, so that the list starts at its beginning.
        let mut after = after.and_then(|after| after.parse().ok());
        let (mut entries, mut scanned) = (Vec::new(), 0);
        loop {
            let (found, next) = self.step(after, size).await?;
            entries.extend(load(found).await?);
            scanned += size * self.shards.len() as u32;
            after = next;
            if after.is_none() || entries.len() >= limit as usize || scanned >= MAX_SCANNED {
                break;
            }
        }
        // If some entries did not fit, the next page begins after the last one of this page.
        let is_more = entries.len() > limit as usize;
        entries.truncate(limit as usize);
        let next = if is_more { entries.last().map(|(id, _)| *id) } else { after };
        let items = entries.into_iter().map(|(_, entry)| entry).collect();
        Ok(Slice { items, next: next.map(|id| id.to_string()) })
    }

    /// Reads the next entries of all partitions, at most `size`. Returns them, and after which id the next step begins.
    async fn step(&self, after: Option<Uuid>, size: u32) -> Result<(Vec<(Uuid, Item)>, Option<Uuid>)> {
        let (mut from, mut to) = (self.from, self.to);
        match (after, self.order) {
            (Some(after), Order::Desc) => to = Uuid::from_u128(after.as_u128().saturating_sub(1)).min(to),
            (Some(after), Order::Asc) => from = Uuid::from_u128(after.as_u128().saturating_add(1)).max(from),
            (None, _) => {}
        }
        if to < from {
            return Ok((Vec::new(), None));
        }
        let range = Range { sort: self.id.clone(), from: to_value(from), to: to_value(to) };
        let shards = self.shards.iter().map(|shard| {
            let query =
                TableQuery { range: Some(range.clone()), order: self.order, limit: Some(size), ..shard.clone() };
            async move { self.table.query(&query).await }
        });
        let (mut entries, mut ends) = (Vec::new(), Vec::new());
        for shard in try_join_all(shards).await? {
            ends.extend(shard.next.map(|last| self.id_of(&last)).transpose()?);
            for item in shard.items {
                entries.push((self.id_of(&item)?, item));
            }
        }
        Ok(merge(entries, ends, self.order, size))
    }

    fn id_of(&self, item: &Item) -> Result<Uuid> {
        let id = item.get(self.id.attribute.as_ref()).and_then(|id| id.as_s().ok()).and_then(|id| id.parse().ok());
        id.ok_or_else(|| Error::internal(format!("an entry of a list has no {}", self.id)))
    }
}

/// Merges parts of several lists, of which `ends` are the last places of those that go on. Returns at most `size` entries, and
/// the place after which the next part begins.
pub(super) fn merge<T>(
    mut entries: Vec<(Uuid, T)>,
    ends: impl IntoIterator<Item = Uuid>,
    order: Order,
    size: u32,
) -> (Vec<(Uuid, T)>, Option<Uuid>) {
    entries.sort_by_key(|(id, _)| *id);
    if order == Order::Desc {
        entries.reverse();
    }
    // Where a list has more entries, those that follow are unknown. The next part begins at the first such place.
    let ends = ends.into_iter();
    let mut next = if order == Order::Desc { ends.max() } else { ends.min() };
    let is_known = |id: Uuid, next: Uuid| if order == Order::Desc { id >= next } else { id <= next };
    entries.retain(|(id, _)| next.is_none_or(|next| is_known(*id, next)));
    // An entry may be in several of the lists.
    entries.dedup_by_key(|(id, _)| *id);
    if entries.len() > size as usize {
        entries.truncate(size as usize);
        next = entries.last().map(|(id, _)| *id);
    }
    (entries, next)
}
