//! Runs of workflows. The item of a run is the truth about who holds it; its log is the truth about what happened. A queue
//! message, the hint, only says that a run may need a worker.
//!
//! A process holds a run from its claim until it parks, hands over or ends it, at most until `claimed_until`. Every write
//! of a holder requires that the run still has the holder's `epoch`, so a process that lost its run changes nothing.

mod arrival;
mod calls;
mod claim;
mod controls;
mod due;
mod ending;
mod erasing;
mod events;
mod hold;
mod items;
mod list;
mod open_reviews;
mod parts;
mod results;
mod retry;
mod reviews;
mod run_keys;
mod scheduled;
mod sealing;
mod start;
mod start_key;
mod threaded;
mod trees;
mod values;

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::item::parse;
use super::keys;
use super::query::TableQuery;
use super::table::Table;
use super::write::Write;
use domain::id::{Id, RunId, WorkflowId};
use domain::identity::Account;
use domain::run::{ExchangeDetector, Run, RunEvent};
use domain::time::{Clock, Time};
use domain::{Error, Result};
use items::{LogItem, RunItem};
pub use list::RunFilter;
use parts::MAX_TRANSACTION_BYTES;
use platform::bucket::Bucket;
use platform::queue::Queue;
use platform::run_news::{RunNews, RunWatcher};
use platform::telemetry::Telemetry;
use platform::{Context, config};
use sealing::RunKey;

pub use claim::{Claim, ClaimedRun};
pub use events::{EventReader, NumberedEvent};
pub use hold::RunHold;
pub use items::ReviewState;
pub use open_reviews::ListedReview;
pub use results::ShownValue;
pub use reviews::OpenReview;
pub use sealing::KeyVault;
pub use start::Started;
pub use start_key::StartKey;
pub use trees::{MAX_CAUSED_RUNS, RunTrees};

/// If nobody claims a queued run within this time, the ticker sends its hint again.
const RESEND_AFTER: Duration = Duration::from_secs(60);
/// The label of the writes to the parent of a run. They are refused if the parent has ended or no longer waits.
const PARENT: &str = "parent of the run";

/// A message of `QUEUE_RUNS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunHint {
    pub run_id: RunId,
}

#[derive(Clone)]
pub struct Runs {
    entities: Table,
    counters: Table,
    journal: Table,
    bucket: Bucket,
    queue: Queue,
    clock: Clock,
    max_transaction_bytes: usize,
    vault: Option<Arc<dyn KeyVault>>,
    news: Option<RunNews>,
    telemetry: Telemetry,
}

impl Runs {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            entities: Table::new(context, config::TABLE_ENTITIES)?,
            counters: Table::new(context, config::TABLE_COUNTERS)?,
            journal: Table::new(context, config::TABLE_JOURNAL)?,
            bucket: Bucket::new(context, config::BUCKET_FILES)?,
            queue: Queue::new(context, config::QUEUE_RUNS)?,
            clock: context.clock.clone(),
            max_transaction_bytes: MAX_TRANSACTION_BYTES,
            vault: None,
            news: context.run_news.clone(),
            telemetry: context.telemetry.clone(),
        })
    }

    /// Divides what holders store into smaller transactions, which makes crashes between them likely.
    pub fn with_small_transactions(self, max_bytes: usize) -> Self {
        Self { max_transaction_bytes: max_bytes, ..self }
    }

    /// Begins to watch a run; `None` if the worker is another process.
    pub fn watch(&self, id: RunId) -> Option<RunWatcher> {
        Some(self.news.as_ref()?.watch(id))
    }

    pub async fn find(&self, id: RunId) -> Result<Option<Run>> {
        Ok(self.item(id).await?.map(Run::from))
    }

    /// Reads a run of a workflow of the account.
    pub async fn get(&self, account: Account, workflow: WorkflowId, id: RunId) -> Result<Run> {
        self.find_of(account, workflow, id).await?.ok_or(Error::NotFound { kind: RunId::KIND })
    }

    /// Reads a run, if it belongs to the workflow of the account.
    pub async fn find_of(&self, account: Account, workflow: WorkflowId, id: RunId) -> Result<Option<Run>> {
        let run = self.find(id).await?;
        Ok(run.filter(|run| run.account == account && run.workflow == workflow))
    }

    async fn item(&self, id: RunId) -> Result<Option<RunItem>> {
        let item: Option<RunItem> = self.entities.get(&keys::run(id)).await?.map(parse).transpose()?;
        Ok(item.filter(|item| !item.has_expired(self.now())))
    }

    /// Reads the whole log of a run, with its large values. Masked parts are hidden.
    pub async fn log(&self, id: RunId) -> Result<Vec<RunEvent>> {
        self.read_log(id, None).await
    }

    /// Reads the whole log of a run that this process holds, with its masked parts.
    pub async fn held_log(&self, hold: &mut RunHold) -> Result<Vec<RunEvent>> {
        hold.key = self.open_key(hold.id(), hold.sealed_key.clone()).await?;
        let log = self.read_log(hold.id(), hold.key.as_ref()).await?;
        hold.exchanges = ExchangeDetector::default();
        for event in &log {
            hold.exchanges.detect(&event.kind);
        }
        Ok(log)
    }

    /// Reads the whole log of a run that is to be repeated, with its masked parts.
    pub async fn log_to_repeat(&self, id: RunId) -> Result<Vec<RunEvent>> {
        let item = self.item(id).await?.ok_or(Error::NotFound { kind: RunId::KIND })?;
        let key = self.required_key(&item).await?;
        self.read_log(id, key.as_ref()).await
    }

    async fn read_log(&self, id: RunId, key: Option<&RunKey>) -> Result<Vec<RunEvent>> {
        let parts = self.journal.query_all(TableQuery::partition(keys::run_log(id))).await?;
        let mut events = Vec::new();
        for part in parts {
            events.extend(parse::<LogItem>(part)?.events(key)?);
        }
        self.load_values(&mut events, key).await?;
        Ok(events)
    }

    /// The write that wakes a run, so that a worker claims it again. It requires that the run has not ended.
    fn wake(&self, id: RunId, now: Time) -> Write {
        self.entities
            .update(keys::run(id))
            .require_exists()
            .require(RunItem::ENDED_AT.is_missing())
            .add(RunItem::WAKES, 1)
            .set(RunItem::DUE_SHARD, keys::RUNS_DUE.of(id.uuid()))
            .set(RunItem::DUE_AT, now)
    }

    /// Notifies the workers that a run will need one of them after this time, at most 15 minutes.
    pub async fn send_hint(&self, run_id: RunId, after: Duration) {
        self.queue.send_hint(&RunHint { run_id }, after).await;
    }

    fn now(&self) -> Time {
        self.clock.now()
    }
}
