//! Work that must not be lost. Its item is written in the transaction that makes it necessary; a queue message only
//! says that it is there. The item stays in the due index until the work is done, and the ticker sends the message
//! again for whatever is due: a message lost, a send that failed, a worker that died.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::keys;
use super::table::{Table, parse};
use super::write::Write;
use crate::queue::Queue;
use crate::{Context, config};
use domain::id::{OrgId, UserId, WorkId};
use domain::identity::Account;
use domain::reference::Reference;
use domain::time::Time;
use domain::{Error, Result};

/// How long a worker has before the work counts as lost: more than a queue's redeliveries take.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a message of `QUEUE_ATTENTION` holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkHint {
    pub work_id: WorkId,
}

/// The queue on which the worker is told of work.
#[derive(Clone)]
pub struct Hints {
    queue: Queue,
}

impl Hints {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { queue: Queue::new(context, config::QUEUE_ATTENTION)? })
    }

    /// Tells of work that was written with the change that makes it necessary. A hint that is lost costs a minute: the
    /// ticker finds the work where it is due.
    pub async fn give(&self, works: impl IntoIterator<Item = WorkId>) {
        for work_id in works {
            if let Err(error) = self.send(work_id).await {
                tracing::warn!(?error, %work_id, "a hint was not sent; the ticker will find the work");
            }
        }
    }

    pub async fn send(&self, work_id: WorkId) -> Result<()> {
        self.queue.send(&WorkHint { work_id }).await
    }
}

/// Something that those who name it must be told of.
#[derive(Clone, Debug, PartialEq)]
pub struct Gone {
    pub account: Account,
    pub reference: Reference,
}

/// What there is to do, and how far it has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Work {
    pub id: WorkId,
    pub task: Task,
    /// The last dependent that was told.
    pub told: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// Tell that it is gone.
    Gone(Gone),
    /// See whether a model answers at that time, which may have been the time of its retirement, and tell that it is
    /// gone or back.
    Model { name: String, at: Time },
}

#[derive(Serialize, Deserialize)]
struct WorkItem {
    pk: String,
    sk: String,
    work_id: WorkId,
    due_shard: String,
    due_at: Time,
    /// Whose thing it is. A model is nobody's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owner: Option<(OrgId, UserId)>,
    reference: Reference,
    at: Time,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    told: Option<String>,
}

#[derive(Clone)]
pub struct Works {
    table: Table,
}

/// To be written with the change that makes it necessary.
pub(super) fn gone(table: &Table, id: WorkId, gone: &Gone) -> Write {
    let Gone { account: Account { org, user }, reference } = gone;
    let at = Time::of(id.uuid());
    table.put(&item(id, Some((*org, *user)), reference.clone(), at, at.plus(PATIENCE)))
}

/// A look at a model, now or when the time comes: with the change of the model that makes it necessary.
pub(super) fn model(table: &Table, id: WorkId, name: &str, at: Time) -> Write {
    // One that is due now is hinted at by whoever writes it; a later one is for the ticker to find in time.
    let due_at = if at <= Time::of(id.uuid()) { at.plus(PATIENCE) } else { at };
    table.put(&item(id, None, Reference::Model(name.to_owned()), at, due_at))
}

fn item(id: WorkId, owner: Option<(OrgId, UserId)>, reference: Reference, at: Time, due_at: Time) -> WorkItem {
    let key = keys::work(id);
    let due_shard = keys::due_shard(id.uuid());
    WorkItem { pk: key.pk, sk: key.sk, work_id: id, due_shard, due_at, owner, reference, at, told: None }
}

impl Works {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { table: Table::new(context, config::TABLE_ENTITIES)? })
    }

    /// What there is to do; nothing when it has been done.
    pub async fn find(&self, id: WorkId) -> Result<Option<Work>> {
        let Some(item) = self.table.get(&keys::work(id)).await? else { return Ok(None) };
        let WorkItem { owner, reference, at, told, .. } = parse(item)?;
        let task = match (owner, reference) {
            (Some((org, user)), reference) => Task::Gone(Gone { account: Account { org, user }, reference }),
            (None, Reference::Model(name)) => Task::Model { name, at },
            (None, _) => return Err(Error::internal("work on an entity without its owner")),
        };
        Ok(Some(Work { id, task, told }))
    }

    /// How far the work has come: whoever takes it up again goes on from there.
    pub async fn told(&self, id: WorkId, last: &str) -> Result<()> {
        let noted = self.table.update(keys::work(id)).set("told", last).require("attribute_exists(pk)");
        self.table.write(noted).await.map(drop)
    }

    pub async fn finish(&self, id: WorkId) -> Result<()> {
        self.table.remove(&keys::work(id)).await
    }

    /// Work whose message seems lost, at most `limit` a shard.
    pub async fn due(&self, now: Time, limit: u32) -> Result<Vec<WorkId>> {
        let mut due = Vec::new();
        for shard in 0..keys::DUE_SHARDS {
            let items = self.table.query_due(keys::due_shard_at(shard), now, limit).await?;
            for item in items {
                due.push(parse::<DueItem>(item)?.work_id);
            }
        }
        Ok(due)
    }

    /// Puts off the next look at work whose message was just sent again. Work done meanwhile stays done.
    pub async fn put_off(&self, id: WorkId, now: Time) -> Result<()> {
        let later = self.table.update(keys::work(id)).set("due_at", now.plus(PATIENCE)).require("attribute_exists(pk)");
        self.table.write(later).await.map(drop)
    }
}

#[derive(Deserialize)]
struct DueItem {
    work_id: WorkId,
}
