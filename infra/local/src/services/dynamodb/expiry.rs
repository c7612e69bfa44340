//! Deletes expired items (TTL) every minute. As in DynamoDB, items outlive their expiry, so readers must check it.
//!
//! dynoxide's own sweep parses every item. Here an index on the expiry, in the same `SQLite` database, finds the expired
//! items, so a sweep costs what it deletes. A second connection creates and reads the index; `SQLite` keeps it current.

use std::time::Duration;

use domain::time::Time;
use dynoxide::{Database, DynoxideError};
use rusqlite::{Connection, params};
use serde_json::{Map, Value, json};
use tokio::task::yield_now;
use tokio_util::sync::CancellationToken;

use super::parse;
use crate::template::SamTemplate;

/// How many items are deleted before other calls have their turn.
const PAGE: u32 = 25;

/// The tables whose items expire, and the connection that finds them.
pub struct Expiry {
    connection: Connection,
    database: Database,
    tables: Vec<ExpiringTable>,
}

struct ExpiringTable {
    name: String,
    /// The attribute that holds the expiry, in seconds since 1970.
    attribute: String,
    /// The attributes of the key.
    key: Vec<String>,
}

impl Expiry {
    /// Opens a second connection to the database at `path`, and creates the missing indexes.
    pub fn open(path: &str, database: Database, template: &SamTemplate) -> rusqlite::Result<Self> {
        let connection = Connection::open(path)?;
        let tables = template.tables.iter().filter_map(|(name, properties)| {
            let attribute = properties["TimeToLiveSpecification"]["AttributeName"].as_str()?.to_owned();
            let key = properties["KeySchema"].as_array()?.iter().filter_map(|key| key["AttributeName"].as_str());
            Some(ExpiringTable { name: name.clone(), attribute, key: key.map(str::to_owned).collect() })
        });
        let tables: Vec<_> = tables.collect();
        for table in &tables {
            connection.execute_batch(&table.create_index())?;
        }
        Ok(Self { connection, database, tables })
    }

    /// Sweeps now and then every minute, until `stop`.
    pub async fn run(mut self, stop: CancellationToken) {
        let mut minutes = tokio::time::interval(Duration::from_secs(60));
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = minutes.tick() => {}
            }
            if let Err(cause) = self.sweep(Time::now()).await {
                tracing::warn!(%cause, "expired items cannot be deleted; they are tried again in a minute");
            }
        }
    }

    /// Deletes the items that have expired at `now`, and returns how many.
    pub async fn sweep(&mut self, now: Time) -> Result<usize, String> {
        let mut deleted = 0;
        for table in 0..self.tables.len() {
            loop {
                let page = self.delete_page(&self.tables[table], now)?;
                deleted += page;
                if page < PAGE as usize {
                    break;
                }
                yield_now().await;
            }
        }
        Ok(deleted)
    }

    fn delete_page(&self, table: &ExpiringTable, now: Time) -> Result<usize, String> {
        let expired = self.find_expired(table, now).map_err(|error| error.to_string())?;
        for key in &expired {
            // An item that was written since then is kept.
            let delete = parse(json!({
                "TableName": table.name,
                "Key": key,
                "ConditionExpression": "#expiry < :now",
                "ExpressionAttributeNames": {"#expiry": table.attribute},
                "ExpressionAttributeValues": {":now": {"N": now.as_seconds().to_string()}},
            }))?;
            match self.database.delete_item(delete) {
                Ok(_) | Err(DynoxideError::ConditionalCheckFailedException(..)) => {}
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(expired.len())
    }

    /// The keys of the next expired items.
    fn find_expired(&self, table: &ExpiringTable, now: Time) -> rusqlite::Result<Vec<Map<String, Value>>> {
        let mut statement = self.connection.prepare_cached(&table.select_expired())?;
        let keys = statement.query_map(params![now.as_seconds(), PAGE], |row| {
            let values = table.key.iter().enumerate().map(|(column, name)| {
                let value: String = row.get(column)?;
                Ok((name.clone(), serde_json::from_str(&value).unwrap_or_default()))
            });
            values.collect()
        })?;
        keys.collect()
    }
}

impl ExpiringTable {
    /// The expiry as `SQLite` reads it from an item.
    fn expiry(&self) -> String {
        format!("json_extract(item_json, '$.{}.N')", self.attribute)
    }

    fn create_index(&self) -> String {
        let (name, expiry) = (&self.name, self.expiry());
        format!(
            "CREATE INDEX IF NOT EXISTS \"{name}::expiry\" ON \"{name}\" (CAST({expiry} AS INTEGER)) \
             WHERE {expiry} IS NOT NULL"
        )
    }

    fn select_expired(&self) -> String {
        let (name, expiry) = (&self.name, self.expiry());
        let key: Vec<_> =
            self.key.iter().map(|attribute| format!("json_extract(item_json, '$.{attribute}')")).collect();
        format!(
            "SELECT {} FROM \"{name}\" WHERE {expiry} IS NOT NULL AND CAST({expiry} AS INTEGER) BETWEEN 0 AND ?1 - 1 \
             LIMIT ?2",
            key.join(", ")
        )
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;
    use crate::data_dir::DataDir;
    use crate::services::SyncMode;

    const TABLE: &str = "JournalTable";
    const NOW: i64 = 1_800_000_000;

    fn now() -> Time {
        Time::from_millis(NOW * 1000)
    }

    /// Puts items that expire at `expiry`, under the keys of the numbers.
    fn put(database: &Database, numbers: std::ops::Range<i64>, expiry: &Value) {
        for number in numbers {
            let (pk, at) = (format!("ORG#{number}"), number.to_string());
            let item = json!({"pk": {"S": pk}, "sk": {"S": "A"}, "listed_in": {"S": pk}, "listed_at": {"S": at}});
            let mut put = json!({"TableName": TABLE, "Item": item});
            put["Item"]["expires_at"] = expiry.clone();
            database.put_item(parse(put).unwrap()).unwrap();
        }
    }

    fn count(database: &Database, index: Option<&str>) -> usize {
        let scan = json!({"TableName": TABLE, "IndexName": index});
        serde_json::to_value(database.scan(parse(scan).unwrap()).unwrap()).unwrap()["Count"].as_u64().unwrap() as usize
    }

    /// The steps of `SQLite` in a sweep that finds nothing: each row that it reads takes some.
    fn idle_steps(expiry: &Expiry) -> i32 {
        let take_steps = |table: &ExpiringTable| {
            let statement = expiry.connection.prepare_cached(&table.select_expired()).unwrap();
            statement.reset_status(StatementStatus::VmStep)
        };
        let steps = expiry.tables.iter().map(|table| {
            take_steps(table);
            assert_eq!(expiry.find_expired(table, now()).unwrap(), []);
            take_steps(table)
        });
        steps.sum()
    }

    #[tokio::test]
    async fn a_sweep_deletes_what_expired_and_reads_nothing_else() {
        let template = SamTemplate::read();
        let stored = DataDir::temporary().unwrap();
        for data in [DataDir::temporary().unwrap(), DataDir::open(&stored.folder().join("data")).unwrap()] {
            let (database, mut expiry) = super::super::open(&data, &template, SyncMode::Normal).unwrap();
            let number = |n: i64| json!({"N": n.to_string()});
            put(&database, 0..30, &number(NOW));
            let steps = idle_steps(&expiry);
            put(&database, 30..800, &number(NOW + 1));
            put(&database, 800..810, &json!({"S": "1"}));
            assert_eq!(idle_steps(&expiry), steps, "a sweep reads items that have not expired");

            put(&database, 1000..1060, &number(NOW - 1));
            put(&database, 1060..1063, &number(5));
            put(&database, 0..2, &number(NOW - 1));
            assert_eq!(expiry.sweep(now()).await, Ok(65));
            assert_eq!((count(&database, None), count(&database, Some("listed"))), (808, 808));
            assert_eq!(idle_steps(&expiry), steps);
        }
    }
}
