//! Jobs that generate images.
//!
//! - `create` stores a job and sends its hint. The lease of the job then lasts as long as the job may take.
//! - `claim` gives the job to one worker, for the time of one attempt. A worker that crashes keeps it until then.
//! - A success is written with its charge, in one transaction, while the worker still has the job. So each job is charged
//!   at most once, and never if it failed.
//! - `fail` ends a job without a charge, and gives its lease back. No charge can follow, because the job has ended.
//! - A job that has not ended is in the due index. `send_due` sends its hint again, and fails it at its deadline.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::claims::{Claim, Claims, StoredAnswer};
use super::due::DUE_AT;
use super::image_job_item::{ImageJobItem, end_write};
use super::item::parse;
use super::keys::{self, Key};
use super::leases::Leases;
use super::table::{Table, WriteOutcome};
use domain::id::ImageJobId;
use domain::identity::Account;
use domain::image::{ImageFailure, ImageJob, ImageJobEnd, ImageOrder, JOB_KEPT};
use domain::lease::{LONGEST_CALL, Lease};
use domain::ledger::Spent;
use domain::time::{Clock, Time};
use domain::{Error, Result};
use platform::queue::Queue;
use platform::{Context, config};

/// The time after which the ticker sends the hint of a job again.
const RESEND_AFTER: Duration = Duration::from_secs(60);
/// How long a worker has a job. It is longer than the call of the provider, and as long as the timeout of the function.
pub const ATTEMPT: Duration = LONGEST_CALL;

/// The content of a message of `QUEUE_IMAGES`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageHint {
    pub account: Account,
    pub job: ImageJobId,
}

#[derive(Clone)]
pub struct ImageJobs {
    counters: Table,
    leases: Leases,
    hints: Queue,
    clock: Clock,
}

impl ImageJobs {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            counters: Table::new(context, config::TABLE_COUNTERS)?,
            leases: Leases::new(context)?,
            hints: Queue::new(context, config::QUEUE_IMAGES)?,
            clock: context.clock.clone(),
        })
    }

    /// Stores a new job, and extends its lease. With an idempotency key it stores the answer, which names the job. Returns
    /// false if another request has taken over the key.
    pub async fn create(&self, order: ImageOrder, claim: Option<(&Claim, &StoredAnswer)>) -> Result<bool> {
        const ANSWER: &str = "answer";
        const LEASE: &str = "lease";
        let hint = ImageHint { account: order.account, job: order.id };
        let key = keys::image_job(order.account, order.id);
        let lease = self.counters.update(keys::lease(order.account.org, order.lease));
        // The lease outlives the job, so the sweep closes it only if nobody else does.
        let lease = lease.set(DUE_AT, order.deadline().plus(LONGEST_CALL)).require_exists();
        let item = ImageJobItem {
            pk: key.pk,
            sk: key.sk,
            attempt: 0,
            owned_until: None,
            finished_at: None,
            end: None,
            due_shard: Some(keys::IMAGES_DUE.of(order.id.uuid())),
            due_at: Some(order.created_at.plus(RESEND_AFTER)),
            expires_at: order.created_at.plus(JOB_KEPT).as_seconds(),
            order,
        };
        let mut writes = vec![lease.labeled(LEASE), self.counters.put_new(&item)];
        if let Some((claim, answer)) = claim {
            writes.push(Claims::answer_write(&self.counters, claim, answer).labeled(ANSWER));
        }
        match self.counters.transact(Uuid::now_v7(), &writes).await? {
            WriteOutcome::Refused(refused) if refused.label == ANSWER => return Ok(false),
            WriteOutcome::Refused(refused) if refused.label == LEASE => {
                return Err(Error::busy("the lease of a new job has ended"));
            }
            // The id is new, so an earlier attempt of this transaction wrote the job.
            WriteOutcome::Written | WriteOutcome::Refused(_) => {}
        }
        self.hints.send_hint(&hint, Duration::ZERO).await;
        Ok(true)
    }

    pub async fn find(&self, account: Account, id: ImageJobId) -> Result<Option<ImageJob>> {
        Ok(self.item(account, id).await?.map(ImageJob::from))
    }

    async fn item(&self, account: Account, id: ImageJobId) -> Result<Option<ImageJobItem>> {
        let item: Option<ImageJobItem> =
            self.counters.get(&keys::image_job(account, id)).await?.map(parse).transpose()?;
        // TTL deletes items late.
        Ok(item.filter(|item| item.expires_at > self.clock.now().as_seconds()))
    }

    /// Gives the job to a worker. None if it has ended, or if another worker has it.
    pub async fn claim(&self, ImageHint { account, job }: ImageHint) -> Result<Option<ImageJob>> {
        let Some(found) = self.find(account, job).await? else { return Ok(None) };
        let (now, attempt) = (self.clock.now(), found.attempt + 1);
        if found.end.is_some() || self.fail_late(&found, ATTEMPT, now).await? {
            return Ok(None);
        }
        let until = now.plus(ATTEMPT);
        let claim = self
            .counters
            .update(keys::image_job(account, job))
            .set(ImageJobItem::ATTEMPT, attempt)
            .set(ImageJobItem::OWNED_UNTIL, until)
            .set(ImageJobItem::DUE_AT, until)
            .require_is(ImageJobItem::ATTEMPT, found.attempt)
            .require(ImageJobItem::OWNED_UNTIL.is_missing().or(ImageJobItem::OWNED_UNTIL.is_at_most(now)))
            .require(ImageJobItem::FINISHED_AT.is_missing());
        let is_claimed = self.counters.write(claim).await?.is_written();
        Ok(is_claimed.then_some(ImageJob { attempt, ..found }))
    }

    /// The lease of a job. None if the sweep has closed it.
    pub async fn lease(&self, order: &ImageOrder) -> Result<Option<Lease>> {
        self.leases.find(order.account.org, order.lease).await
    }

    /// Ends a job without a charge, unless it has ended or another worker has begun it. A request with the same
    /// idempotency key then starts a new job.
    pub async fn fail(&self, job: &ImageJob, failure: ImageFailure, now: Time) -> Result<()> {
        let order = &job.order;
        let mut writes = vec![end_write(&self.counters, job, &ImageJobEnd::Failed(failure), now)];
        if let Some(key) = &order.idempotency_key {
            writes.push(self.counters.delete(keys::call(order.account, key)));
        }
        if !self.counters.write_all(Uuid::now_v7(), writes).await?.is_written() {
            return Ok(());
        }
        // No call can record a charge any more, because the job has ended.
        match self.lease(order).await? {
            Some(lease) => self.leases.close(&lease, &Spent::default(), &[], now).await.map(drop),
            None => Ok(()),
        }
    }

    /// Fails a job that cannot be done before its deadline, if it takes this long. Returns whether it cannot.
    async fn fail_late(&self, job: &ImageJob, takes: Duration, now: Time) -> Result<bool> {
        let is_late = now.plus(takes) > job.order.deadline();
        if is_late {
            self.fail(job, ImageFailure::timeout(), now).await?;
        }
        Ok(is_late)
    }

    /// Sends the hints of the jobs that are due, at most `limit` in each shard, and fails those whose time is over.
    pub async fn send_due(&self, now: Time, limit: u32) -> Result<usize> {
        let mut sent = 0;
        for item in self.counters.query_due(keys::IMAGES_DUE, now, limit).await? {
            let key = Key::from_item(&item).ok_or_else(|| Error::internal("a due job has no key"))?;
            let (account, job) = keys::read_image_job(&key)?;
            let hint = ImageHint { account, job };
            if let Err(error) = self.send_again(hint, now).await {
                tracing::warn!(?error, job_id = %hint.job, "a job that is due failed; the next tick tries again");
            }
            sent += 1;
        }
        Ok(sent)
    }

    async fn send_again(&self, hint: ImageHint, now: Time) -> Result<()> {
        // The index lags, so the job is read again.
        let Some(item) = self.item(hint.account, hint.job).await? else { return Ok(()) };
        let Some(due_at) = item.due_at.filter(|due_at| *due_at <= now) else { return Ok(()) };
        if self.fail_late(&item.into(), Duration::ZERO, now).await? {
            return Ok(());
        }
        self.hints.send_hint(&hint, Duration::ZERO).await;
        let key = keys::image_job(hint.account, hint.job);
        self.counters.postpone(key, due_at, now.plus(RESEND_AFTER)).await
    }
}
