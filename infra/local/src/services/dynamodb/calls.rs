//! Dispatches the supported operations of DynamoDB to the embedded database.

use dynoxide::{Database, DynoxideError};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::tokens::Tokens;

/// Runs an operation, and returns its response as JSON.
pub fn call(database: &Database, tokens: &Tokens, operation: &str, body: &[u8]) -> Result<Vec<u8>, DynoxideError> {
    match operation {
        "BatchGetItem" => answer(body, |request| database.batch_get_item(request)),
        "BatchWriteItem" => answer(body, |request| database.batch_write_item(request)),
        "DeleteItem" => answer(body, |request| database.delete_item(request)),
        "DescribeTable" => answer(body, |request| database.describe_table(request)),
        "DescribeTimeToLive" => answer(body, |request| database.describe_time_to_live(request)),
        "GetItem" => answer(body, |request| database.get_item(request)),
        "ListTables" => answer(body, |request| database.list_tables(request)),
        "PutItem" => answer(body, |request| database.put_item(request)),
        "Query" => answer(body, |request| database.query(request)),
        "Scan" => answer(body, |request| database.scan(request)),
        "TransactGetItems" => answer(body, |request| database.transact_get_items(request)),
        "TransactWriteItems" => answer(body, |request| tokens.transact(database, request)),
        "UpdateItem" => answer(body, |request| database.update_item(request)),
        other => Err(DynoxideError::ValidationException(format!("the embedded DynamoDB does not support {other}"))),
    }
}

/// Whether an operation changes the stored data.
pub fn is_write(operation: &str) -> bool {
    matches!(operation, "BatchWriteItem" | "DeleteItem" | "PutItem" | "TransactWriteItems" | "UpdateItem")
}

fn answer<I: DeserializeOwned, O: Serialize>(
    body: &[u8],
    execute: impl FnOnce(I) -> Result<O, DynoxideError>,
) -> Result<Vec<u8>, DynoxideError> {
    let unreadable = |error: serde_json::Error| DynoxideError::SerializationException(error.to_string());
    let answer = execute(serde_json::from_slice(body).map_err(unreadable)?)?;
    serde_json::to_vec(&answer).map_err(|error| DynoxideError::InternalServerError(error.to_string()))
}
