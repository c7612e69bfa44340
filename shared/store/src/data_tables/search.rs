//! Finds the rows of a table that match filters. It reads the whole table, unless the filters name a row by its id.

use super::items::RowItem;
use super::{DataTables, TablePlace};
use crate::item::parse;
use crate::query::TableQuery;
use domain::Result;
use domain::data_table::{Row, RowFilter, by_field};
use domain::page::Order;

/// Which rows, and in which order.
#[derive(Clone, Debug)]
pub struct Search {
    pub filter: RowFilter,
    /// The field by which the rows are sorted; their ids if omitted.
    pub order_by: Option<(String, Order)>,
    pub limit: usize,
}

impl DataTables {
    /// The first rows that match.
    pub async fn find(&self, place: &TablePlace, search: &Search) -> Result<Vec<Row>> {
        let Search { filter, order_by, limit } = search;
        let sort = |rows: &mut Vec<Row>| {
            if let Some((field, order)) = order_by {
                rows.sort_by(|one, other| by_field(field, *order, one, other));
            }
            rows.truncate(*limit);
        };
        let mut rows = Vec::new();
        self.scan(place, filter, |row| {
            rows.push(row);
            // Of a sorted search, only the first rows are kept while the table is read.
            if rows.len() > 2 * limit {
                sort(&mut rows);
            }
            order_by.is_some() || rows.len() < *limit
        })
        .await?;
        sort(&mut rows);
        Ok(rows)
    }

    /// The number of rows that match.
    pub async fn count(&self, place: &TablePlace, filter: &RowFilter) -> Result<usize> {
        let mut count = 0;
        self.scan(place, filter, |_| {
            count += 1;
            true
        })
        .await?;
        Ok(count)
    }

    async fn scan(&self, place: &TablePlace, filter: &RowFilter, mut take: impl FnMut(Row) -> bool) -> Result<()> {
        self.read_candidates(place, filter, |_, row| !filter.matches(&row) || take(row)).await
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
