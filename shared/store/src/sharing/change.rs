//! Changes of who may use something: its item, the entries of the users and their totals change in one transaction, so a
//! removed member has no access from then on.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;
use uuid::Uuid;

use super::entry::{HEAD, SharedEntity, StoredSharing, closed_entry};
use super::{access_key, own_key};
use crate::admin::Admin;
use crate::attribute::{Attribute, field};
use crate::keys::{self, Key};
use crate::listing::CountItem;
use crate::query::TableQuery;
use crate::revision::{self, Attempts, REV, WRITE_ID};
use crate::table::Table;
use crate::write::Write;
use domain::audit::AuditAction;
use domain::id::UserId;
use domain::identity::Account;
use domain::sharing::{Shareable, Sharing, TeamRole};
use domain::{Error, Result};
use platform::{Context, config};

const MEMBERS: Attribute<BTreeMap<UserId, TeamRole>> = Attribute::new("members");

/// Changes who may use a workflow or an agent.
#[derive(Clone)]
pub struct ShareChanges {
    entities: Table,
    counters: Table,
    admin: Admin,
}

impl ShareChanges {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            entities: Table::new(context, config::TABLE_ENTITIES)?,
            counters: Table::new(context, config::TABLE_COUNTERS)?,
            admin: Admin::new(context)?,
        })
    }

    /// Who may use it.
    pub async fn get(&self, home: Account, what: Shareable) -> Result<Sharing> {
        Ok(self.load(home, what).await?.sharing)
    }

    /// Changes who may use it, as `change` returns. If another request changed it meanwhile, `change` decides again.
    pub async fn change(
        &self,
        home: Account,
        what: Shareable,
        change: impl Fn(&Sharing) -> Result<Sharing>,
    ) -> Result<Sharing> {
        self.change_with(home, what, None, change).await
    }

    /// Like `change`, as an action of an administrator, which is written to the audit log.
    pub async fn change_as(
        &self,
        action: &AuditAction,
        home: Account,
        what: Shareable,
        change: impl Fn(&Sharing) -> Result<Sharing>,
    ) -> Result<Sharing> {
        self.change_with(home, what, Some(action), change).await
    }

    async fn change_with(
        &self,
        home: Account,
        what: Shareable,
        action: Option<&AuditAction>,
        change: impl Fn(&Sharing) -> Result<Sharing>,
    ) -> Result<Sharing> {
        let mut attempts = Attempts::to_change("list of members");
        loop {
            let before = self.load(home, what).await?;
            if before.is_private() {
                let message = "the agent belongs to a workflow; share the workflow";
                return Err(Error::invalid_state(message));
            }
            let sharing = change(&before.sharing)?;
            if sharing == before.sharing {
                return Ok(sharing);
            }
            let write_id = Uuid::now_v7();
            let mut writes = self.writes(home, &before, &sharing, write_id);
            if before.sharing.owner != sharing.owner {
                writes.extend(self.private_agent_writes(home, what, &sharing).await?);
            }
            let outcome = match action {
                Some(action) => {
                    let shown = |owner: UserId| json!({"owner": owner}).to_string();
                    let (from, to) = (shown(before.sharing.owner), shown(sharing.owner));
                    self.admin.transact_audited(action, from, to, writes).await?
                }
                None => self.entities.transact(write_id, &writes).await?,
            };
            if revision::was_written(&outcome, write_id)? {
                return Ok(sharing);
            }
            attempts.next().await?;
        }
    }

    async fn load(&self, home: Account, what: Shareable) -> Result<SharedEntity> {
        let item = self.entities.get(&own_key(home, what)).await?.ok_or_else(|| what.not_found())?;
        SharedEntity::read(home, what, item)?.ok_or_else(|| what.not_found())
    }

    fn writes(&self, home: Account, before: &SharedEntity, sharing: &Sharing, write_id: Uuid) -> Vec<Write> {
        let after = before.with_sharing(sharing.clone());
        let mut writes = vec![self.entity_write(home, before, &after, write_id)];
        // The entries of all members show the owner.
        let is_transfer = before.sharing.owner != sharing.owner;
        let known: BTreeSet<UserId> =
            before.users().chain(after.users()).chain([before.sharing.owner, sharing.owner]).collect();
        let changed =
            known.into_iter().filter(|user| is_transfer || before.sharing.role_of(*user) != sharing.role_of(*user));
        for user in changed {
            let account = after.account(user);
            writes.extend(match after.entry(user) {
                Some(entry) => Some(self.entities.put_item(entry)),
                None if before.entry(user).is_some() => Some(self.entities.delete(access_key(account, before.what))),
                None => None,
            });
            writes.extend(self.count_writes(account, before.what, before.sharing.role_of(user), sharing.role_of(user)));
        }
        if is_transfer {
            if before.owners_copy().is_some() {
                writes.push(self.entities.delete(own_key(before.account(before.sharing.owner), before.what)));
            }
            writes.extend(after.owners_copy().map(|copy| self.entities.put_item(copy)));
        }
        writes
    }

    /// The private agents of a workflow are reached through it. The user who created them reaches them directly only while they
    /// own the workflow.
    async fn private_agent_writes(&self, home: Account, what: Shareable, sharing: &Sharing) -> Result<Vec<Write>> {
        let Shareable::Workflow(workflow) = what else { return Ok(Vec::new()) };
        let listed = self.entities.query_all(TableQuery::partition(keys::private_agents(home, workflow))).await?;
        let agents = listed.iter().filter_map(Key::from_item).filter_map(|entry| keys::listed_agent_id(&entry));
        let write = |agent| match sharing.owner == home.user {
            true => self.entities.delete(access_key(home, Shareable::Agent(agent))),
            false => self.entities.put_item(closed_entry(home, Shareable::Agent(agent))),
        };
        Ok(agents.map(write).collect())
    }

    /// The change of the item itself. Lists of its home show it only while the user who created it is the owner.
    fn entity_write(&self, home: Account, before: &SharedEntity, after: &SharedEntity, write_id: Uuid) -> Write {
        let StoredSharing { owner, members } = StoredSharing::new(home, &after.sharing);
        let mut update = self
            .entities
            .update(own_key(home, before.what))
            .set(REV, after.revision)
            .set(WRITE_ID, write_id)
            .set_or_remove(field!(HEAD, owner), owner)
            .set_or_remove(MEMBERS, members);
        if let Shareable::Workflow(_) = before.what {
            update = update.set(field!(HEAD, revision), after.revision);
        }
        if before.is_listed_at_home() != after.is_listed_at_home() {
            for (name, value) in after.owner_index_keys() {
                let key = Attribute::<String>::named(name);
                update = match after.is_listed_at_home() {
                    true => update.set_raw(key, value),
                    false => update.remove(key),
                };
            }
        }
        revision::require(update, before.revision)
    }

    /// The changes of the totals of a user's lists.
    fn count_writes(
        &self,
        user: Account,
        what: Shareable,
        before: Option<TeamRole>,
        after: Option<TeamRole>,
    ) -> impl Iterator<Item = Write> {
        let (before, after) = (list_of(user, what, before), list_of(user, what, after));
        let changes = if before == after { [None, None] } else { [before.zip(Some(-1)), after.zip(Some(1))] };
        changes.into_iter().flatten().map(|(count, by)| self.counters.update(count).add(CountItem::TOTAL, by))
    }
}

/// The total of the list that has the entry of a user with this role.
fn list_of(user: Account, what: Shareable, role: Option<TeamRole>) -> Option<Key> {
    let key = match (what, role?) {
        (Shareable::Workflow(_), TeamRole::Owner) => keys::workflow_count(user),
        (Shareable::Workflow(_), _) => keys::shared_workflow_count(user),
        (Shareable::Agent(_), TeamRole::Owner) => keys::agent_count(user),
        (Shareable::Agent(_), _) => keys::shared_agent_count(user),
    };
    Some(key)
}

/// Removes the entries of a deleted workflow or agent. It is idempotent: a total changes only with its entry.
pub(crate) async fn remove_entries(entities: &Table, counters: &Table, home: Account, what: Shareable) -> Result<()> {
    let Some(item) = entities.get(&own_key(home, what)).await? else { return Ok(()) };
    let (entity, _) = SharedEntity::read_even_deleted(home, what, item)?;
    for user in entity.users() {
        let account = entity.account(user);
        let mut writes = vec![entities.delete(access_key(account, what)).require_exists()];
        // The total of the owner changed with the deletion itself.
        if let Some(TeamRole::Viewer | TeamRole::Operator | TeamRole::Editor) = entity.sharing.role_of(user) {
            let count = list_of(account, what, entity.sharing.role_of(user));
            writes.extend(count.map(|count| counters.update(count).add(CountItem::TOTAL, -1)));
        }
        // A refused transaction means that an earlier attempt has removed the entry.
        let _ = entities.transact(Uuid::now_v7(), &writes).await?;
    }
    entities.remove(&access_key(home, what)).await
}
