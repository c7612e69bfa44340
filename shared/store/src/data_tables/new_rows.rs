//! Adds the rows of a list that a table does not have yet, so that runs process each entry of a list once.

use std::collections::{HashMap, HashSet};

use super::additions::new_items;
use super::items::{RowItem, TableItem};
use super::{Change, DataTables, NewRow, ROWS_PER_TRANSACTION, TablePlace};
use crate::backoff::Backoff;
use crate::item::parse;
use domain::Result;
use domain::data_table::{Row, RowFilter};

impl DataTables {
    /// Adds the rows whose ids the table does not have, 90 at a time, and returns them. If the table has more than `keep` rows
    /// then, the oldest are deleted, but none of `rows`: its entries would be new again in the next list.
    pub async fn add_new(
        &self,
        place: &TablePlace,
        rows: &[NewRow],
        keep: Option<usize>,
        change: &Change,
    ) -> Result<Vec<Row>> {
        let mut items = new_items(place, rows, change)?;
        let mut ids = HashSet::new();
        items.retain(|item| ids.insert(item.id().to_owned()));
        let mut added = Vec::new();
        for chunk in items.chunks(ROWS_PER_TRANSACTION) {
            added.extend(self.add_new_chunk(place, chunk, change).await?);
        }
        if let Some(keep) = keep {
            self.delete_oldest(place, keep, &ids).await?;
        }
        Ok(added)
    }

    async fn add_new_chunk(&self, place: &TablePlace, items: &[RowItem], change: &Change) -> Result<Vec<Row>> {
        let keys: Vec<_> = items.iter().map(|item| place.row(item.id())).collect();
        let mut backoff = Backoff::default();
        loop {
            let existing = self.read_rows(&keys, &RowFilter::default()).await?;
            let existing: HashMap<&str, &RowItem> = existing.iter().map(|row| (row.id(), row)).collect();
            let missing = items.iter().filter(|item| !existing.contains_key(item.id())).cloned();
            let missing: Vec<RowItem> = missing.collect();
            if missing.is_empty() || self.put_all(place, &missing, change).await?.is_none() {
                let added = items.iter().filter_map(|item| match existing.get(item.id()) {
                    None => Some(item.read()),
                    // An earlier attempt of the step has added it.
                    Some(row) => row.is_written_by(&change.step).then(|| item.added_with(row).read()),
                });
                return added.collect();
            }
            backoff.next("other steps add the same rows").await?;
        }
    }

    /// Deletes the oldest rows, so that `keep` of them are left. Those with the given ids stay.
    async fn delete_oldest(&self, place: &TablePlace, keep: usize, ids: &HashSet<String>) -> Result<()> {
        let Some(table) = self.entities.get(&place.key()).await? else { return Ok(()) };
        let surplus = parse::<TableItem>(table)?.live.saturating_sub(keep);
        if surplus == 0 {
            return Ok(());
        }
        let all = RowFilter::default();
        let mut others = Vec::new();
        self.read_candidates(place, &all, |_, row| {
            if !ids.contains(&row.id) {
                others.push((row.created_at, row.id));
            }
            true
        })
        .await?;
        others.sort_unstable();
        others.truncate(surplus);
        for chunk in others.chunks(ROWS_PER_TRANSACTION) {
            let keys: Vec<_> = chunk.iter().map(|(_, id)| place.row(id)).collect();
            let rows = self.read_rows(&keys, &all).await?;
            self.delete_chunk(place, &all, rows).await?;
        }
        Ok(())
    }
}
