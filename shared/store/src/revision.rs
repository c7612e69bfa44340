//! Optimistic locking of entities. A change writes the next revision, on condition that the stored revision is still the
//! one that was read. If it is not, the change is tried again from a new read.

use serde::Deserialize;
use uuid::Uuid;

use super::attribute::Attribute;
use super::backoff::Backoff;
use super::item::parse;
use super::table::{RefusedWrite, WriteOutcome};
use super::write::Write;
use domain::Result;
use domain::time::Time;

/// The label of the write that `require` guards.
pub(super) const ENTITY: &str = "entity";

/// The revision of an entity.
pub(super) const REV: Attribute<u64> = Attribute::new("rev");
/// The id of the write that made the revision.
pub(super) const WRITE_ID: Attribute<Uuid> = Attribute::new("write_id");
/// When an entity became a tombstone.
pub(super) const DELETED_AT: Attribute<Time> = Attribute::new("deleted_at");

/// The attempts at one change. Each attempt reads the entity again.
pub struct Attempts {
    backoff: Backoff,
    kind: &'static str,
}

impl Attempts {
    /// Begins a change of an entity of this kind.
    pub fn to_change(kind: &'static str) -> Self {
        Self { backoff: Backoff::default(), kind }
    }

    /// Waits before the next attempt, because another change came first. Fails after too many attempts.
    pub async fn next(&mut self) -> Result<()> {
        self.backoff.next(&format!("concurrent requests keep changing the {}", self.kind)).await
    }
}

/// Refuses the write unless the entity exists in the revision that was read.
pub fn require(write: Write, revision: u64) -> Write {
    write.require_is(REV, revision).require(DELETED_AT.is_missing()).labeled(ENTITY)
}

/// Whether the change was written. If the response is lost, the SDK sends the write again, and its condition fails because
/// the first one succeeded: then the stored `write_id` is that of this change.
pub fn was_written(outcome: &WriteOutcome, write_id: Uuid) -> Result<bool> {
    #[derive(Deserialize)]
    struct LastWrite {
        write_id: Uuid,
    }
    match outcome {
        WriteOutcome::Written => Ok(true),
        WriteOutcome::Refused(RefusedWrite { label: ENTITY, item: Some(item), .. }) => {
            Ok(parse::<LastWrite>(item.clone())?.write_id == write_id)
        }
        WriteOutcome::Refused(_) => Ok(false),
    }
}
