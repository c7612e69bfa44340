//! The repository of threads: conversations on messaging channels.
//!
//! The head of a thread has its control (`domain::thread::ThreadControl`), which decides who answers and which message
//! comes next. Each change of it requires the revision that was read, or the run that it ends. A thread that needs a worker
//! is due, and a queue message, the hint, wakes one. If the hint is lost, the ticker sends it again.

mod due;
mod erasing;
mod exports;
mod failures;
mod item;
mod list;
mod messages;
mod operators;
mod participants;
mod receive;
mod running;
mod sending;
mod traces;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::item::parse;
use super::keys;
use super::revision::{self, Attempts};
use super::table::{Table, WriteOutcome};
use super::write::Write;
use domain::id::{Id, ThreadId, WorkflowId};
use domain::identity::Account;
use domain::thread::{Thread, ThreadControl};
use domain::time::{Clock, Time};
use domain::{Error, Result};
use item::ThreadItem;
use platform::bucket::Bucket;
use platform::queue::Queue;
use platform::{Context, config};

pub(super) use erasing::mark_all_erased;
pub use erasing::{ErasureHint, ErasureMark};
pub use list::ThreadFilter;
pub use messages::NewMessages;
pub use participants::{ParticipantSummary, ThreadLink};
pub use receive::Inbox;
pub use running::StoredThread;
pub(super) use running::{MESSAGE, RUN_END, ThreadEnd, end_run, has_run};
pub use sending::{Delivery, SendStart};
pub use traces::{ThreadErasure, ThreadTraces};

/// If no worker takes up a thread within this time, the ticker sends its hint again.
const RESEND_AFTER: Duration = Duration::from_secs(60);

/// A message of `QUEUE_RUNS`: a thread needs a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadHint {
    pub thread_id: ThreadId,
}

#[derive(Clone)]
pub struct Threads {
    entities: Table,
    journal: Table,
    bucket: Bucket,
    queue: Queue,
    clock: Clock,
}

impl Threads {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            entities: Table::new(context, config::TABLE_ENTITIES)?,
            journal: Table::new(context, config::TABLE_JOURNAL)?,
            bucket: Bucket::new(context, config::BUCKET_FILES)?,
            queue: Queue::new(context, config::QUEUE_RUNS)?,
            clock: context.clock.clone(),
        })
    }

    /// Reads a thread of a workflow of the account.
    pub async fn get(&self, account: Account, workflow: WorkflowId, id: ThreadId) -> Result<Thread> {
        self.item_of(account, workflow, id).await.map(Thread::from)
    }

    async fn item_of(&self, account: Account, workflow: WorkflowId, id: ThreadId) -> Result<ThreadItem> {
        let item = self.item(id).await?.filter(|item| item.account() == account && item.workflow == workflow);
        item.ok_or(GONE)
    }

    async fn item(&self, id: ThreadId) -> Result<Option<ThreadItem>> {
        Ok(self.item_or_erased(id).await?.filter(|item| item.is_shown(self.now())))
    }

    /// Reads a thread that may be being deleted.
    async fn item_or_erased(&self, id: ThreadId) -> Result<Option<ThreadItem>> {
        let item: Option<ThreadItem> = self.entities.get(&keys::thread(id)).await?.map(parse).transpose()?;
        Ok(item.filter(|item| !item.has_expired(self.now())))
    }

    /// Notifies the workers that a thread needs a run.
    async fn send_hint(&self, thread_id: ThreadId) {
        self.queue.send_hint(&ThreadHint { thread_id }, Duration::ZERO).await;
    }

    /// Changes the control of a thread.
    async fn change(
        &self,
        id: ThreadId,
        change: impl Fn(ThreadControl) -> Result<ThreadControl>,
    ) -> Result<ThreadItem> {
        let change = |before: &ThreadItem| {
            let control = change(before.control.clone())?;
            let due_at = self.due_at(&control);
            Ok((control != before.control).then(|| before.clone().changed(control, due_at)))
        };
        self.change_head(id, change).await
    }

    /// Changes the head of a thread, unless `change` returns none. If it was changed meanwhile, `change` decides again.
    async fn change_head(
        &self,
        id: ThreadId,
        change: impl Fn(&ThreadItem) -> Result<Option<ThreadItem>>,
    ) -> Result<ThreadItem> {
        let mut attempts = Attempts::to_change(ThreadId::KIND);
        loop {
            let before = self.item(id).await?.ok_or(GONE)?;
            let Some(after) = change(&before)? else { return Ok(before) };
            if self.was_saved(&self.entities.write(self.save(&before, &after)).await?, &after)? {
                return Ok(after);
            }
            attempts.next().await?;
        }
    }

    /// The write of a changed head. It is refused if the head has changed since it was read.
    fn save(&self, before: &ThreadItem, after: &ThreadItem) -> Write {
        let write = self.entities.put(after).require_is(revision::REV, before.rev);
        write.labeled(revision::ENTITY)
    }

    fn was_saved(&self, outcome: &WriteOutcome, after: &ThreadItem) -> Result<bool> {
        revision::was_written(outcome, after.write_id)
    }

    /// When the ticker sends the hint of a thread with this control.
    fn due_at(&self, control: &ThreadControl) -> Option<Time> {
        let is_due = control.needs_run() || control.interrupted_run().is_some();
        is_due.then(|| self.now().plus(RESEND_AFTER))
    }

    fn now(&self) -> Time {
        self.clock.now()
    }
}

const GONE: Error = Error::NotFound { kind: ThreadId::KIND };
