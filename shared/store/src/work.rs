//! A transactional outbox: the item of a work is written in the transaction that makes the work necessary. A queue
//! message, the hint, only carries its id. The item stays in the due index until the work is done. The ticker sends the
//! hint again when the work is due, so a lost message, a failed send and a crashed worker are all retried.

use std::time::Duration;

use attributes::Attributes;
use serde::{Deserialize, Serialize};

use super::item::parse;
use super::keys;
use super::table::Table;
use super::write::Write;
use domain::id::{OrgId, UserId, WorkId};
use domain::identity::Account;
use domain::reference::Reference;
use domain::time::Time;
use domain::{Error, Result};
use platform::queue::Queue;
use platform::{Context, config};

/// The time after which the ticker sends the hint of a work item again. It is longer than the queue's redeliveries
/// take.
const RESEND_AFTER: Duration = Duration::from_secs(60);

/// The content of a message of `QUEUE_ATTENTION`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkHint {
    pub work_id: WorkId,
}

/// The queue that notifies the attention worker of work.
#[derive(Clone)]
pub struct Hints {
    queue: Queue,
}

impl Hints {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { queue: Queue::new(context, config::QUEUE_ATTENTION)? })
    }

    /// Sends the hints of work items that were just written.
    pub async fn send_all(&self, works: impl IntoIterator<Item = WorkId>) {
        for work_id in works {
            self.queue.send_hint(&WorkHint { work_id }, Duration::ZERO).await;
        }
    }

    pub async fn send(&self, work_id: WorkId) -> Result<()> {
        self.queue.send(&WorkHint { work_id }).await
    }
}

/// A deleted entity, whose dependents must be notified.
#[derive(Clone, Debug, PartialEq)]
pub struct DeletedEntity {
    pub account: Account,
    pub reference: Reference,
}

/// A work item, and its progress.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    pub id: WorkId,
    pub task: Task,
    /// The sort key of the last dependent that was notified.
    pub last_notified: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// Notify the dependents that an entity was deleted.
    Gone(DeletedEntity),
    /// Bring the lists of the users of a shared workflow or agent up to date.
    Relist(Account, Reference),
    /// Check whether a model is callable at a time, such as its retirement, and notify its dependents of the result.
    Model { name: String, at: Time },
}

#[derive(Serialize, Deserialize, Attributes)]
struct WorkItem {
    pk: String,
    sk: String,
    work_id: WorkId,
    due_shard: String,
    due_at: Time,
    /// The owner of the entity. A model has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owner: Option<(OrgId, UserId)>,
    reference: Reference,
    at: Time,
    #[serde(rename = "told", default, skip_serializing_if = "Option::is_none")]
    last_notified: Option<String>,
    /// The entity changed and was not deleted; its users' lists must show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    relist: Option<bool>,
}

#[derive(Clone)]
pub struct Works {
    table: Table,
}

/// The work that a deletion makes necessary. It belongs in the transaction of the deletion.
pub(super) fn deletion_work(table: &Table, id: WorkId, deleted: &DeletedEntity) -> Write {
    let DeletedEntity { account: Account { org, user }, reference } = deleted;
    let at = Time::from_uuid(id.uuid());
    table.put(&item(id, Some((*org, *user)), reference.clone(), at, at.plus(RESEND_AFTER)))
}

/// The work that a change of a shared entity makes necessary. It belongs in the transaction of the change.
pub(super) fn relist_work(table: &Table, id: WorkId, home: Account, reference: Reference) -> Write {
    let at = Time::from_uuid(id.uuid());
    let item = item(id, Some((home.org, home.user)), reference, at, at.plus(RESEND_AFTER));
    table.put(&WorkItem { relist: Some(true), ..item })
}

/// The work that checks a model, now or at a later time. It belongs in the transaction of the model's change.
pub(super) fn model_check_work(table: &Table, id: WorkId, name: &str, at: Time) -> Write {
    // The writer sends the hint of a check that is due now. The ticker sends the hint of a later check, when it is due.
    let due_at = if at <= Time::from_uuid(id.uuid()) { at.plus(RESEND_AFTER) } else { at };
    table.put(&item(id, None, Reference::Model(name.to_owned()), at, due_at))
}

fn item(id: WorkId, owner: Option<(OrgId, UserId)>, reference: Reference, at: Time, due_at: Time) -> WorkItem {
    let key = keys::work(id);
    let due_shard = keys::WORKS_DUE.of(id.uuid());
    let (pk, sk) = (key.pk, key.sk);
    WorkItem { pk, sk, work_id: id, due_shard, due_at, owner, reference, at, last_notified: None, relist: None }
}

impl Works {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { table: Table::new(context, config::TABLE_ENTITIES)? })
    }

    /// Finds a work item, `None` when the work is done.
    pub async fn find(&self, id: WorkId) -> Result<Option<Work>> {
        let Some(item) = self.table.get(&keys::work(id)).await? else { return Ok(None) };
        let WorkItem { owner, reference, at, last_notified, relist, .. } = parse(item)?;
        let task = match (owner, reference) {
            (Some((org, user)), reference) if relist.is_some() => Task::Relist(Account { org, user }, reference),
            (Some((org, user)), reference) => Task::Gone(DeletedEntity { account: Account { org, user }, reference }),
            (None, Reference::Model(name)) => Task::Model { name, at },
            (None, _) => return Err(Error::internal("the work of an entity has no owner")),
        };
        Ok(Some(Work { id, task, last_notified }))
    }

    /// Saves the progress of the work. A retry continues after this dependent.
    pub async fn save_progress(&self, id: WorkId, last: &str) -> Result<()> {
        let noted = self.table.update(keys::work(id)).set(WorkItem::LAST_NOTIFIED, last).require_exists();
        self.table.write(noted).await.map(drop)
    }

    pub async fn finish(&self, id: WorkId) -> Result<()> {
        self.table.remove(&keys::work(id)).await
    }

    /// Finds work that is due, so its hint must be sent again: at most `limit` items in each shard.
    pub async fn due(&self, now: Time, limit: u32) -> Result<Vec<WorkId>> {
        let items = self.table.query_due(keys::WORKS_DUE, now, limit).await?;
        items.into_iter().map(|item| Ok(parse::<DueItem>(item)?.work_id)).collect()
    }

    /// Moves the due time of work whose hint was just sent again. Work that is already finished is not recreated.
    pub async fn postpone(&self, id: WorkId, now: Time) -> Result<()> {
        let later = self.table.update(keys::work(id)).set(WorkItem::DUE_AT, now.plus(RESEND_AFTER)).require_exists();
        self.table.write(later).await.map(drop)
    }
}

#[derive(Deserialize)]
struct DueItem {
    work_id: WorkId,
}
