//! Erases what a run has stored, when its owner asks for it. The head stays as the record that the run took place.
//!
//! The request only marks the run, which hides its values at once. A worker then deletes them. The run stays due until
//! that is done, so the ticker repeats it after a crash.

use std::time::Duration;

use futures::future::try_join_all;

use super::items::{CalledRunItem, RunItem};
use super::{RESEND_AFTER, Runs};
use crate::item::parse;
use crate::keys::{self, Key};
use crate::query::{Range, TableQuery};
use crate::table::Table;
use crate::webhook_events;
use domain::id::{Id, RunId};
use domain::run::Run;
use domain::{Error, Result};

impl Runs {
    /// Marks a run that has ended as erased. A repeated request changes nothing.
    pub async fn erase(&self, id: RunId) -> Result<()> {
        let item = self.item(id).await?.ok_or(Error::NotFound { kind: RunId::KIND })?;
        if item.erased_at.is_some() {
            return Ok(());
        }
        if let Some(parent) = &item.parent
            && self.item(parent.run).await?.is_some_and(|parent| !parent.state.has_ended())
        {
            // The run that has started this one still needs its output.
            return Err(Error::invalid_state("the run that started this one is in progress; stop it first"));
        }
        let error = item.error.clone();
        Run::from(item).check_erasable()?;
        let now = self.now();
        let mut mark = self.entities.update(keys::run(id)).set(RunItem::ERASED_AT, now);
        if let Some(mut error) = error {
            // The message of a `fail` node may have values of the run.
            "the message was erased".clone_into(&mut error.message);
            mark = mark.set(RunItem::ERROR, error);
        }
        let mark =
            mark.set(RunItem::DUE_SHARD, keys::RUNS_DUE.of(id.uuid())).set(RunItem::DUE_AT, now.plus(RESEND_AFTER));
        self.entities
            .write(mark.require(RunItem::ENDED_AT.exists()))
            .await?
            .or_error(|_| Error::NotFound { kind: RunId::KIND })?;
        self.send_hint(id, Duration::ZERO).await;
        Ok(())
    }

    /// Does what is left to do for a run that has ended: stops the runs that it has started, deletes what was erased,
    /// and deletes the key of its masked parts when its time is over.
    pub async fn clean_up(&self, id: RunId) -> Result<()> {
        let Some(item) = self.item(id).await? else { return Ok(()) };
        let range = Range::beginning(keys::CALLED_RUN);
        let query = TableQuery { range: Some(range), ..TableQuery::partition(keys::run_items(id)) };
        let calls = self.entities.query_all(query).await?.into_iter().map(parse::<CalledRunItem>);
        let calls = calls.collect::<Result<Vec<_>>>()?;
        let open: Vec<RunId> = calls.iter().filter(|call| !call.has_ended).map(|call| call.run_id).collect();
        self.stop_all(&open).await?;
        if item.erased_at.is_some() {
            for call in &calls {
                match self.erase(call.run_id).await {
                    Ok(()) | Err(Error::NotFound { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
            self.delete_values(&item).await?;
        }
        let done = self.entities.update(keys::run(id));
        let done = match self.key_deadline(&item).await? {
            Some(at) => done.set(RunItem::DUE_SHARD, keys::RUNS_DUE.of(id.uuid())).set(RunItem::DUE_AT, at),
            None => done.remove(RunItem::DUE_SHARD).remove(RunItem::DUE_AT).remove(RunItem::SECRETS),
        };
        let done = done.require(RunItem::ENDED_AT.exists()).require_same(RunItem::ERASED_AT, item.erased_at);
        self.entities.write(done).await.map(drop)
    }

    async fn delete_values(&self, item: &RunItem) -> Result<()> {
        let id = item.run_id;
        self.bucket.delete_all(&format!("{}/{id}/", item.retention.object_prefix())).await?;
        if let Some((webhook, event)) = item.webhook_event {
            webhook_events::erase(&self.journal, &self.bucket, webhook, event).await?;
        }
        let head = keys::run(id);
        let others = |partition: String, table: &Table| delete_partition(table.clone(), partition, head.clone());
        try_join_all([others(keys::run_log(id), &self.journal), others(keys::run_items(id), &self.entities)]).await?;
        Ok(())
    }
}

/// Deletes the items of a partition except one.
async fn delete_partition(table: Table, partition: String, kept: Key) -> Result<()> {
    let items = table.query_all(TableQuery::partition(partition)).await?;
    for key in items.iter().filter_map(Key::from_item).filter(|key| *key != kept) {
        table.remove(&key).await?;
    }
    Ok(())
}
