//! Shared workflows and agents.
//!
//! A workflow or an agent stays under the account of the user who created it, its home. Its item has the members, and the
//! owner if that is another user. Each of these users has an entry in a partition of their own, see `entry.rs`: with it,
//! one read of a request finds what the caller may do, and a list finds what is shared with its user.

mod change;
mod entry;
mod relist;
mod seen;

use std::collections::{BTreeMap, BTreeSet};

use super::item::Item;
use super::keys::{self, Key};
use super::table::Table;
use domain::Result;
use domain::id::WorkflowId;
use domain::identity::Account;
use domain::sharing::Shareable;
use platform::{Context, config};

pub use change::ShareChanges;
pub(super) use change::remove_entries;
pub use entry::StoredAccess;
pub(super) use entry::{StoredSharing, access, closed_entry};
pub(super) use relist::{relist, relist_now, with_relist_work};
pub use seen::{MAX_HOMES, Seen, SeenWorkflow, SeenWorkflows};

/// What a user may do with the workflows and agents of others.
#[derive(Clone)]
pub struct Shares {
    entities: Table,
}

impl Shares {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { entities: Table::new(context, config::TABLE_ENTITIES)? })
    }

    /// Finds where something is stored, and the role of a user in it. None if it is not shared with them, and they own nothing
    /// that others have created.
    pub async fn find(&self, user: Account, what: Shareable) -> Result<Option<StoredAccess>> {
        let item: Option<Item> = self.entities.get(&access_key(user, what)).await?;
        item.map(entry::access).transpose()
    }

    /// The workflows among these that have an entry of the user.
    pub async fn find_all(
        &self,
        user: Account,
        ids: impl Iterator<Item = WorkflowId>,
    ) -> Result<BTreeMap<WorkflowId, StoredAccess>> {
        let keys: BTreeSet<WorkflowId> = ids.collect();
        let keys: Vec<Key> = keys.into_iter().map(|id| access_key(user, Shareable::Workflow(id))).collect();
        let found = self.entities.batch_get(&keys).await?.into_iter();
        let found = found.filter_map(|item| Some((Key::from_item(&item)?.sk.parse().ok()?, item)));
        found.map(|(id, item)| Ok((id, entry::access(item)?))).collect()
    }

    /// Which of these workflows exist, and the user may see.
    pub async fn visible_among(&self, user: Account, ids: &[WorkflowId]) -> Result<BTreeMap<WorkflowId, SeenWorkflow>> {
        let entries = self.find_all(user, ids.iter().copied()).await?;
        let home = |id| entries.get(id).map_or(user, |entry| Account { org: user.org, user: entry.home });
        self.visible(user, &ids.iter().map(|id| (home(id), *id)).collect()).await
    }
}

/// The key of a user's entry.
pub(super) fn access_key(user: Account, what: Shareable) -> Key {
    match what {
        Shareable::Workflow(id) => Key::new(keys::shared_workflows(user), id),
        Shareable::Agent(id) => Key::new(keys::shared_agents(user), id),
    }
}

/// The key of the item in a user's own partition.
fn own_key(user: Account, what: Shareable) -> Key {
    match what {
        Shareable::Workflow(id) => keys::workflow(user, id),
        Shareable::Agent(id) => keys::agent(user, id),
    }
}
