//! Deletes rows, alone or with their table.

use futures::{TryStreamExt, stream};
use uuid::Uuid;

use super::items::{RowItem, TABLE, TableItem};
use super::{CONCURRENCY, Change, DataTables, GONE, ROWS_PER_TRANSACTION, TablePlace};
use crate::backoff::Backoff;
use crate::item::parse;
use crate::keys::{self, Key};
use crate::query::TableQuery;
use crate::quota;
use crate::table::{Table, WriteOutcome};
use domain::data_table::{Row, RowFilter};
use domain::id::WorkflowId;
use domain::identity::Account;
use domain::{Error, Result};

impl DataTables {
    /// Deletes the rows that match, and returns them.
    pub async fn delete(&self, place: &TablePlace, filter: &RowFilter, change: &Change) -> Result<Vec<Row>> {
        let mut deleted = Vec::new();
        let found = self.all_matching(place, filter, change).await?;
        for chunk in found.chunks(ROWS_PER_TRANSACTION) {
            deleted.extend(self.delete_chunk(place, filter, chunk.to_vec()).await?);
        }
        Ok(deleted)
    }

    pub(super) async fn delete_chunk(
        &self,
        place: &TablePlace,
        filter: &RowFilter,
        mut items: Vec<RowItem>,
    ) -> Result<Vec<Row>> {
        let mut backoff = Backoff::default();
        while !items.is_empty() {
            let delete =
                |item: &RowItem| self.entities.delete(place.row(item.id())).require_is(RowItem::VERSION, item.version);
            let fewer = self.entities.update(place.key()).add(TableItem::LIVE, -(items.len() as i32)).require_exists();
            let writes: Vec<_> = [fewer.labeled(TABLE)].into_iter().chain(items.iter().map(delete)).collect();
            match self.entities.transact(Uuid::now_v7(), &writes).await? {
                WriteOutcome::Written => break,
                WriteOutcome::Refused(refused) if refused.label == TABLE => return Ok(Vec::new()),
                // Other steps have changed or deleted some of them.
                WriteOutcome::Refused(_) => {
                    let keys: Vec<_> = items.iter().map(|item| place.row(item.id())).collect();
                    items = self.read_rows(&keys, filter).await?;
                }
            }
            backoff.next("others change the rows that are deleted").await?;
        }
        items.iter().map(RowItem::read).collect()
    }

    /// The rows with these keys that match, as they are now.
    pub(super) async fn read_rows(&self, keys: &[Key], filter: &RowFilter) -> Result<Vec<RowItem>> {
        let mut matching = Vec::with_capacity(keys.len());
        for item in self.entities.batch_get(keys).await? {
            let item: RowItem = parse(item)?;
            if filter.matches(&item.read()?) {
                matching.push(item);
            }
        }
        matching.sort_by(|one, other| one.id().cmp(other.id()));
        Ok(matching)
    }

    /// Deletes a table with its rows. If it is interrupted, the next call goes on.
    pub async fn delete_table(&self, place: &TablePlace) -> Result<()> {
        if !empty(&self.entities, place).await? {
            return Err(GONE);
        }
        let writes = [
            // Another call may have deleted the table meanwhile, and a run may have made it again.
            self.entities.delete(place.key()).require_is(TableItem::IS_DELETING, true),
            quota::decrement(&self.entities, keys::data_table_count(place.account, place.workflow)),
        ];
        self.entities.transact(Uuid::now_v7(), &writes).await?.or_error(|_| GONE)
    }
}

/// Deletes the tables of a deleted workflow, which gets no new ones.
pub(crate) async fn delete_all(entities: &Table, account: Account, workflow: WorkflowId) -> Result<()> {
    for item in entities.query_all(TableQuery::partition(keys::data_tables(account, workflow))).await? {
        let place = TablePlace { account, workflow, table: parse::<TableItem>(item)?.name()? };
        if empty(entities, &place).await? {
            entities.remove(&place.key()).await?;
        }
    }
    entities.remove(&keys::data_table_count(account, workflow)).await
}

/// Closes a table, so that it takes no more rows, and deletes those that it has. False if there is no such table.
async fn empty(entities: &Table, place: &TablePlace) -> Result<bool> {
    let closing = entities.update(place.key()).set(TableItem::IS_DELETING, true).require_exists();
    if !entities.write(closing).await?.is_written() {
        return Ok(false);
    }
    let mut query = TableQuery::partition(place.rows());
    loop {
        let found = entities.query(&query).await?;
        let rows = found.items.iter().filter_map(Key::from_item).map(Ok::<_, Error>);
        stream::iter(rows).try_for_each_concurrent(CONCURRENCY, async |key| entities.remove(&key).await).await?;
        match found.next {
            None => return Ok(true),
            next => query.after = next,
        }
    }
}
