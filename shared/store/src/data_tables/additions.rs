//! Adds rows, and makes their table.

use std::collections::HashSet;

use serde_json::{Map, Value};
use uuid::Uuid;

use super::changes::{refuse, require_few_bytes};
use super::items::{ROW, RowItem, TABLE, TableItem};
use super::{Change, DataTables, ROWS_PER_TRANSACTION, TablePlace};
use crate::backoff::Backoff;
use crate::item::parse;
use crate::table::{RefusedWrite, WriteOutcome};
use crate::write::Write;
use domain::data_table::{MAX_ROWS, Row, RowFilter, measure_values};
use domain::{Error, Result};

#[derive(Clone, Debug)]
pub struct NewRow {
    pub id: String,
    pub values: Map<String, Value>,
}

/// A change of the rows that match, or a new row if there are none.
#[derive(Clone, Debug)]
pub struct Upsert {
    /// The values that the rows that match get.
    pub changes: Map<String, Value>,
    /// The new row. Steps with the same filters give it the same id, so that only one of them adds it.
    pub row: NewRow,
    /// The id of the new row if another one has that of `row`, and does not match the filters any more. None if the workflow
    /// has chosen the id.
    pub other_id: Option<String>,
}

impl DataTables {
    /// Adds rows, 90 at a time, and makes the table if there is none. If one of 90 rows exists already, none of them is added.
    pub async fn add(&self, place: &TablePlace, rows: &[NewRow], change: &Change) -> Result<Vec<Row>> {
        let items = new_items(place, rows, change)?;
        require_different_ids(&items)?;
        let mut added = Vec::with_capacity(rows.len());
        for chunk in items.chunks(ROWS_PER_TRANSACTION) {
            added.extend(self.add_chunk(place, chunk, change).await?);
        }
        Ok(added)
    }

    async fn add_chunk(&self, place: &TablePlace, items: &[RowItem], change: &Change) -> Result<Vec<Row>> {
        match self.put_all(place, items, change).await? {
            None => items.iter().map(RowItem::read).collect(),
            // All rows of the transaction were written, or none.
            Some(existing) if existing.is_written_by(&change.step) => {
                items.iter().map(|item| item.added_with(&existing).read()).collect()
            }
            Some(existing) => Err(exists(existing.id())),
        }
    }

    /// Adds rows in one transaction, and creates the table if it does not exist. If a row exists already, no row is added, and
    /// the existing one is returned.
    pub(super) async fn put_all(
        &self,
        place: &TablePlace,
        items: &[RowItem],
        change: &Change,
    ) -> Result<Option<RowItem>> {
        let mut backoff = Backoff::default();
        loop {
            // The table comes last, because the first refused write is reported: a repeated step finds its rows even if they
            // have filled the table.
            let puts = items.iter().map(|item| self.entities.put_new(item).labeled(ROW));
            let writes: Vec<_> = puts.chain([self.more_rows(place, items.len())]).collect();
            let WriteOutcome::Refused(refused) = self.entities.transact(Uuid::now_v7(), &writes).await? else {
                return Ok(None);
            };
            if refused.label == ROW {
                if let Some(existing) = refused.parse_item()? {
                    return Ok(Some(existing));
                }
            } else if refused.item.is_none() {
                self.create(place, change.at).await?;
            } else {
                return Err(no_room(refused)?);
            }
            backoff.next("rows are added and deleted at once").await?;
        }
    }

    /// Changes the rows that match, or adds one if there are none.
    pub async fn upsert(
        &self,
        place: &TablePlace,
        filter: &RowFilter,
        Upsert { changes, row, other_id }: &Upsert,
        change: &Change,
    ) -> Result<Vec<Row>> {
        let mut backoff = Backoff::default();
        let mut occupant: Option<RowItem> = None;
        loop {
            let changed = self.update(place, filter, changes, change).await?;
            if !changed.is_empty() {
                return Ok(changed);
            }
            let added = match (&occupant, other_id) {
                (None, _) => self.add(place, std::slice::from_ref(row), change).await,
                (Some(occupant), Some(id)) => {
                    let row = NewRow { id: id.clone(), values: row.values.clone() };
                    self.add_beside(place, occupant, &row, change).await
                }
                (Some(occupant), None) => return Err(does_not_match(occupant.id())),
            };
            let Err(Error::Conflict { code: ROW_EXISTS, .. }) = added else { return added };
            // Another step has added the row, or it has other values by now. Then it is read before the next search, so that
            // the search finds every row that was added beside this version.
            let existing = self.entities.get(&place.row(&row.id)).await?.map(parse::<RowItem>).transpose()?;
            occupant = match existing {
                Some(item) if !filter.matches(&item.read()?) => Some(item),
                _ => None,
            };
            backoff.next("others add the row that is looked for").await?;
        }
    }

    /// Adds a row on condition that the occupant of its id has not changed, and gives the occupant another version. So of the
    /// steps that find the same occupant, one adds a row.
    async fn add_beside(
        &self,
        place: &TablePlace,
        occupant: &RowItem,
        NewRow { id, values }: &NewRow,
        change: &Change,
    ) -> Result<Vec<Row>> {
        measure_values(values).map_err(refuse)?;
        let item = RowItem::new(place, id, values, &change.step, change.at)?;
        let lock = self.entities.update(place.row(occupant.id())).set(RowItem::VERSION, Uuid::now_v7());
        let writes = [
            self.entities.put_new(&item).labeled(ROW),
            lock.require_is(RowItem::VERSION, occupant.version).labeled(ROW),
            self.more_rows(place, 1),
        ];
        match self.entities.transact(Uuid::now_v7(), &writes).await? {
            WriteOutcome::Written => Ok(vec![item.read()?]),
            WriteOutcome::Refused(refused) if refused.label == ROW || refused.item.is_none() => Err(exists(id)),
            WriteOutcome::Refused(refused) => Err(no_room(refused)?),
        }
    }

    /// Counts more rows of the table, on condition that it has room for them.
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

fn does_not_match(id: &str) -> Error {
    let message = format!("the row with the id `{id}` exists and does not match the filters; filter for its `id` only");
    Error::Conflict { code: ROW_EXISTS, message }
}

/// The items of new rows, if a step can return all of them.
pub(super) fn new_items(place: &TablePlace, rows: &[NewRow], change: &Change) -> Result<Vec<RowItem>> {
    let new = |NewRow { id, values }: &NewRow| {
        measure_values(values).map_err(refuse)?;
        RowItem::new(place, id, values, &change.step, change.at)
    };
    let items = rows.iter().map(new).collect::<Result<Vec<_>>>()?;
    require_few_bytes(items.iter().map(RowItem::bytes).sum())?;
    Ok(items)
}

/// A transaction writes an item once, and a step must not take a row of its own list for that of its previous attempt.
fn require_different_ids(items: &[RowItem]) -> Result<()> {
    let mut ids = HashSet::new();
    let Some(twice) = items.iter().find(|item| !ids.insert(item.id())) else { return Ok(()) };
    let message = format!("two of the rows have the id `{}`; remove one of them", twice.id());
    Err(Error::Conflict { code: "row_invalid", message })
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
