//! The stored forms of workbenches, of their names, of their entries in lists and of their events.

use std::time::Duration;

use attributes::Attributes;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::item::{Item, parse, to_item};
use crate::keys::{self, Key};
use crate::table::Table;
use crate::write::Write;
use domain::Result;
use domain::id::WorkbenchId;
use domain::time::Time;
use domain::workbench::{Workbench, WorkbenchEvent};

/// The clocks of two processes differ less than this. A step is due this much before its message arrives; otherwise a worker
/// whose clock is behind would take the message for too early and drop it.
pub const CLOCK_SKEW: Duration = Duration::from_secs(5);
/// The time for which events are kept.
const EVENTS_KEPT: Duration = Duration::from_secs(90 * 24 * 60 * 60);

#[derive(Clone, Serialize, Deserialize, Attributes)]
pub struct WorkbenchItem {
    pub pk: String,
    pub sk: String,
    pub rev: u64,
    pub write_id: Uuid,
    pub workbench: Workbench,
    /// The number of times that a worker claimed it.
    pub attempt: u64,
    /// When the claim of a worker expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owned_until: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_shard: Option<String>,
    /// When a worker must make the next step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Time>,
}

pub fn new_item(workbench: &Workbench) -> Item {
    let Workbench { org, id, revision, created_at, .. } = *workbench;
    let key = keys::workbench(org, id);
    to_item(&WorkbenchItem {
        pk: key.pk,
        sk: key.sk,
        rev: revision,
        write_id: id.uuid(),
        workbench: workbench.clone(),
        attempt: 0,
        owned_until: None,
        due_shard: Some(keys::WORKBENCHES_DUE.of(id.uuid())),
        due_at: Some(created_at.minus(CLOCK_SKEW)),
        deleted_at: None,
    })
}

/// Reads an item. None if the workbench was deleted.
pub fn read(item: Item) -> Result<Option<WorkbenchItem>> {
    let item: WorkbenchItem = parse(item)?;
    Ok(item.deleted_at.is_none().then_some(item))
}

/// Sets the time of the next step, or removes it.
pub fn set_due(write: Write, id: WorkbenchId, due_at: Option<Time>) -> Write {
    write
        .set_or_remove(WorkbenchItem::DUE_SHARD, due_at.map(|_| keys::WORKBENCHES_DUE.of(id.uuid())))
        .set_or_remove(WorkbenchItem::DUE_AT, due_at)
}

/// The item that reserves a name.
#[derive(Serialize, Deserialize, Attributes)]
pub struct Named {
    pk: String,
    sk: String,
    pub workbench_id: WorkbenchId,
}

impl Named {
    pub fn new(key: Key, workbench_id: WorkbenchId) -> Self {
        Self { pk: key.pk, sk: key.sk, workbench_id }
    }
}

/// An entry in the list of a user.
#[derive(Serialize, Deserialize, Attributes)]
pub struct Listed {
    pk: String,
    pub sk: String,
    pub is_owner: bool,
}

impl Listed {
    pub fn new(key: Key, is_owner: bool) -> Self {
        Self { pk: key.pk, sk: key.sk, is_owner }
    }
}

#[derive(Serialize, Deserialize, Attributes)]
pub struct EventItem {
    pk: String,
    sk: String,
    pub event: WorkbenchEvent,
    expires_at: i64,
}

/// The writes of events. They belong in the transaction of the change.
pub fn events_write(journal: &Table, id: WorkbenchId, events: &[WorkbenchEvent]) -> Vec<Write> {
    let item = |event: &WorkbenchEvent| {
        let key = keys::workbench_event(id, event.number);
        let expires_at = event.at.plus(EVENTS_KEPT).as_seconds();
        journal.put(&EventItem { pk: key.pk, sk: key.sk, event: event.clone(), expires_at })
    };
    events.iter().map(item).collect()
}
