//! The tables of workflows, and their rows.
//!
//! - The item of a table has the number of its rows. It changes in the transaction that adds or deletes rows, so that
//!   concurrent runs cannot exceed the maximum. The first row makes the table.
//! - A row has a version of its own. A change requires the version that was read, and reads the row again if another run has
//!   changed it meanwhile. So changes of different rows do not wait for each other.
//! - A row names the last steps that have written it. A step that is repeated after a crash finds its name, and does not write
//!   a second time.
//! - A table that is deleted takes no more rows. Then its rows are deleted, and its item last.

mod additions;
mod changes;
mod deletions;
mod items;
mod new_rows;
mod search;

use super::keys::{self, Key};
use super::query::TableQuery;
use super::table::{Table, WriteOutcome};
use super::workflow_parts::WorkflowPart;
use super::{item::parse, slice::slice};
use domain::data_table::{DataTable, MAX_TABLES, Row};
use domain::id::{Id, WorkflowId};
use domain::identity::Account;
use domain::name::TableName;
use domain::page::{Order, Slice};
use domain::time::Time;
use domain::{Error, Result};
use platform::{Context, config};
use uuid::Uuid;

pub use additions::{NewRow, Upsert};
pub use changes::Change;
pub(super) use deletions::delete_all;
pub use search::Search;

use items::{RowItem, TableItem};

const PART: WorkflowPart = WorkflowPart { kind: "table", max: MAX_TABLES, too_many: "too_many_tables" };

const GONE: Error = Error::NotFound { kind: TableName::KIND };

/// The number of rows that are written or deleted at once.
const CONCURRENCY: usize = 16;

/// A transaction has at most 100 writes.
const ROWS_PER_TRANSACTION: usize = 90;

#[derive(Clone)]
pub struct DataTables {
    entities: Table,
}

/// The table of a workflow.
#[derive(Clone, Debug)]
pub struct TablePlace {
    pub account: Account,
    pub workflow: WorkflowId,
    pub table: TableName,
}

impl TablePlace {
    fn key(&self) -> Key {
        keys::data_table(self.account, self.workflow, &self.table)
    }

    fn rows(&self) -> String {
        keys::data_rows(self.account, self.workflow, &self.table)
    }

    fn row(&self, id: &str) -> Key {
        Key::new(self.rows(), id)
    }
}

impl DataTables {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { entities: Table::new(context, config::TABLE_ENTITIES)? })
    }

    /// The tables of a workflow, by name.
    pub async fn list(&self, account: Account, workflow: WorkflowId) -> Result<Vec<DataTable>> {
        let found = self.entities.query_all(TableQuery::partition(keys::data_tables(account, workflow))).await?;
        found.into_iter().map(|item| parse::<TableItem>(item)?.read()).collect()
    }

    pub async fn get(&self, place: &TablePlace) -> Result<DataTable> {
        parse::<TableItem>(self.entities.get(&place.key()).await?.ok_or(GONE)?)?.read()
    }

    /// A page of the rows, in the order of their ids.
    pub async fn page(&self, place: &TablePlace, limit: u32, after: Option<String>) -> Result<Slice<Row>> {
        let Slice { items, next } = slice(&self.entities, place.rows(), "", Order::Asc, limit, after).await?;
        let items = items.into_iter().map(|item| parse::<RowItem>(item)?.read()).collect::<Result<_>>()?;
        Ok(Slice { items, next })
    }

    /// Makes a table, on condition that the workflow exists and has fewer than the maximum. Nothing changes if there is one.
    async fn create(&self, place: &TablePlace, now: Time) -> Result<()> {
        let count = keys::data_table_count(place.account, place.workflow);
        let [exists, room] = PART.require_room(&self.entities, place.account, place.workflow, count, now);
        let table = self.entities.put_new(&TableItem::new(place, now)).labeled(items::TABLE);
        match self.entities.transact(Uuid::now_v7(), &[exists, room, table]).await? {
            WriteOutcome::Refused(refused) if refused.label != items::TABLE => Err(PART.refusal(&refused)),
            _ => Ok(()),
        }
    }
}
