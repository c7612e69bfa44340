//! Embedded DynamoDB: the crate `database`. A write is in the write-ahead log (WAL) before it is acknowledged.
//!
//! The functions of this process call it directly. Other processes call DynamoDB's API, which is served here.

mod wal;

use std::fs;
use std::path::Path;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::response::{IntoResponse, Response};
use database::wire::{self, Api};
use database::{Database, MERGE_EVERY, Options};
use domain::time::Time;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use platform::aws::STORAGE_FAILURE;
use serde_json::json;
use tokio::time::interval;
use tokio_util::sync::CancellationToken;

use self::wal::{Loss, WalContent};
use super::storage::{StorageFailure, StorageHealth};
use super::{ServiceOptions, SyncMode};
use crate::data_dir::{DYNAMODB, DataDir, KMS};
use crate::failure::Failure;
use crate::tables::schemas;
use crate::template::SamTemplate;

/// How often expired items are deleted.
const EXPIRE_EVERY: Duration = Duration::from_secs(60);

/// Opens the database with the template's tables.
pub fn open(data: &DataDir, template: &SamTemplate, options: ServiceOptions) -> Result<Database, Failure> {
    let damaged = |cause: String| data.damaged_file(DYNAMODB, cause);
    // The keys are stored after the tables are created.
    let is_used = !data.is_ephemeral() && data.folder().join(KMS).exists();
    let file = data.dynamodb_file();
    if let Some(file) = &file {
        if is_used && !file.exists() {
            return Err(data.missing_file(DYNAMODB));
        }
        if is_used && fs::metadata(file).is_ok_and(|file| file.len() == 0) {
            return Err(damaged("it is empty".to_owned()));
        }
        check_log(file, data)?;
    }
    let ServiceOptions { sync, count_units, .. } = options;
    let options = Options { file, is_used, waits_for_disk: sync == SyncMode::Full, count_units };
    Database::open(options, schemas(template)?).map_err(|error| match error {
        database::Error::Newer(format) => Failure::Newer { file: data.folder().to_owned(), format, version: None },
        error => damaged(error.to_string()),
    })
}

/// Deletes expired items and merges the log, until `stop`.
pub async fn maintain(database: Database, stop: CancellationToken) {
    let (mut expiry, mut merge) = (interval(EXPIRE_EVERY), interval(MERGE_EVERY));
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = merge.tick() => {
                if let Err(cause) = database.merge_log() {
                    tracing::warn!(%cause, "the log of the database cannot be merged; it is tried again at once");
                }
            }
            _ = expiry.tick() => {
                if let Err(cause) = database.delete_expired(Time::now()).await {
                    tracing::warn!(%cause, "expired items cannot be deleted; they are tried again in a minute");
                }
            }
        }
    }
}

/// Refuses a log that has lost acknowledged writes, and logs what a killed process left behind. `SQLite` recovers it
/// silently, and drops what it cannot read.
pub fn check_log(file: &Path, data: &DataDir) -> Result<(), Failure> {
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
    api: Api,
    storage: StorageHealth,
}

/// The maximum size of a request, as in DynamoDB.
const MAX_REQUEST_BYTES: usize = 16 * 1024 * 1024;

/// The router of DynamoDB's API.
pub fn router(database: Database, storage: StorageHealth) -> Router {
    let router = Router::new().fallback(serve).with_state(Served { api: Api::new(database), storage });
    router.layer(DefaultBodyLimit::max(MAX_REQUEST_BYTES))
}

async fn serve(State(Served { api, storage }): State<Served>, headers: HeaderMap, body: Bytes) -> Response {
    let target = headers.get("x-amz-target").and_then(|target| target.to_str().ok()).unwrap_or_default();
    let operation = target.rsplit('.').next().unwrap_or_default();
    let (status, body) = match api.call(operation, &body).await {
        Ok(answer) => {
            if wire::is_write(operation) {
                storage.report_written(DYNAMODB);
            }
            (StatusCode::OK, answer)
        }
        Err(wire::Failure::Refused(refusal)) => (StatusCode::BAD_REQUEST, refusal.to_json().to_string().into()),
        Err(wire::Failure::Database(error)) => failure(&error, &storage),
    };
    (status, [(CONTENT_TYPE, "application/x-amz-json-1.0")], body).into_response()
}

fn failure(error: &database::Error, storage: &StorageHealth) -> (StatusCode, Vec<u8>) {
    let Some(failure) = StorageFailure::of_database(error) else {
        let body = json!({"__type": "InternalServerError", "message": error.to_string()});
        return (StatusCode::INTERNAL_SERVER_ERROR, body.to_string().into());
    };
    storage.report(DYNAMODB, failure);
    // SDK clients do not retry this status; a retry would fail too.
    let body = json!({"__type": STORAGE_FAILURE, "message": format!("{DYNAMODB}: {failure}")});
    (StatusCode::BAD_REQUEST, body.to_string().into())
}
