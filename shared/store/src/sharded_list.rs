//! Lists that are spread over several partitions, because one partition would become hot. They are read together, newest
//! first. The sort key is an id of version 7.

use std::cmp::Reverse;

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
    /// The first and the last id of the list.
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
        let to = after.map_or(self.to, |after| Uuid::from_u128(after.as_u128().saturating_sub(1)).min(self.to));
        let range = Range { sort: self.id.clone(), from: to_value(self.from), to: to_value(to) };
        if to < self.from {
            return Ok((Vec::new(), None));
        }
        let shards = self.shards.iter().map(|shard| {
            let query =
                TableQuery { range: Some(range.clone()), order: Order::Desc, limit: Some(size), ..shard.clone() };
            async move { self.table.query(&query).await }
        });
        let (mut entries, mut next) = (Vec::new(), None);
        for shard in try_join_all(shards).await? {
            // Where a partition has more entries, its older ones are unknown. The next step begins at the newest such place.
            next = next.max(shard.next.map(|last| self.id_of(&last)).transpose()?);
            for item in shard.items {
                entries.push((self.id_of(&item)?, item));
            }
        }
        entries.retain(|(id, _)| Some(*id) >= next);
        entries.sort_by_key(|(id, _)| Reverse(*id));
        // An entry may be in several of the lists.
        entries.dedup_by_key(|(id, _)| *id);
        if entries.len() > size as usize {
            entries.truncate(size as usize);
            next = entries.last().map(|(id, _)| *id);
        }
        Ok((entries, next))
    }

    fn id_of(&self, item: &Item) -> Result<Uuid> {
        let id = item.get(self.id.attribute.as_ref()).and_then(|id| id.as_s().ok()).and_then(|id| id.parse().ok());
        id.ok_or_else(|| Error::internal(format!("an entry of a list has no {}", self.id)))
    }
}
