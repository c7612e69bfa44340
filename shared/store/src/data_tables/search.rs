//! Finds the rows of a table that match filters. It reads the whole table, unless the filters name a row by its id.

use super::changes::require_few_bytes;
use super::items::RowItem;
use super::{DataTables, TablePlace};
use crate::item::parse;
use crate::query::TableQuery;
use domain::Result;
use domain::data_table::{MAX_BYTES_AT_ONCE, Row, RowFilter, by_field};
use domain::page::Order;

/// Which rows, and in which order.
#[derive(Clone, Debug)]
pub struct Search {
    pub filter: RowFilter,
    /// The field by which the rows are sorted; their ids if omitted.
    pub order_by: Option<(String, Order)>,
    pub limit: usize,
}

/// The size of the rows that a sorted search keeps while it reads the table.
const MAX_BYTES_KEPT: usize = 4 * MAX_BYTES_AT_ONCE;

/// The rows that a search has found so far, with their sizes.
struct Found<'a> {
    search: &'a Search,
    rows: Vec<(usize, Row)>,
    bytes: usize,
}

impl Found<'_> {
    fn add(&mut self, bytes: usize, row: Row) {
        self.rows.push((bytes, row));
        self.bytes += bytes;
        if self.rows.len() > 2 * self.search.limit || self.bytes > MAX_BYTES_KEPT {
            self.cut();
        }
    }

    /// Drops the rows that are not among the first.
    fn cut(&mut self) {
        if let Some((field, order)) = &self.search.order_by {
            self.rows.sort_by(|(_, one), (_, other)| by_field(field, *order, one, other));
        }
        self.rows.truncate(self.search.limit);
        self.bytes = self.rows.iter().map(|(bytes, _)| bytes).sum();
    }
}

impl DataTables {
    /// The first rows that match.
    pub async fn find(&self, place: &TablePlace, search: &Search) -> Result<Vec<Row>> {
        let Search { filter, order_by, limit } = search;
        let mut found = Found { search, rows: Vec::new(), bytes: 0 };
        self.read_candidates(place, filter, |item, row| {
            if filter.matches(&row) {
                found.add(item.bytes(), row);
            }
            match order_by {
                // Rows that come later may be the first ones.
                Some(_) => found.bytes <= MAX_BYTES_KEPT,
                None => found.rows.len() < *limit && found.bytes <= MAX_BYTES_AT_ONCE,
            }
        })
        .await?;
        found.cut();
        require_few_bytes(found.bytes)?;
        Ok(found.rows.into_iter().map(|(_, row)| row).collect())
    }

    /// The number of rows that match.
    pub async fn count(&self, place: &TablePlace, filter: &RowFilter) -> Result<usize> {
        let mut count = 0;
        self.read_candidates(place, filter, |_, row| {
            count += usize::from(filter.matches(&row));
            true
        })
        .await?;
        Ok(count)
    }

    /// Gives each row that the filters may select to `take`, in the order of the ids, until it returns false.
    pub(super) async fn read_candidates(
        &self,
        place: &TablePlace,
        filter: &RowFilter,
        mut take: impl FnMut(RowItem, Row) -> bool,
    ) -> Result<()> {
        let mut give = |item| -> Result<bool> {
            let item: RowItem = parse(item)?;
            let row = item.read()?;
            Ok(take(item, row))
        };
        if let Some(id) = filter.id() {
            return self.entities.get(&place.row(&id)).await?.map_or(Ok(true), give).map(drop);
        }
        let mut query = TableQuery { order: Order::Asc, ..TableQuery::partition(place.rows()) };
        loop {
            let found = self.entities.query(&query).await?;
            for item in found.items {
                if !give(item)? {
                    return Ok(());
                }
            }
            match found.next {
                None => return Ok(()),
                next => query.after = next,
            }
        }
    }
}
