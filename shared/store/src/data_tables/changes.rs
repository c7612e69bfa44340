//! Adds, changes and deletes rows. A call names the step that makes it, so that a repeated step changes nothing.

use futures::{StreamExt, TryStreamExt, stream};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::items::{ROW, RowItem, TABLE, TableItem};
use super::{CONCURRENCY, DataTables, TablePlace};
use crate::backoff::Backoff;
use crate::item::parse;
use crate::keys::Key;
use crate::table::{RefusedWrite, WriteOutcome};
use crate::write::Write;
use domain::data_table::{MAX_ROWS, MAX_ROWS_AT_ONCE, Row, RowFilter, RowProblem, check_size};
use domain::time::Time;
use domain::{Error, Result};

/// A transaction has at most 100 writes and 4 MB.
const ROWS_PER_TRANSACTION: usize = 90;
/// The rows that a step changes or deletes are its value, which has at most 1 MiB.
const MAX_BYTES_AT_ONCE: usize = 768 * 1024;

/// Who changes rows, and when.
#[derive(Clone, Debug)]
pub struct Change {
    /// Identifies the step. It is the same when the step is repeated.
    pub step: String,
    pub at: Time,
}

#[derive(Clone, Debug)]
pub struct NewRow {
    pub id: String,
    pub values: Map<String, Value>,
}

/// What `upsert` does: it changes the rows that match, or adds this one.
#[derive(Clone, Debug)]
pub struct Upsert {
    pub row: NewRow,
    /// Whether the workflow has chosen the id of the row.
    pub is_id_given: bool,
    pub changes: Map<String, Value>,
}

impl DataTables {
    /// Adds rows, and makes the table if there is none. None of 90 rows is added if one of them exists already.
    pub async fn add(&self, place: &TablePlace, rows: &[NewRow], change: &Change) -> Result<Vec<Row>> {
        let mut added = Vec::with_capacity(rows.len());
        for chunk in rows.chunks(ROWS_PER_TRANSACTION) {
            added.extend(self.add_chunk(place, chunk, change).await?);
        }
        Ok(added)
    }

    async fn add_chunk(&self, place: &TablePlace, rows: &[NewRow], change: &Change) -> Result<Vec<Row>> {
        let new = |row: &NewRow| RowItem::new(place, &row.id, &row.values, &change.step, change.at);
        let items = rows.iter().map(new).collect::<Result<Vec<_>>>()?;
        let mut backoff = Backoff::default();
        loop {
            let puts = items.iter().map(|item| self.entities.put_new(item).labeled(ROW));
            let writes: Vec<_> = [self.more_rows(place, rows.len())].into_iter().chain(puts).collect();
            let WriteOutcome::Refused(refused) = self.entities.transact(Uuid::now_v7(), &writes).await? else {
                return items.iter().map(RowItem::read).collect();
            };
            if refused.label == ROW {
                // All rows of the transaction were written, or none.
                let existing: Option<RowItem> = refused.parse_item()?;
                match existing {
                    Some(existing) if existing.is_written_by(&change.step) => {
                        return items.into_iter().map(|item| item.added_with(&existing).read()).collect();
                    }
                    Some(existing) => return Err(exists(existing.id())),
                    None => {}
                }
            } else if refused.item.is_none() {
                self.create(place, change.at).await?;
            } else {
                return Err(no_room(refused)?);
            }
            backoff.next("rows are added and deleted at once").await?;
        }
    }

    /// Changes the values of all rows that match. A value of null is kept as null. The changed rows are returned.
    pub async fn update(
        &self,
        place: &TablePlace,
        filter: &RowFilter,
        values: &Map<String, Value>,
        change: &Change,
    ) -> Result<Vec<Row>> {
        let found = self.all_matching(place, filter, change).await?;
        let changes = found.into_iter().map(|item| self.update_row(place, filter, item, values, change));
        let changed: Vec<_> = stream::iter(changes).buffered(CONCURRENCY).try_collect().await?;
        Ok(changed.into_iter().flatten().collect())
    }

    /// None if the row was deleted or does not match any more.
    async fn update_row(
        &self,
        place: &TablePlace,
        filter: &RowFilter,
        mut item: RowItem,
        values: &Map<String, Value>,
        change: &Change,
    ) -> Result<Option<Row>> {
        let mut backoff = Backoff::default();
        loop {
            let row = item.read()?;
            if item.is_written_by(&change.step) {
                return Ok(Some(row));
            }
            if !filter.matches(&row) {
                return Ok(None);
            }
            let mut merged = row.values;
            merged.extend(values.clone());
            check_size(&merged).map_err(refuse)?;
            let changed = item.changed(&merged, &change.step, change.at)?;
            let write = self.entities.put(&changed).require_is(RowItem::VERSION, item.version);
            match self.entities.write(write).await? {
                WriteOutcome::Written => return changed.read().map(Some),
                WriteOutcome::Refused(refused) => match refused.parse_item()? {
                    Some(now) => item = now,
                    None => return Ok(None),
                },
            }
            backoff.next(&format!("others change a row of the table {}", place.table.0)).await?;
        }
    }

    /// Changes the rows that match, or adds one if there are none.
    pub async fn upsert(
        &self,
        place: &TablePlace,
        filter: &RowFilter,
        Upsert { row, is_id_given, changes }: &Upsert,
        change: &Change,
    ) -> Result<Vec<Row>> {
        let mut row = row.clone();
        let mut backoff = Backoff::default();
        loop {
            let changed = self.update(place, filter, changes, change).await?;
            if !changed.is_empty() {
                return Ok(changed);
            }
            let added = self.add(place, std::slice::from_ref(&row), change).await;
            let Err(Error::Conflict { code: ROW_EXISTS, .. }) = added else { return added };
            // Another run has added it meanwhile, or it has other values now and is another row. All runs that see it agree on
            // the next id.
            if let Some(item) = self.entities.get(&place.row(&row.id)).await? {
                let occupant: RowItem = parse(item)?;
                if !filter.matches(&occupant.read()?) {
                    if *is_id_given {
                        return added;
                    }
                    row.id = format!("{}-{}", &row.id[..row.id.len().min(32)], occupant.version.simple());
                }
            }
            backoff.next("others change the row that is looked for").await?;
        }
    }

    /// Deletes the rows that match, and returns them.
    pub async fn delete(&self, place: &TablePlace, filter: &RowFilter, change: &Change) -> Result<Vec<Row>> {
        let mut deleted = Vec::new();
        let found = self.all_matching(place, filter, change).await?;
        for chunk in found.chunks(ROWS_PER_TRANSACTION) {
            deleted.extend(self.delete_chunk(place, filter, chunk.to_vec()).await?);
        }
        Ok(deleted)
    }

    async fn delete_chunk(&self, place: &TablePlace, filter: &RowFilter, items: Vec<RowItem>) -> Result<Vec<Row>> {
        let mut items: Vec<_> = items.into_iter().map(|item| (place.row(item.id()), item)).collect();
        let mut backoff = Backoff::default();
        while !items.is_empty() {
            let delete = |(key, item): &(Key, RowItem)| {
                self.entities.delete(key.clone()).require_is(RowItem::VERSION, item.version).labeled(ROW)
            };
            let fewer = self.entities.update(place.key()).add(TableItem::LIVE, -(items.len() as i32)).require_exists();
            let writes: Vec<_> = [fewer.labeled(TABLE)].into_iter().chain(items.iter().map(delete)).collect();
            let WriteOutcome::Refused(refused) = self.entities.transact(Uuid::now_v7(), &writes).await? else {
                break;
            };
            if refused.label == TABLE {
                return Ok(Vec::new());
            }
            // Another run has changed or deleted one of them.
            let Some(at) = items.iter().position(|(key, _)| Some(key) == refused.key.as_ref()) else {
                return Err(Error::internal("a refused write has no row"));
            };
            let now: Option<RowItem> = refused.parse_item()?;
            match now {
                Some(now) if filter.matches(&now.read()?) => items[at].1 = now,
                _ => drop(items.remove(at)),
            }
            backoff.next("others change the rows that are deleted").await?;
        }
        items.iter().map(|(_, item)| item.read()).collect()
    }

    /// The rows that match, and those that the step has written before.
    async fn all_matching(&self, place: &TablePlace, filter: &RowFilter, change: &Change) -> Result<Vec<RowItem>> {
        let (mut found, mut bytes) = (Vec::new(), 0);
        let fits = |rows: usize, bytes: usize| rows <= MAX_ROWS_AT_ONCE && bytes <= MAX_BYTES_AT_ONCE;
        self.read_candidates(place, filter, |item, row| {
            if filter.matches(&row) || item.is_written_by(&change.step) {
                bytes += item.bytes();
                found.push(item);
            }
            fits(found.len(), bytes)
        })
        .await?;
        if fits(found.len(), bytes) {
            return Ok(found);
        }
        let message = format!(
            "more than {MAX_ROWS_AT_ONCE} rows or {} KiB match, the maximum of one step; add filters",
            MAX_BYTES_AT_ONCE / 1024
        );
        Err(Error::Conflict { code: "too_many_rows", message })
    }

    /// The condition that a table has room for more rows.
    fn more_rows(&self, place: &TablePlace, rows: usize) -> Write {
        let more = self.entities.update(place.key()).add(TableItem::LIVE, rows as i32);
        let has_room = TableItem::LIVE.is_at_most(MAX_ROWS - rows).and(TableItem::IS_DELETING.is_missing());
        more.require(has_room).labeled(TABLE)
    }
}

const ROW_EXISTS: &str = "row_exists";

fn exists(id: &str) -> Error {
    let message = format!("the table has a row with the id `{id}`; change it with the action `upsert`");
    Error::Conflict { code: ROW_EXISTS, message }
}

/// Why a table takes no more rows.
fn no_room(refused: RefusedWrite) -> Result<Error> {
    let table = refused.item.map(parse::<TableItem>).transpose()?;
    if table.is_some_and(|table| table.is_deleting.is_some()) {
        let message = "the table is being deleted; delete it again if this takes long".to_owned();
        return Ok(Error::Conflict { code: "table_deleted", message });
    }
    let message = format!("a table has at most {MAX_ROWS} rows; delete some first");
    Ok(Error::Conflict { code: "table_full", message })
}

/// A row that would be too large.
pub(super) fn refuse(problem: RowProblem) -> Error {
    Error::Conflict { code: problem.code, message: problem.message }
}
