//! DynamoDB: dynoxide on SQLite. Every acknowledged write is in its log before the answer leaves.
//!
//! dynoxide's own server takes anybody's calls, so it is not used: the calls are served here, behind the gate.

mod calls;
mod wal;

use std::path::Path;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use dynoxide::actions::create_table::CreateTableRequest;
use dynoxide::actions::describe_table::DescribeTableRequest;
use dynoxide::actions::update_time_to_live::UpdateTimeToLiveRequest;
use dynoxide::{Database, DynoxideError};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::storage::{Storage, Trouble};
use super::{ACCOUNT, REGION, SyncMode};
use crate::data_dir::{DYNAMODB, DataDir, KMS};
use crate::failure::Failure;
use crate::template::Template;

/// What CloudFormation says of a table that `CreateTable` takes too.
const TAKEN: [&str; 4] = ["AttributeDefinitions", "KeySchema", "LocalSecondaryIndexes", "GlobalSecondaryIndexes"];

/// Opens the database and makes the template's tables in it.
pub fn open(data: &DataDir, template: &Template, sync: SyncMode) -> Result<Database, Failure> {
    let damaged = |cause| data.damaged(DYNAMODB, cause);
    let database = match data.dynamodb_file() {
        None => Database::memory(),
        Some(file) => {
            // The database is made before the keys: where only they are, it was there.
            if !file.exists() && data.folder().join(KMS).exists() {
                return Err(data.missing(DYNAMODB));
            }
            log_leftover(&file);
            Database::new(&file.to_string_lossy())
        }
    };
    let database = database.map_err(damaged)?;
    if sync == SyncMode::Normal {
        // Its other effect: a commit is in the log when it is acknowledged, and on the disk at the next checkpoint. A
        // killed process loses nothing by that, and no write waits for the disk. Without it, each commit is synced.
        database.disable_bulk_loading().map_err(damaged)?;
    }
    for (name, properties) in &template.tables {
        create_table(&database, data, name, properties)?;
    }
    Ok(database)
}

/// Says what a process that did not stop cleanly left behind: SQLite recovers it silently, and drops what is cut.
fn log_leftover(file: &Path) {
    match wal::inspect(file) {
        Ok(wal::Leftover { lost_pages, pages, .. }) if lost_pages > 0 => tracing::error!(
            "{DYNAMODB}: the log of the database was cut: it holds {pages} pages, and {lost_pages} pages of acknowledged \
             writes are lost; if you have a copy of the data folder, stop and restore it"
        ),
        Ok(wal::Leftover { pages: 0, .. }) => {}
        Ok(wal::Leftover { pages, transactions, .. }) => tracing::info!(
            "{DYNAMODB}: the last process did not stop cleanly; {transactions} writes ({pages} pages) are recovered from the log"
        ),
        Err(cause) => tracing::warn!(%cause, "{DYNAMODB}: its log cannot be read"),
    }
}

#[derive(Clone)]
struct Served {
    database: Database,
    storage: Storage,
}

/// The calls of DynamoDB, as its clients make them.
pub fn router(database: Database, storage: Storage) -> Router {
    Router::new().fallback(serve).with_state(Served { database, storage })
}

async fn serve(State(Served { database, storage }): State<Served>, headers: HeaderMap, body: Bytes) -> Response {
    let target = headers.get("x-amz-target").and_then(|target| target.to_str().ok()).unwrap_or_default();
    let operation = target.rsplit('.').next().unwrap_or_default();
    let (status, body) = match calls::call(&database, operation, &body) {
        Ok(answer) => {
            if calls::is_write(operation) {
                storage.report_written(DYNAMODB);
            }
            (StatusCode::OK, answer)
        }
        Err(error) => refusal(&error, &storage),
    };
    (status, [(CONTENT_TYPE, "application/x-amz-json-1.0")], body).into_response()
}

fn refusal(error: &DynoxideError, storage: &Storage) -> (StatusCode, Vec<u8>) {
    let status = StatusCode::from_u16(error.status_code()).unwrap_or(StatusCode::BAD_REQUEST);
    match Trouble::of_sqlite(&error.to_string()).filter(|_| status.is_server_error()) {
        Some(trouble) => {
            storage.report(DYNAMODB, trouble);
            // A status that clients do not retry: it would only take longer.
            let body = json!({"__type": "StorageFailure", "message": format!("{DYNAMODB}: {trouble}")});
            (StatusCode::BAD_REQUEST, body.to_string().into())
        }
        None => (status, error.to_json().into()),
    }
}

/// Notes in the database itself what it cannot do without: the key by which its secrets are encrypted.
pub fn note(database: &Database, table: &str, name: &str, value: &str) -> Result<(), Failure> {
    let request = parse(json!({"ResourceArn": arn(table), "Tags": [{"Key": name, "Value": value}]}));
    let tagged = request.and_then(|request| database.tag_resource(request).map_err(|error| error.to_string()));
    tagged.map(drop).map_err(|cause| Failure::Template { resource: table.to_owned(), cause })
}

/// What was noted under that name.
pub fn noted(database: &Database, table: &str, name: &str) -> Option<String> {
    let tags = database.list_tags_of_resource(parse(json!({"ResourceArn": arn(table)})).ok()?).ok()?;
    let tag = tags.tags.into_iter().find(|tag| tag.key == name)?;
    Some(tag.value)
}

fn arn(table: &str) -> String {
    format!("arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{table}")
}

fn create_table(database: &Database, data: &DataDir, name: &str, properties: &Value) -> Result<(), Failure> {
    let failed = |cause: String| Failure::Template { resource: name.to_owned(), cause };
    let mut request = json!({"TableName": name, "BillingMode": "PAY_PER_REQUEST"});
    for property in TAKEN.into_iter().filter(|property| !properties[*property].is_null()) {
        request[property] = properties[property].clone();
    }
    let existing: DescribeTableRequest = parse(json!({"TableName": name})).map_err(failed)?;
    if let Ok(table) = database.describe_table(existing) {
        let table = serde_json::to_value(table).unwrap_or_default();
        return match indexes(&table["Table"]) == indexes(properties) {
            true => Ok(()),
            false => Err(data.outdated(name)),
        };
    }
    let request: CreateTableRequest = parse(request).map_err(failed)?;
    database.create_table(request).map_err(|error| failed(error.to_string()))?;
    if let Some(attribute) = properties["TimeToLiveSpecification"]["AttributeName"].as_str() {
        let ttl = json!({"TableName": name, "TimeToLiveSpecification": {"AttributeName": attribute, "Enabled": true}});
        let ttl: UpdateTimeToLiveRequest = parse(ttl).map_err(failed)?;
        database.update_time_to_live(ttl).map_err(|error| failed(error.to_string()))?;
    }
    Ok(())
}

/// The names of a table's indexes: what a later version of the platform adds to.
fn indexes(table: &Value) -> Vec<String> {
    let lists = ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"].map(|list| table[list].as_array().cloned());
    let indexes = lists.into_iter().flatten().flatten();
    let mut names: Vec<_> = indexes.map(|index| index["IndexName"].to_string()).collect();
    names.sort();
    names
}

fn parse<T: serde::de::DeserializeOwned>(request: Value) -> Result<T, String> {
    serde_json::from_value(request).map_err(|error| error.to_string())
}

/// Deletes what has expired, as DynamoDB does: late, and for tidiness only.
pub async fn sweep(database: Database, stop: CancellationToken) {
    let mut minutes = tokio::time::interval(Duration::from_secs(60));
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = minutes.tick() => {}
        }
        let database = database.clone();
        let _ = tokio::task::spawn_blocking(move || database.sweep_ttl()).await;
    }
}
