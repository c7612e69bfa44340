//! Batches: the requests of a file, which workers make part by part.
//!
//! - `create` stores a batch and sends its hint.
//! - `claim` gives the batch to one worker, for the time of one part. A worker that crashes keeps it until then.
//! - Each claim has the next `epoch`. Every write of a worker requires its own, so a worker that has lost the batch changes nothing.
//! - `commit` stores how far the batch has come, together with the names of the objects that have the results. So each line has
//!   one result.
//! - `end` stores the end of the batch with its files, in one transaction.
//! - A batch that has not ended is in the due index. `send_due` sends its hint again.

use std::time::Duration;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::backoff::Backoff;
use super::batch_item::BatchItem;
use super::due::send_all;
use super::files::{self, JSON_LINES};
use super::item::{Item, parse};
use super::keys::{self, Key};
use super::quota;
use super::slice::slice;
use super::table::{Table, WriteOutcome};
use super::write::Write;
use domain::batch::{
    BATCH_KEPT, Batch, BatchOrder, BatchProblem, BatchProgress, BatchState, BatchTimes, MAX_UNFINISHED,
};
use domain::file::{FilePart, FilePurpose, StoredFile};
use domain::id::{BatchId, FileId, Id};
use domain::identity::Account;
use domain::page::{Order, Slice};
use domain::time::{Clock, Time};
use domain::{Error, Result};
use platform::bucket::Bucket;
use platform::queue::Queue;
use platform::{Context, config};

/// The time after which the ticker sends the hint of a batch again.
const RESEND_AFTER: Duration = Duration::from_secs(60);
/// How long a worker has a batch. It is longer than a part takes with the calls that it has started, and longer than another
/// worker must wait to take over one of these calls.
pub const CLAIMED_FOR: Duration = Duration::from_secs(540);

/// The content of a message of `QUEUE_BATCHES`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchHint {
    pub account: Account,
    pub batch: BatchId,
}

#[derive(Clone)]
pub struct Batches {
    counters: Table,
    bucket: Bucket,
    hints: Queue,
    clock: Clock,
}

impl Batches {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            counters: Table::new(context, config::TABLE_COUNTERS)?,
            bucket: Bucket::new(context, config::BUCKET_FILES)?,
            hints: Queue::new(context, config::QUEUE_BATCHES)?,
            clock: context.clock.clone(),
        })
    }

    /// Stores a new batch with a copy of its input, unless its user has the maximum number of batches that have not ended.
    pub async fn create(&self, order: BatchOrder, input: Bytes) -> Result<Batch> {
        let key = keys::batch(order.account, order.id);
        let hint = BatchHint { account: order.account, batch: order.id };
        self.bucket.put(&order.input, JSON_LINES, input.into()).await?;
        let item = BatchItem {
            pk: key.pk,
            sk: key.sk,
            state: BatchState::Validating,
            times: BatchTimes::default(),
            epoch: 0,
            owned_until: None,
            progress: BatchProgress::default(),
            problems: None,
            output_file: None,
            error_file: None,
            due_shard: Some(keys::BATCHES_DUE.of(order.id.uuid())),
            due_at: Some(order.created_at.plus(RESEND_AFTER)),
            expires_at: order.created_at.plus(BATCH_KEPT).as_seconds(),
            order,
        };
        let unfinished = keys::unfinished_batches(hint.account);
        let more = quota::increment(&self.counters, unfinished, MAX_UNFINISHED);
        let created = self.counters.transact(Uuid::now_v7(), &[self.counters.put_new(&item), more]).await?;
        if let WriteOutcome::Refused(refused) = created
            && refused.label == quota::LABEL
        {
            self.bucket.discard(&item.order.input).await;
            let message =
                format!("a user has at most {MAX_UNFINISHED} batches that have not ended; wait for one, or cancel one");
            return Err(Error::Conflict { code: "too_many_batches", message });
        }
        self.hints.send_hint(&hint, Duration::ZERO).await;
        Ok(item.into())
    }

    pub async fn find(&self, account: Account, id: BatchId) -> Result<Batch> {
        let item = self.item(account, id).await?;
        item.map(Batch::from).ok_or(Error::NotFound { kind: BatchId::KIND })
    }

    async fn item(&self, account: Account, id: BatchId) -> Result<Option<BatchItem>> {
        let item: Option<BatchItem> = self.counters.get(&keys::batch(account, id)).await?.map(parse).transpose()?;
        // TTL deletes items late.
        Ok(item.filter(|item| item.expires_at > self.clock.now().as_seconds()))
    }

    /// A page of the batches of an account, the newest first, after a batch.
    pub async fn list(&self, account: Account, after: Option<BatchId>, limit: u32) -> Result<Slice<Batch>> {
        let after = after.map(|id| id.to_string());
        let Slice { items, next } =
            slice(&self.counters, keys::batches(account), "", Order::Desc, limit, after).await?;
        let items = items.into_iter().map(parse::<BatchItem>).collect::<Result<Vec<_>>>()?;
        let now = self.clock.now().as_seconds();
        let read = items.len();
        let kept: Vec<Batch> = items.into_iter().filter(|item| item.expires_at > now).map(Batch::from).collect();
        // The expired ones are the oldest, so the list ends before them.
        let next = next.filter(|_| kept.len() == read);
        Ok(Slice { items: kept, next })
    }

    /// Cancels a batch that has not ended. Its worker stops after the calls that it has started.
    pub async fn cancel(&self, account: Account, id: BatchId) -> Result<Batch> {
        let mut backoff = Backoff::short();
        loop {
            let batch = self.find(account, id).await?;
            if batch.state == BatchState::Cancelling {
                return Ok(batch);
            }
            if !batch.state.may_cancel() {
                let message = format!("a batch that is {} cannot be cancelled", batch.state.as_str());
                return Err(Error::invalid_state(message));
            }
            let now = self.clock.now();
            let (state, times) = (BatchState::Cancelling, batch.times.with(BatchState::Cancelling, now));
            let cancel = self
                .counters
                .update(keys::batch(account, id))
                .set(BatchItem::STATE, state)
                .set(BatchItem::TIMES, times)
                .set(BatchItem::DUE_AT, now.plus(RESEND_AFTER))
                .require_is(BatchItem::STATE, batch.state);
            if self.counters.write(cancel).await?.is_written() {
                self.hints.send_hint(&BatchHint { account, batch: id }, Duration::ZERO).await;
                return Ok(Batch { state, times, ..batch });
            }
            backoff.next("the batch has changed").await?;
        }
    }

    /// Gives the batch to a worker. None if it has ended, or if another worker has it.
    pub async fn claim(&self, BatchHint { account, batch }: BatchHint) -> Result<Option<Batch>> {
        let Some(found) = self.item(account, batch).await? else { return Ok(None) };
        if found.state.has_ended() {
            return Ok(None);
        }
        let (now, epoch) = (self.clock.now(), found.epoch + 1);
        let until = now.plus(CLAIMED_FOR);
        let claim = self
            .counters
            .update(keys::batch(account, batch))
            .set(BatchItem::EPOCH, epoch)
            .set(BatchItem::OWNED_UNTIL, until)
            .set(BatchItem::DUE_AT, until)
            .require_is(BatchItem::EPOCH, found.epoch)
            .require_is(BatchItem::STATE, found.state)
            .require(BatchItem::OWNED_UNTIL.is_missing().or(BatchItem::OWNED_UNTIL.is_at_most(now)));
        let is_claimed = self.counters.write(claim).await?.is_written();
        Ok(is_claimed.then(|| Batch { epoch, ..found.into() }))
    }

    /// The input of a batch.
    pub async fn read_input(&self, order: &BatchOrder) -> Result<Bytes> {
        let input = self.bucket.get(&order.input).await?;
        input.ok_or_else(|| Error::internal("the input of a batch is missing in the bucket"))
    }

    /// Stores results in an object, before the write that refers to it. `earlier` is put before them, and replaced by that object.
    pub async fn store_results(
        &self,
        order: &BatchOrder,
        earlier: Option<&FilePart>,
        results: Vec<u8>,
    ) -> Result<FilePart> {
        let content = match earlier {
            None => results,
            Some(part) => {
                let earlier = self.bucket.get(&part.object).await?;
                let earlier = earlier.ok_or_else(|| Error::internal("results of a batch are missing in the bucket"))?;
                [&earlier[..], &results].concat()
            }
        };
        // Each object has a new name, so a worker that has lost the batch replaces nothing.
        let part = FilePart { object: object_name(order.account, order.id), bytes: content.len() as u64 };
        self.bucket.put(&part.object, JSON_LINES, content).await?;
        Ok(part)
    }

    /// Deletes an object to which nothing refers any more.
    pub async fn discard(&self, object: &str) {
        self.bucket.discard(object).await;
    }

    /// Moves a batch to its next state. Does nothing if another worker has it, or if it is not in the state that was read.
    pub async fn advance(&self, batch: &Batch, state: BatchState, progress: Option<BatchProgress>) -> Result<()> {
        let times = batch.times.with(state, self.clock.now());
        let mut write = self.held(batch).require_is(BatchItem::STATE, batch.state);
        write = write.set(BatchItem::STATE, state).set(BatchItem::TIMES, times);
        if let Some(progress) = &progress {
            write = write.set(BatchItem::PROGRESS, progress);
        }
        self.counters.write(write).await.map(drop)
    }

    /// Stores how far the batch has come, for the worker that has it. With a delay, the worker gives the batch back, and the next
    /// one gets its hint after it. False if another worker has it.
    pub async fn commit(&self, batch: &Batch, progress: &BatchProgress, next: Option<Duration>) -> Result<bool> {
        let mut write = self.held(batch).set(BatchItem::PROGRESS, progress);
        if let Some(delay) = next {
            write = write.remove(BatchItem::OWNED_UNTIL);
            write = write.set(BatchItem::DUE_AT, self.clock.now().plus(delay).plus(RESEND_AFTER));
        }
        let is_written = self.counters.write(write).await?.is_written();
        if let Some(delay) = next.filter(|_| is_written) {
            let hint = BatchHint { account: batch.order.account, batch: batch.order.id };
            self.hints.send_hint(&hint, delay).await;
        }
        Ok(is_written)
    }

    /// Ends a batch, and stores the files of its results. False if another worker has it, or if it is not in the state that was
    /// read.
    pub async fn end(
        &self,
        batch: &Batch,
        state: BatchState,
        progress: BatchProgress,
        problems: Vec<BatchProblem>,
    ) -> Result<bool> {
        let (now, account) = (self.clock.now(), batch.order.account);
        let output = output_file(&batch.order, "output", progress.output.clone(), now);
        let errors = output_file(&batch.order, "errors", progress.errors.clone(), now);
        // The files name the objects from now on.
        let progress = BatchProgress { output: Vec::new(), errors: Vec::new(), ..progress };
        let problems = Some(problems).filter(|problems| !problems.is_empty());
        let end = self
            .held(batch)
            .require_is(BatchItem::STATE, batch.state)
            .set(BatchItem::STATE, state)
            .set(BatchItem::TIMES, batch.times.with(state, now))
            .set(BatchItem::PROGRESS, progress)
            .set_or_remove(BatchItem::PROBLEMS, problems)
            .set_or_remove(BatchItem::OUTPUT_FILE, output.as_ref().map(|file| file.id))
            .set_or_remove(BatchItem::ERROR_FILE, errors.as_ref().map(|file| file.id))
            .remove(BatchItem::OWNED_UNTIL)
            .remove(BatchItem::DUE_SHARD)
            .remove(BatchItem::DUE_AT);
        let mut writes = vec![end, quota::decrement(&self.counters, keys::unfinished_batches(account))];
        let written: Vec<StoredFile> = output.into_iter().chain(errors).collect();
        writes.extend(written.iter().map(|file| files::put_write(&self.counters, account, file)));
        if !written.is_empty() {
            let number = i32::try_from(written.len()).unwrap_or_default();
            writes.push(quota::add(&self.counters, keys::file_count(account), number));
        }
        let is_written = self.counters.transact(Uuid::now_v7(), &writes).await?.is_written();
        if is_written {
            self.bucket.discard(&batch.order.input).await;
        }
        Ok(is_written)
    }

    /// A write of the worker that has the batch.
    fn held(&self, batch: &Batch) -> Write {
        let key = keys::batch(batch.order.account, batch.order.id);
        self.counters.update(key).require_is(BatchItem::EPOCH, batch.epoch)
    }

    /// Sends the hints of the batches that are due, at most `limit` in each shard.
    pub async fn send_due(&self, now: Time, limit: u32) -> Result<usize> {
        let due = self.counters.query_due(keys::BATCHES_DUE, now, limit).await?;
        send_all(due, async |item| {
            self.send_again(&item, now).await.inspect_err(|error| {
                tracing::warn!(?error, "the hint of a due batch could not be sent; the next tick tries again");
            })
        })
        .await
    }

    async fn send_again(&self, due: &Item, now: Time) -> Result<()> {
        let key = Key::from_item(due).ok_or_else(|| Error::internal("a due batch has no key"))?;
        let (account, batch) = keys::read_batch(&key)?;
        // The index lags, so the batch is read again.
        let due_at = self.item(account, batch).await?.and_then(|item| item.due_at).filter(|due_at| *due_at <= now);
        let Some(due_at) = due_at else { return Ok(()) };
        self.hints.send_hint(&BatchHint { account, batch }, Duration::ZERO).await;
        self.counters.postpone(key, due_at, now.plus(RESEND_AFTER)).await
    }
}

/// A new name of an object of a batch. A lifecycle rule of the bucket deletes it after its file has expired.
pub fn object_name(account: Account, batch: BatchId) -> String {
    format!("batches/{}/{batch}/{}.jsonl", account.org, Uuid::now_v7())
}

/// The file that a batch has written, if it has any content.
fn output_file(order: &BatchOrder, kind: &str, parts: Vec<FilePart>, now: Time) -> Option<StoredFile> {
    (!parts.is_empty()).then(|| StoredFile {
        id: FileId::new(),
        name: format!("{}_{kind}.jsonl", order.id),
        purpose: FilePurpose::BatchOutput,
        parts,
        created_at: now,
        expires_at: StoredFile::expiry(now, order.output_kept_s),
    })
}
