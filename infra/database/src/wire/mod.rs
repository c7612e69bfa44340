//! DynamoDB's JSON API (`application/x-amz-json-1.0`) over a [`Database`], so that the AWS SDK can call it from other
//! processes. It knows no HTTP: a server passes it the operation and the body of each request.
//!
//! - `gets.rs`, `queries.rs`, `writes.rs`, `transactions.rs` and `descriptions.rs`: the operations;
//! - `expressions/`: the parsers of expressions.

mod capacity;
mod descriptions;
mod expressions;
mod gets;
mod queries;
mod refusal;
mod requests;
#[cfg(test)]
mod tests;
mod transactions;
mod writes;

pub use self::refusal::{Failure, Refusal};
use self::refusal::{TABLE_NOT_FOUND, UNKNOWN_OPERATION};
use self::writes::WriteKind;
use crate::database::Database;
use crate::schema::Stored;

/// The API.
#[derive(Clone)]
pub struct Api {
    database: Database,
}

/// Whether an operation writes items.
pub fn is_write(operation: &str) -> bool {
    matches!(operation, "DeleteItem" | "PutItem" | "TransactWriteItems" | "UpdateItem")
}

impl Api {
    pub fn new(database: Database) -> Self {
        Self { database }
    }

    /// Carries out an operation, and returns its answer as JSON.
    pub async fn call(&self, operation: &str, body: &[u8]) -> Result<Vec<u8>, Failure> {
        let answer = match operation {
            "BatchGetItem" => self.batch_get_item(body)?,
            "DeleteItem" => self.write(WriteKind::Delete, body).await?,
            "DescribeTable" => self.describe_table(body)?,
            "GetItem" => self.get_item(body)?,
            "ListTables" => self.list_tables(body)?,
            "PutItem" => self.write(WriteKind::Put, body).await?,
            "Query" => self.query(body)?,
            "Scan" => self.scan(body)?,
            "TransactWriteItems" => self.transact_write_items(body).await?,
            "UpdateItem" => self.write(WriteKind::Update, body).await?,
            other => {
                let message = format!("the embedded database does not support {other}");
                return Err(Refusal::new(UNKNOWN_OPERATION, message).into());
            }
        };
        Ok(answer.to_string().into_bytes())
    }

    fn table(&self, name: &str) -> Result<&Stored, Refusal> {
        let not_found = |_| Refusal::new(TABLE_NOT_FOUND, format_args!("there is no table {name}"));
        self.database.tables().get(name).map_err(not_found)
    }
}
