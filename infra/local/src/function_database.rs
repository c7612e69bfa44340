//! The database as one function sees it: limited to the permissions of the template, and recorded for tests.

use std::collections::BTreeMap;
use std::fmt;

use database::{Consumed, Database, Kind, Token};
use domain::Result;
use futures::FutureExt;
use futures::future::BoxFuture;
use tables::Key;
use tables::embedded::EmbeddedDatabase;
use tables::item::Item;
use tables::outcome::WriteOutcome;
use tables::query::{QueryResult, TableIndex, TableQuery};
use tables::write::{Write, WriteOperation};
use uuid::Uuid;

use crate::data_dir::DYNAMODB;
use crate::function_access::FunctionAccess;
use crate::recorder::{Call, TableWrites};
use crate::services::storage::{StorageFailure, StorageHealth};

/// The prefix of DynamoDB's actions in policies.
const DYNAMODB_ACTIONS: &str = "dynamodb";

#[derive(Clone)]
pub struct FunctionDatabase {
    pub database: Database,
    pub storage: StorageHealth,
    pub access: FunctionAccess,
}

impl fmt::Debug for FunctionDatabase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FunctionDatabase").finish_non_exhaustive()
    }
}

impl EmbeddedDatabase for FunctionDatabase {
    fn get<'a>(&'a self, table: &'a str, key: &'a Key) -> BoxFuture<'a, Result<Option<Item>>> {
        self.read("GetItem", table, move || self.database.get(table, key)).boxed()
    }

    fn batch_get<'a>(&'a self, table: &'a str, keys: &'a [Key]) -> BoxFuture<'a, Result<Vec<Item>>> {
        self.read("BatchGetItem", table, move || self.database.batch_get(table, keys)).boxed()
    }

    fn query<'a>(&'a self, table: &'a str, query: &'a TableQuery) -> BoxFuture<'a, Result<QueryResult>> {
        async move {
            let source = match &query.index {
                None => table.to_owned(),
                Some(TableIndex::Local(sort)) => format!("{table}/index/{sort}"),
                Some(TableIndex::Global { name, .. }) => format!("{table}/index/{name}"),
            };
            self.read("Query", &source, || self.database.query(table, query)).await
        }
        .boxed()
    }

    fn write(&self, write: Write) -> BoxFuture<'_, Result<WriteOutcome>> {
        let operation = action(&write);
        self.carry_out(operation, vec![write], Kind::Single).boxed()
    }

    fn transact(&self, token: Uuid, writes: Vec<Write>) -> BoxFuture<'_, Result<WriteOutcome>> {
        // The platform never takes a token for other writes, so their digest does not matter.
        let token = Token { id: token.as_u128(), digest: 0 };
        self.carry_out("TransactWriteItems", writes, Kind::Transaction(Some(token))).boxed()
    }
}

impl FunctionDatabase {
    /// Reads from a table or an index. `read` returns the units too that it consumed.
    async fn read<T>(
        &self,
        operation: &'static str,
        source: &str,
        read: impl FnOnce() -> database::Result<(T, f64)>,
    ) -> Result<T> {
        self.access.require(DYNAMODB_ACTIONS, operation, source)?;
        let (found, units) = self.finish(read())?;
        self.access.finish_call(|| call(operation, units, Vec::new())).await;
        Ok(found)
    }

    async fn carry_out(&self, operation: &'static str, writes: Vec<Write>, kind: Kind) -> Result<WriteOutcome> {
        writes.iter().try_for_each(|write| self.access.require(DYNAMODB_ACTIONS, action(write), &write.table))?;
        let mut partitions: BTreeMap<String, Vec<String>> = BTreeMap::new();
        if self.access.recorder.is_some() {
            for write in &writes {
                let pk = write.key().map(|key| key.pk).unwrap_or_default();
                partitions.entry(write.table.clone()).or_default().push(pk);
            }
        }
        let (outcome, consumed) = self.finish(self.database.write(writes, kind).await)?;
        self.storage.report_written(DYNAMODB);
        let units = consumed.values().map(database::TableUnits::total).sum();
        self.access.finish_call(|| call(operation, units, written(&consumed, partitions))).await;
        Ok(outcome)
    }

    fn finish<T>(&self, answer: database::Result<T>) -> Result<T> {
        answer.map_err(|error| match StorageFailure::of_database(&error) {
            Some(failure) => {
                self.storage.report(DYNAMODB, failure);
                domain::Error::StorageTrouble(format!("{DYNAMODB}: {failure}"))
            }
            None => domain::Error::internal(error),
        })
    }
}

fn call(operation: &str, units: f64, writes: Vec<TableWrites>) -> Call {
    Call { units, writes, ..Call::new("DynamoDB", operation) }
}

fn written(consumed: &Consumed, mut partitions: BTreeMap<String, Vec<String>>) -> Vec<TableWrites> {
    let of_table = |(table, units): (&String, &database::TableUnits)| TableWrites {
        table: table.clone(),
        partitions: partitions.remove(table).unwrap_or_default(),
        units: units.table,
        index_units: units.global_indexes.clone(),
    };
    consumed.iter().map(of_table).collect()
}

/// The action that a policy allows for a write.
fn action(write: &Write) -> &'static str {
    match write.operation {
        WriteOperation::Put(_) => "PutItem",
        WriteOperation::Update { .. } => "UpdateItem",
        WriteOperation::Delete(_) => "DeleteItem",
        WriteOperation::Check(_) => "ConditionCheckItem",
    }
}
