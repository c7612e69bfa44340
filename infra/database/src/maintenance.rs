//! What happens beside the calls: expired items are deleted, and the write-ahead log (WAL) is merged into the file.

use std::fs;
use std::time::Duration;

use domain::time::Time;
use rusqlite::Connection;
use tables::Key;
use tables::attribute::EXPIRES_AT;
use tables::write::{Write, WriteOperation};

use crate::commit::Kind;
use crate::database::Database;
use crate::error::Result;
use crate::schema::Stored;

/// How many expired items are deleted before other calls have their turn.
const PAGE: u32 = 25;
/// How often the log is merged. A lone writer would otherwise do it in the middle of its calls.
pub const MERGE_EVERY: Duration = Duration::from_millis(500);
/// The pages from which the log begins anew. SQLite does so itself if no write comes while it is merged. Each read looks for its
/// page in the log first, which takes longer in a long one.
const MAX_LOG_PAGES: i64 = 8 << 10;
/// The size from which the file of the log is given back when it begins anew.
const MAX_LOG_BYTES: u64 = 64 << 20;

impl Database {
    /// Deletes the items that have expired at `now`, and returns how many. As in DynamoDB, they outlive their expiry, so
    /// readers check it.
    pub async fn delete_expired(&self, now: Time) -> Result<usize> {
        let mut deleted = 0;
        for table in self.tables().all() {
            loop {
                let expired = self.read(|connection| find_expired(connection, table, now))?;
                let is_last = expired.len() < PAGE as usize;
                for key in expired {
                    // An item that was written since then is kept.
                    let delete = Write::new(&table.schema.name, WriteOperation::Delete(key));
                    let delete = delete.require(EXPIRES_AT.is_less_than(now.as_seconds()));
                    deleted += usize::from(self.write(vec![delete], Kind::Single).await?.0.is_written());
                }
                if is_last {
                    break;
                }
                tokio::task::yield_now().await;
            }
        }
        Ok(deleted)
    }

    /// Merges the log into the file while calls go on. Then it begins anew if it is large, for which writers wait: what has
    /// been written meanwhile is little.
    pub fn merge_log(&self) -> Result<()> {
        let Some(file) = self.file() else { return Ok(()) };
        let pages = self.with_maintainer(|connection| checkpoint(connection, "PASSIVE"))?;
        if pages > MAX_LOG_PAGES {
            let log = fs::metadata(format!("{}-wal", file.display())).map_or(0, |log| log.len());
            // The file is used again as it is: the system would give up its cached pages, and take new ones.
            let mode = if log > MAX_LOG_BYTES { "TRUNCATE" } else { "RESTART" };
            self.with_writer(|connection| checkpoint(connection, mode))?;
        }
        Ok(())
    }

    /// Merges the whole log. The file can be copied then.
    pub fn close(&self) -> Result<()> {
        if self.file().is_some() {
            self.with_writer(|connection| checkpoint(connection, "TRUNCATE"))?;
        }
        Ok(())
    }
}

/// Merges the log, and returns how many pages it has.
fn checkpoint(connection: &Connection, mode: &str) -> Result<i64> {
    Ok(connection.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |row| row.get(1))?)
}

fn find_expired(connection: &Connection, table: &Stored, now: Time) -> Result<Vec<Key>> {
    let name = &table.schema.name;
    let sql = format!("SELECT pk, sk FROM \"{name}\" WHERE expires_at < ? ORDER BY expires_at LIMIT ?");
    let mut select = connection.prepare_cached(&sql)?;
    let found = select.query_map((now.as_seconds(), PAGE), |row| Ok(Key { pk: row.get(0)?, sk: row.get(1)? }))?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}
