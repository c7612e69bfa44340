//! Finds the threads and erasures that are due, and sends their hints again.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::erasing::ErasureHint;
use super::item::ThreadItem;
use super::running::StoredThread;
use super::{ThreadHint, Threads};
use crate::due::send_all;
use crate::item::parse;
use crate::keys::{self, DueShards, Key};
use domain::Result;
use domain::time::Time;

/// The ticker inspects an item again after this time, unless a worker takes it up.
const AGAIN_AFTER: Duration = Duration::from_secs(5 * 60);

#[derive(Deserialize)]
struct DueItem {
    pk: String,
    sk: String,
    due_at: Time,
}

impl Threads {
    /// Sends the hints of the threads and erasures that are due: at most `limit` in each shard. The index lags, so a thread
    /// may have no work any more: then the worker does nothing. Returns the number of hints.
    pub async fn send_due(&self, now: Time, limit: u32) -> Result<usize> {
        let thread = |key: &Key| Ok(ThreadHint { thread_id: keys::read_id(keys::THREAD, &key.pk)? });
        let erasure = |key: &Key| {
            let (workflow_id, participant_id) = keys::read_participant(key)?;
            Ok(ErasureHint { workflow_id, participant_id })
        };
        let (threads, postponed, erasures) = futures::join!(
            self.send_hints(keys::THREADS_DUE, thread, now, limit),
            self.send_hints(keys::POSTPONED_THREADS_DUE, thread, now, limit),
            self.send_hints(keys::ERASURES_DUE, erasure, now, limit),
        );
        Ok(threads? + postponed? + erasures?)
    }

    async fn send_hints<H: Serialize>(
        &self,
        shards: DueShards,
        hint: impl Fn(&Key) -> Result<H>,
        now: Time,
        limit: u32,
    ) -> Result<usize> {
        let due = self.entities.query_due(shards, now, limit).await?;
        send_all(due, async |item| {
            let DueItem { pk, sk, due_at } = parse(item)?;
            let key = Key { pk, sk };
            // The message is sent first. A crash between the two calls then duplicates the message instead of losing it.
            self.queue.send(&hint(&key)?).await?;
            self.entities.postpone(key, due_at, now.plus(AGAIN_AFTER)).await
        })
        .await
    }

    /// Moves a thread that nobody can answer for now, because its workflow is paused, to other shards. It stays due there,
    /// and even very many such threads do not delay the others.
    pub async fn postpone(&self, stored: &StoredThread) -> Result<()> {
        let StoredThread { item, thread } = stored;
        let shard = keys::POSTPONED_THREADS_DUE.of(thread.id.uuid());
        if item.due_shard.is_none() || item.due_shard.as_ref() == Some(&shard) {
            return Ok(());
        }
        // If the thread has changed, the write is refused, and a worker inspects the thread again.
        let postponed = self.entities.update(keys::thread(thread.id)).require_is(ThreadItem::REV, item.rev);
        self.entities.write(postponed.set(ThreadItem::DUE_SHARD, shard)).await.map(drop)
    }
}
