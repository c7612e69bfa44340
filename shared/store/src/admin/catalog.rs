//! Changes of the catalog, with an optimistic lock: each change is validated against the whole catalog, and is refused
//! when the catalog changed after it was read. So names never clash, and no entry references a missing one.

use super::Admin;
use crate::catalog::{CatalogEntry, Listing, RevisionItem, put, remove};
use crate::revision::Attempts;
use crate::write::Write;
use crate::{Catalog, keys, work};
use domain::Result;
use domain::audit::AuditAction;
use domain::catalog::Model;
use domain::id::WorkId;
use domain::time::Time;

/// One entry of the catalog before and after its change. Each is paired with its text for the audit log.
pub struct CatalogChange {
    pub before: Option<(CatalogEntry, String)>,
    pub after: Option<(CatalogEntry, String)>,
}

/// The work that a change made necessary, and whose hints the caller must send.
pub type PendingWork = Vec<WorkId>;

impl Admin {
    /// Changes the catalog as `change` returns for its current state. If another process changed the catalog meanwhile,
    /// it calls `change` again.
    pub async fn change_catalog(
        &self,
        action: &AuditAction,
        catalog: &Catalog,
        change: impl Fn(&Listing) -> Result<CatalogChange>,
    ) -> Result<(CatalogChange, PendingWork)> {
        let _queue = self.queue.lock().await;
        let mut attempts = Attempts::to_change("catalog");
        loop {
            let listing = catalog.read().await?;
            let change = change(&listing)?;
            let (mut writes, pending) = self.writes(action, &listing, &change);
            let revision = self.entities.update(keys::catalog_revision()).add(RevisionItem::REVISION, 1);
            writes.push(match listing.revision {
                0 => revision.require(RevisionItem::REVISION.is_missing()),
                seen => revision.require_is(RevisionItem::REVISION, seen),
            });
            if self.transact(action, writes).await?.is_written() {
                return Ok((change, pending));
            }
            attempts.next().await?;
        }
    }

    fn writes(&self, action: &AuditAction, listing: &Listing, change: &CatalogChange) -> (Vec<Write>, PendingWork) {
        let entry = |side: &Option<(CatalogEntry, String)>| side.as_ref().map(|(entry, _)| entry.clone());
        let text = |side: &Option<(CatalogEntry, String)>| side.as_ref().map(|(_, text)| text.clone());
        let (before, after) = (entry(&change.before), entry(&change.after));
        let mut writes = vec![self.audit_write(action, text(&change.before), text(&change.after))];
        match (&before, &after) {
            (_, Some(after)) => writes.push(put(&self.entities, after, added_at(action, listing, after))),
            (Some(before), None) => writes.push(remove(&self.entities, before)),
            (None, None) => {}
        }
        let (before, after) = (model(before.as_ref()), model(after.as_ref()));
        let mut pending = Vec::new();
        if let Some(name) = before.or(after).map(|model| &model.name) {
            for at in notification_times(before, after, action.at) {
                let id = WorkId::new();
                writes.push(work::model_check_work(&self.entities, id, name, at));
                if at <= action.at {
                    pending.push(id);
                }
            }
        }
        (writes, pending)
    }
}

fn model(entry: Option<&CatalogEntry>) -> Option<&Model> {
    match entry? {
        CatalogEntry::Model(model) => Some(model),
        _ => None,
    }
}

fn added_at(action: &AuditAction, listing: &Listing, entry: &CatalogEntry) -> Option<Time> {
    let CatalogEntry::Model(model) = entry else { return None };
    let is_new = !listing.models.contains_key(&model.name);
    listing.added_at.get(&model.name).copied().or(is_new.then_some(action.at))
}

/// The times at which a model's dependents must be notified: now if the model becomes callable or stops being so, and
/// at a new time of retirement.
fn notification_times(before: Option<&Model>, after: Option<&Model>, now: Time) -> Vec<Time> {
    let is_callable = |model: Option<&Model>| model.is_some_and(|model| !model.is_retired(now));
    let retires_at = |model: Option<&Model>| model.and_then(|model| model.retires_at);
    let mut times = Vec::new();
    if is_callable(before) != is_callable(after) {
        times.push(now);
    }
    if let Some(at) = retires_at(after).filter(|at| *at > now && retires_at(before) != Some(*at)) {
        times.push(at);
    }
    times
}
