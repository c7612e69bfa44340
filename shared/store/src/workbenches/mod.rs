//! The repository of workbenches.
//!
//! - `create` reserves the name and the capacity, and stores the workbench, in one transaction.
//! - `change` applies the request of a user with an optimistic lock. If it concerns the environment, the workbench becomes
//!   due and its hint is sent.
//! - A worker claims a due workbench (`claims.rs`), makes one step, and writes what it observed. The last step of a
//!   deletion gives the name and the capacity back, in one transaction, so this happens exactly once.

mod capacity;
mod claims;
mod item;

use std::collections::HashMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::backoff::Backoff;
use super::item::{Item, parse};
use super::keys::{self, Key};
use super::query::TableQuery;
use super::revision::{self, Attempts};
use super::slice::slice;
use super::table::{RefusedWrite, Table, WriteAttempt};
use super::workbench_variables::{self, StoredVariables};
use super::write::Write;
use domain::id::{Id, OrgId, WorkbenchId};
use domain::identity::Account;
use domain::page::{Order, Page, PageRequest, Slice};
use domain::sharing::Ownership;
use domain::time::{Clock, Time};
use domain::workbench::{Access, Change, VariablesPatch, Workbench, WorkbenchEvent, refusals};
use domain::{Error, Result};
use platform::queue::Queue;
use platform::secrets::Sealed;
use platform::{Context, config};

pub use capacity::CapacityLimits;
pub(super) use claims::require_attempt;
pub use claims::{CLAIM, Claimed, StepEnd};
use item::{CLOCK_SKEW, EventItem, Listed, Named, WorkbenchItem, events_write};

/// The content of a message of `QUEUE_WORKBENCHES`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkbenchHint {
    pub org: OrgId,
    pub id: WorkbenchId,
}

#[derive(Clone)]
pub struct Workbenches {
    entities: Table,
    counters: Table,
    journal: Table,
    hints: Queue,
    clock: Clock,
}

const NAME: &str = "name";

impl Workbenches {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            entities: Table::new(context, config::TABLE_ENTITIES)?,
            counters: Table::new(context, config::TABLE_COUNTERS)?,
            journal: Table::new(context, config::TABLE_JOURNAL)?,
            hints: Queue::new(context, config::QUEUE_WORKBENCHES)?,
            clock: context.clock.clone(),
        })
    }

    /// Stores a new workbench. The name must be free, and the capacity of the organization and of the platform must
    /// suffice.
    pub async fn create(&self, new: &Change, variables: &StoredVariables, limits: &CapacityLimits) -> Result<()> {
        let Workbench { id, org, owner, ref name, .. } = new.after;
        let name_key = keys::workbench_name(org, name);
        let mut writes = vec![
            self.entities.put_new(&Named::new(name_key.clone(), id)).labeled(NAME),
            self.entities.put_item(item::new_item(&new.after)).require_new(),
            self.entities.put(&Listed::new(keys::listed_workbench(org, owner, id), true)),
        ];
        if !variables.is_empty() {
            writes.push(workbench_variables::put_write(&self.entities, org, id, variables));
        }
        writes.extend(capacity::reserve(&self.counters, &new.after, limits)?);
        writes.extend(events_write(&self.journal, id, &new.events));
        let mut backoff = Backoff::of_a_crowd();
        loop {
            // The token makes a repetition of a transaction that was written, and whose answer was lost, harmless.
            let named = match self.entities.transact_once(id.uuid(), &writes).await? {
                WriteAttempt::Done => break,
                WriteAttempt::Refused(RefusedWrite { label: NAME, item, .. }) => item,
                WriteAttempt::Refused(RefusedWrite { label, item, .. }) => {
                    return Err(capacity::refusal(label, &new.after, limits, item)?);
                }
                // Many creations compete. The stored items tell whether another attempt makes sense.
                WriteAttempt::Contended(cause) => match self.entities.get(&name_key).await? {
                    Some(named) => Some(named),
                    None => {
                        capacity::require_enough(&self.counters, &new.after, limits).await?;
                        backoff.next(cause).await?;
                        continue;
                    }
                },
            };
            // An earlier attempt may have reserved the name, and its answer was lost.
            let is_mine = named.map(parse::<Named>).transpose()?.is_some_and(|named| named.workbench_id == id);
            if is_mine {
                break;
            }
            return Err(refusals::name_taken(name));
        }
        self.hints.send_hint(&WorkbenchHint { org, id }, Duration::ZERO).await;
        Ok(())
    }

    /// The workbench with this id. Deleted ones are not found.
    pub async fn find(&self, org: OrgId, id: WorkbenchId) -> Result<Option<Workbench>> {
        let item = self.entities.get(&keys::workbench(org, id)).await?;
        Ok(item.map(item::read).transpose()?.flatten().map(|item| item.workbench))
    }

    /// A workbench that the caller may see, and the caller's access to it.
    pub async fn get(&self, caller: Account, id: WorkbenchId) -> Result<(Workbench, Access)> {
        let found = self.find(caller.org, id).await?;
        let access = found.and_then(|workbench| workbench.access(caller.user).map(|access| (workbench, access)));
        access.ok_or(Error::NotFound { kind: WorkbenchId::KIND })
    }

    /// Lists the workbenches that the caller owns or edits, newest first.
    pub async fn list(&self, caller: Account, ownership: Ownership, page: PageRequest) -> Result<Page<Workbench>> {
        let query = TableQuery {
            order: Order::Desc,
            ..TableQuery::partition(keys::listed_workbenches(caller.org, caller.user))
        };
        let entries = self.entities.query_all(query).await?.into_iter().map(parse::<Listed>);
        let mut ids = Vec::new();
        for entry in entries {
            let entry = entry?;
            let is_selected = match ownership {
                Ownership::Mine => entry.is_owner,
                Ownership::Shared => !entry.is_owner,
                Ownership::All => true,
            };
            if is_selected {
                ids.push(entry.sk.parse::<WorkbenchId>().map_err(Error::internal)?);
            }
        }
        let page = page.slice(ids);
        let wanted: Vec<Key> = page.items.iter().map(|id| keys::workbench(caller.org, *id)).collect();
        let mut found: HashMap<WorkbenchId, Workbench> = HashMap::new();
        for item in self.entities.batch_get(&wanted).await? {
            // A workbench may be deleted, or not shared any more, since its entry was read.
            let workbench = item::read(item)?.map(|item| item.workbench);
            if let Some(workbench) = workbench.filter(|workbench| workbench.access(caller.user).is_some()) {
                found.insert(workbench.id, workbench);
            }
        }
        let items = page.items.iter().filter_map(|id| found.remove(id)).collect();
        Ok(Page { items, total: page.total, request: page.request })
    }

    /// Lists the events of a workbench, oldest first.
    pub async fn events(&self, id: WorkbenchId, limit: u32, after: Option<String>) -> Result<Slice<WorkbenchEvent>> {
        let page = slice(&self.journal, keys::workbench_events(id), "", Order::Asc, limit, after).await?;
        let items = page.items.into_iter().map(|item: Item| Ok(parse::<EventItem>(item)?.event));
        Ok(Slice { items: items.collect::<Result<_>>()?, next: page.next })
    }

    /// Applies the change of a user. If the workbench was changed meanwhile, `change` decides again on its new revision.
    /// Returns the workbench, changed or not.
    pub async fn change(
        &self,
        caller: Account,
        id: WorkbenchId,
        required: Access,
        change: impl Fn(&Workbench) -> Result<Option<Change>>,
    ) -> Result<Workbench> {
        let mut attempts = Attempts::to_change(WorkbenchId::KIND);
        loop {
            let (before, access) = self.get(caller, id).await?;
            access.require(required)?;
            let Some(change) = change(&before)? else { return Ok(before) };
            let write_id = Uuid::now_v7();
            let needs_step = (before.intent, before.status) != (change.after.intent, change.after.status);
            let update = self.update(&change, write_id);
            let update =
                if needs_step { item::set_due(update, id, Some(self.clock.now().minus(CLOCK_SKEW))) } else { update };
            let mut writes = vec![revision::require(update, before.revision)];
            writes.extend(self.listing_writes(&before, &change.after));
            writes.extend(events_write(&self.journal, id, &change.events));
            if revision::was_written(&self.entities.transact(write_id, &writes).await?, write_id)? {
                if needs_step {
                    self.hints.send_hint(&WorkbenchHint { org: caller.org, id }, Duration::ZERO).await;
                }
                return Ok(change.after);
            }
            attempts.next().await?;
        }
    }

    /// The environment variables of a workbench.
    pub async fn variables(&self, org: OrgId, id: WorkbenchId) -> Result<StoredVariables> {
        workbench_variables::find(&self.entities, org, id).await
    }

    /// Changes the environment variables of a workbench, for its owner. Returns all variables.
    pub async fn change_variables(
        &self,
        caller: Account,
        id: WorkbenchId,
        patch: &VariablesPatch<Sealed>,
        now: Time,
    ) -> Result<StoredVariables> {
        let mut attempts = Attempts::to_change(WorkbenchId::KIND);
        loop {
            let (before, access) = self.get(caller, id).await?;
            access.require(Access::Owner)?;
            let change = before.change_variables(caller.user, now)?;
            let mut variables = self.variables(caller.org, id).await?;
            let stored = variables.clone();
            variables.apply(patch.clone())?;
            if variables == stored {
                return Ok(variables);
            }
            // The lock of the workbench protects its variables too, because each of their changes is one of the workbench.
            let write_id = Uuid::now_v7();
            let mut writes = vec![revision::require(self.update(&change, write_id), before.revision)];
            writes.push(workbench_variables::put_write(&self.entities, caller.org, id, &variables));
            writes.extend(events_write(&self.journal, id, &change.events));
            if revision::was_written(&self.entities.transact(write_id, &writes).await?, write_id)? {
                return Ok(variables);
            }
            attempts.next().await?;
        }
    }

    fn update(&self, change: &Change, write_id: Uuid) -> Write {
        let Workbench { org, id, revision, .. } = change.after;
        let update = self.entities.update(keys::workbench(org, id));
        update
            .set(WorkbenchItem::WORKBENCH, &change.after)
            .set(WorkbenchItem::REV, revision)
            .set(WorkbenchItem::WRITE_ID, write_id)
    }

    /// The changes of the editors' lists.
    fn listing_writes(&self, before: &Workbench, after: &Workbench) -> Vec<Write> {
        let key = |user| keys::listed_workbench(after.org, user, after.id);
        let added = after.editors.iter().filter(|user| !before.editors.contains(user));
        let removed = before.editors.iter().filter(|user| !after.editors.contains(user));
        let added = added.map(|user| self.entities.put(&Listed::new(key(*user), false)));
        added.chain(removed.map(|user| self.entities.delete(key(*user)))).collect()
    }
}
