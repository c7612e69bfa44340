//! Runs of a thread: a message that waits starts one, and its end lets the next one start.

use super::item::{MessageItem, ThreadItem};
use super::{RESEND_AFTER, Threads};
use crate::attribute::field;
use crate::item::{Item, parse};
use crate::keys;
use crate::table::Table;
use crate::write::Write;
use domain::Result;
use domain::id::{RunId, ThreadId};
use domain::thread::{BusyPolicy, Thread};
use domain::time::Time;

/// The label of the write that links a message with its run. It is refused if the message was deleted.
pub const MESSAGE: &str = "message of the run";
/// The label of the write that gives a thread back at the end of its run.
pub const RUN_END: &str = "thread of the run";

/// A thread as it was read, for the transaction that starts its run.
pub struct StoredThread {
    pub(super) item: ThreadItem,
    pub thread: Thread,
}

impl Threads {
    /// Reads a thread that may need a run.
    pub async fn find(&self, id: ThreadId) -> Result<Option<StoredThread>> {
        let item = self.item(id).await?;
        Ok(item.map(|item| StoredThread { thread: item.clone().into(), item }))
    }

    /// The messages that wait get no run, because nothing can answer them.
    pub async fn drop_waiting(&self, id: ThreadId) -> Result<()> {
        self.change(id, |control| Ok(control.drop_waiting())).await.map(drop)
    }

    /// A message that waits gets no run, because it was erased or has expired.
    pub async fn drop_message(&self, id: ThreadId, number: u64) -> Result<()> {
        self.change(id, |control| Ok(control.drop_message(number))).await.map(drop)
    }

    /// Removes a run that has ended from its thread, if the transaction that ended it did not.
    pub async fn end_run(&self, id: ThreadId, run: RunId) -> Result<()> {
        self.change(id, |control| Ok(control.clone().end_run(run).unwrap_or(control))).await.map(drop)
    }

    /// The writes that start the run of the first message that waits. `number` is the number of that message.
    pub(crate) fn start_run(&self, before: &StoredThread, run: RunId, busy: BusyPolicy, number: u64) -> [Write; 2] {
        let control = before.thread.control.clone().start_run(run, busy);
        let after = before.item.clone().changed(control, None);
        let message = self.journal.update(keys::message(before.thread.id, number)).set(MessageItem::RUN, run);
        [self.save(&before.item, &after), message.require_exists().labeled(MESSAGE)]
    }
}

/// How the end of a run changes its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThreadEnd {
    /// No message waits.
    Idle,
    /// A message waits, so that a worker is needed.
    Due(Time),
}

/// The write that gives a thread back at the end of its run: `ThreadControl::end_run` without a read. It is refused if the
/// thread has another run. `Idle` is also refused if a message waits.
pub fn end_run(entities: &Table, thread: ThreadId, run: RunId, end: ThreadEnd) -> Write {
    let write = entities
        .update(keys::thread(thread))
        .require_is(field!(ThreadItem::CONTROL, run), run)
        .remove(field!(ThreadItem::CONTROL, run));
    let write = write.add(ThreadItem::REV, 1).labeled(RUN_END);
    match end {
        ThreadEnd::Idle => write.require(field!(ThreadItem::CONTROL, waiting).is_missing()),
        ThreadEnd::Due(now) => {
            let due_shard = keys::THREADS_DUE.of(thread.uuid());
            write.set(ThreadItem::DUE_SHARD, due_shard).set(ThreadItem::DUE_AT, now.plus(RESEND_AFTER))
        }
    }
}

/// Whether the thread still has the run. `item` is the stored head that refused its end.
pub fn has_run(item: Item, run: RunId) -> Result<bool> {
    let item: ThreadItem = parse(item)?;
    Ok(item.control.run == Some(run))
}

#[cfg(test)]
#[test]
fn fields_have_their_stored_names() {
    let fields = [field!(ThreadItem::CONTROL, run).path(), field!(ThreadItem::CONTROL, waiting).path()];
    crate::stored_items::require("threads::item::ThreadItem", &fields);
}
