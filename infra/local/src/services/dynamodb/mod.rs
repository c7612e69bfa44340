//! Embedded DynamoDB, by dynoxide on SQLite. A write is in SQLite's write-ahead log (WAL) before it is acknowledged.
//!
//! dynoxide's own server does not check signatures, so it is not used: calls are served here, behind the gate.

mod calls;
mod expiry;
mod tokens;
mod wal;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::response::{IntoResponse, Response};
use dynoxide::actions::create_table::CreateTableRequest;
use dynoxide::actions::describe_table::DescribeTableRequest;
use dynoxide::actions::update_time_to_live::UpdateTimeToLiveRequest;
use dynoxide::{Database, DynoxideError};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use platform::aws::STORAGE_FAILURE;
use serde_json::{Value, json};
use uuid::Uuid;

use self::expiry::Expiry;
use self::tokens::Tokens;
use self::wal::{Loss, WalContent};
use super::storage::{StorageFailure, StorageHealth};
use super::{ACCOUNT, REGION, SyncMode};
use crate::data_dir::{DYNAMODB, DataDir, KMS};
use crate::failure::Failure;
use crate::template::SamTemplate;

/// The properties of a table that CloudFormation and `CreateTable` share.
const SHARED_PROPERTIES: [&str; 4] =
    ["AttributeDefinitions", "KeySchema", "LocalSecondaryIndexes", "GlobalSecondaryIndexes"];

/// Opens the database, creates the template's tables in it, and prepares the deletion of expired items.
pub fn open(data: &DataDir, template: &SamTemplate, sync: SyncMode) -> Result<(Database, Expiry), Failure> {
    let damaged = |cause: String| data.damaged_file(DYNAMODB, cause);
    // The keys are stored after the tables are created.
    let is_used = !data.is_ephemeral() && data.folder().join(KMS).exists();
    let path = match data.dynamodb_file() {
        // A name, so that a second connection can be opened.
        None => format!("file:atelier-{}?mode=memory&cache=shared", Uuid::now_v7().simple()),
        Some(file) => {
            if is_used && !file.exists() {
                return Err(data.missing_file(DYNAMODB));
            }
            if is_used && fs::metadata(&file).is_ok_and(|file| file.len() == 0) {
                return Err(damaged("it is empty".to_owned()));
            }
            check_log(&file, data)?;
            file.to_string_lossy().into_owned()
        }
    };
    let database = Database::new(&path).map_err(|error| damaged(error.to_string()))?;
    if is_used && database.table_count().is_ok_and(|count| count == 0) {
        return Err(damaged("it holds no tables".to_owned()));
    }
    if sync == SyncMode::Normal {
        // This call also sets `PRAGMA synchronous = NORMAL`: a commit is in the log when it is acknowledged, and is
        // synced to the disk at the next checkpoint, so a killed process loses nothing. `Full` syncs each commit.
        database.disable_bulk_loading().map_err(|error| damaged(error.to_string()))?;
    }
    for (name, properties) in &template.tables {
        create_table(&database, data, name, properties)?;
    }
    let expiry = Expiry::open(&path, database.clone(), template).map_err(|error| damaged(error.to_string()))?;
    Ok((database, expiry))
}

/// Refuses a log that has lost acknowledged writes, and logs what a killed process left behind. `SQLite` recovers it
/// silently, and drops what it cannot read.
fn check_log(file: &Path, data: &DataDir) -> Result<(), Failure> {
    let WalContent { pages, transactions, loss } =
        wal::inspect(file).map_err(|cause| data.damaged_file(&format!("{DYNAMODB}-wal"), cause))?;
    let cause = match loss {
        Some(Loss::Pages(lost)) => format!("its write-ahead log holds {pages} pages, and {lost} more are missing"),
        Some(Loss::Unknown) => format!("its write-ahead log is damaged after {pages} pages"),
        None => {
            if pages > 0 {
                tracing::info!(
                    "{DYNAMODB}: the last process did not stop cleanly; {transactions} writes ({pages} pages) are \
                     recovered from the log"
                );
            }
            return Ok(());
        }
    };
    if !data.accepts_loss() {
        return Err(data.lost_writes(DYNAMODB, cause));
    }
    tracing::warn!("{DYNAMODB} has lost acknowledged writes ({cause}); the platform starts without them");
    Ok(())
}

#[derive(Clone)]
struct Served {
    database: Database,
    tokens: Arc<Tokens>,
    storage: StorageHealth,
}

/// The maximum size of a request, as in DynamoDB.
const MAX_REQUEST_BYTES: usize = 16 * 1024 * 1024;

/// The router of DynamoDB's API.
pub fn router(database: Database, storage: StorageHealth) -> Router {
    let router = Router::new().fallback(serve).with_state(Served { database, tokens: Arc::default(), storage });
    router.layer(DefaultBodyLimit::max(MAX_REQUEST_BYTES))
}

async fn serve(State(served): State<Served>, headers: HeaderMap, body: Bytes) -> Response {
    let Served { database, tokens, storage } = served;
    let target = headers.get("x-amz-target").and_then(|target| target.to_str().ok()).unwrap_or_default();
    let operation = target.rsplit('.').next().unwrap_or_default();
    let (status, body) = match calls::call(&database, &tokens, operation, &body) {
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

fn refusal(error: &DynoxideError, storage: &StorageHealth) -> (StatusCode, Vec<u8>) {
    let status = StatusCode::from_u16(error.status_code()).unwrap_or(StatusCode::BAD_REQUEST);
    match StorageFailure::from_sqlite(&error.to_string()).filter(|_| status.is_server_error()) {
        Some(failure) => {
            storage.report(DYNAMODB, failure);
            // SDK clients do not retry this status; a retry would fail too.
            let body = json!({"__type": STORAGE_FAILURE, "message": format!("{DYNAMODB}: {failure}")});
            (StatusCode::BAD_REQUEST, body.to_string().into())
        }
        None => (status, error.to_json().into()),
    }
}

/// Stores a tag in the database: it names the KMS key that encrypts the secrets, without which they are lost.
pub fn write_tag(database: &Database, table: &str, name: &str, value: &str) -> Result<(), Failure> {
    let request = parse(json!({"ResourceArn": arn(table), "Tags": [{"Key": name, "Value": value}]}));
    let tagged = request.and_then(|request| database.tag_resource(request).map_err(|error| error.to_string()));
    tagged.map(drop).map_err(|cause| Failure::Template { resource: table.to_owned(), cause })
}

/// The value of a tag that `write_tag` stored.
pub fn read_tag(database: &Database, table: &str, name: &str) -> Option<String> {
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
    for property in SHARED_PROPERTIES.into_iter().filter(|property| !properties[*property].is_null()) {
        request[property] = properties[property].clone();
    }
    let existing: DescribeTableRequest = parse(json!({"TableName": name})).map_err(failed)?;
    if let Ok(table) = database.describe_table(existing) {
        let table = serde_json::to_value(table).unwrap_or_default();
        return match indexes(&table["Table"]) == indexes(properties) {
            true => Ok(()),
            false => Err(data.outdated_table(name)),
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

/// The sorted names of a table's indexes. They differ if another version of the platform created the table.
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
