//! What the ticker does with the index `due`, which lists unfinished work by the time of its next hint.

use std::future::Future;

use futures::stream::{self, StreamExt};

use super::attribute::Attribute;
use super::item::Item;
use super::keys::{DueShards, Key};
use super::query::{Range, TableIndex, TableQuery};
use super::table::Table;
use domain::Result;
use domain::time::Time;

/// The partition key of the index.
pub(super) const DUE_SHARD: Attribute<String> = Attribute::new("due_shard");
/// The time of the next hint, the sort key of the index.
pub(super) const DUE_AT: Attribute<Time> = Attribute::new("due_at");
/// The number of hints that are sent concurrently.
const AT_ONCE: usize = 16;

/// Sends hints and returns their number. If one cannot be sent, the others are still sent. The first error is returned at
/// the end, and the next tick tries again.
pub async fn send_all<T, F>(due: Vec<T>, send: impl Fn(T) -> F) -> Result<usize>
where
    F: Future<Output = Result<()>>,
{
    let total = due.len();
    let sent = stream::iter(due).map(send).buffer_unordered(AT_ONCE);
    let all_sent = sent.fold(Ok(()), async |before: Result<()>, sent| before.and(sent)).await;
    all_sent.map(|()| total)
}

impl Table {
    /// Reads what is due at a time: at most `limit` items in each shard of the due index.
    pub async fn query_due(&self, shards: DueShards, by: Time, limit: u32) -> Result<Vec<Item>> {
        let mut items = Vec::new();
        for shard in shards.all() {
            let index = Some(TableIndex::global("due", DUE_SHARD));
            let range = Some(Range::between(DUE_AT, Time::from_millis(0), by));
            let query = TableQuery { index, range, limit: Some(limit), ..TableQuery::partition(shard) };
            items.extend(self.query(&query).await?.items);
        }
        Ok(items)
    }

    /// Notes that the hint of an item was sent, so that the next tick does not send it again. Does nothing if the item has
    /// another due time by now.
    pub async fn postpone(&self, key: Key, due_at: Time, until: Time) -> Result<()> {
        let later = self.update(key).require_is(DUE_AT, due_at).set(DUE_AT, until);
        self.write(later).await.map(drop)
    }
}
