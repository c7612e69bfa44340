//! DynamoDB: dynoxide on SQLite. Every acknowledged write is in its log before the answer leaves.

use std::time::Duration;

use dynoxide::Database;
use dynoxide::actions::create_table::CreateTableRequest;
use dynoxide::actions::describe_table::DescribeTableRequest;
use dynoxide::actions::update_time_to_live::UpdateTimeToLiveRequest;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::data_dir::DataDir;
use crate::failure::Failure;
use crate::template::Template;

/// What CloudFormation says of a table that `CreateTable` takes too.
const TAKEN: [&str; 4] = ["AttributeDefinitions", "KeySchema", "LocalSecondaryIndexes", "GlobalSecondaryIndexes"];

pub fn start(
    listener: TcpListener,
    data: &DataDir,
    template: &Template,
    stop: CancellationToken,
) -> Result<(), Failure> {
    let database = match data.dynamodb_file() {
        None => Database::memory(),
        Some(file) => Database::new(&file.to_string_lossy()),
    };
    let damaged = |cause| data.damaged("dynamodb.sqlite", cause);
    let database = database.map_err(damaged)?;
    // Its other effect: a commit is in the log when it is acknowledged, and on the disk at the next checkpoint. A killed
    // process loses nothing by that, and no write waits for the disk.
    database.disable_bulk_loading().map_err(damaged)?;
    for (name, properties) in &template.tables {
        create_table(&database, data, name, properties)?;
    }
    tokio::spawn(sweep(database.clone(), stop.clone()));
    tokio::spawn(async move {
        if let Err(error) = dynoxide::server::serve_with_shutdown(listener, database, stop.cancelled_owned()).await {
            tracing::error!(error, "the embedded DynamoDB ended");
        }
    });
    Ok(())
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
async fn sweep(database: Database, stop: CancellationToken) {
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
