//! The workflows that a user sees, for lists over all of them. The items of such a list are stored under the homes of their
//! workflows, and are found there. The item of each workflow then decides whether the user sees it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::entry::{SharedEntity, access};
use super::{Shares, own_key};
use crate::keys::{self, AccountList, Key};
use crate::query::{TableIndex, TableQuery};
use domain::Result;
use domain::id::WorkflowId;
use domain::identity::Account;
use domain::page::Order;
use domain::sharing::{Shareable, TeamRole};
use domain::time::Time;
use uuid::Uuid;

/// The maximum number of accounts that a list searches. A user with whom more colleagues share workflows sees the workflows
/// that were created last.
pub const MAX_HOMES: usize = 16;
/// The maximum number of entries that are read to find these accounts.
const MAX_ENTRIES: u32 = 1_000;

/// A workflow that a user sees.
#[derive(Clone, Debug)]
pub struct SeenWorkflow {
    pub id: WorkflowId,
    pub name: String,
    pub role: TeamRole,
}

/// An item of a list over all workflows.
#[derive(Debug)]
pub struct Seen<T> {
    /// An id of version 7, which is the place in the list.
    pub place: Uuid,
    pub item: T,
    pub workflow: SeenWorkflow,
}

impl<T> Seen<T> {
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Seen<U> {
        Seen { place: self.place, item: change(self.item), workflow: self.workflow }
    }

    /// The time of the place.
    pub fn at(&self) -> Time {
        Time::from_uuid(self.place)
    }
}

/// The workflows of a user in which they have at least a role.
#[derive(Clone)]
pub struct SeenWorkflows {
    shares: Shares,
    user: Account,
    role: TeamRole,
    /// The accounts under which these workflows are stored, that of the user included.
    homes: Vec<Account>,
}

impl Shares {
    /// The workflows in which a user has at least this role.
    pub async fn seen_by(&self, user: Account, role: TeamRole) -> Result<SeenWorkflows> {
        let entries = TableQuery {
            order: Order::Desc,
            limit: Some(MAX_ENTRIES),
            ..TableQuery::partition(keys::shared_workflows(user))
        };
        let mut homes = vec![user];
        for item in self.entities.query(&entries).await?.items {
            let access = access(item)?;
            let home = Account { org: user.org, user: access.home };
            if access.role.is_some_and(|own| own >= role) && homes.len() < MAX_HOMES && !homes.contains(&home) {
                homes.push(home);
            }
        }
        Ok(SeenWorkflows { shares: self.clone(), user, role, homes })
    }

    /// Which of these workflows exist, and the user may see. Each is named with the account under which it is stored.
    pub async fn visible(
        &self,
        user: Account,
        workflows: &BTreeSet<(Account, WorkflowId)>,
    ) -> Result<BTreeMap<WorkflowId, SeenWorkflow>> {
        let key = |home: Account, id: WorkflowId| own_key(home, Shareable::Workflow(id));
        let keys: Vec<Key> = workflows.iter().map(|(home, id)| key(*home, *id)).collect();
        let items = self.entities.batch_get(&keys).await?.into_iter();
        let mut found: HashMap<Key, _> = items.filter_map(|item| Some((Key::from_item(&item)?, item))).collect();
        let mut visible = BTreeMap::new();
        for (home, id) in workflows.iter().filter(|(home, _)| home.org == user.org) {
            let Some(item) = found.remove(&key(*home, *id)) else { continue };
            let Some(entity) = SharedEntity::read(*home, Shareable::Workflow(*id), item)? else { continue };
            if let Some(role) = entity.sharing.role_of(user.user) {
                visible.insert(*id, SeenWorkflow { id: *id, name: entity.name().to_owned(), role });
            }
        }
        Ok(visible)
    }
}

impl SeenWorkflows {
    /// Those in which the user has at least a higher role.
    pub fn with_role(&self, role: TeamRole) -> Self {
        Self { role, ..self.clone() }
    }

    /// Whether the homes also have workflows that the user does not see, so that a list drops their items.
    pub(crate) fn has_several_homes(&self) -> bool {
        self.homes.len() > 1
    }

    /// The queries of lists of all homes.
    pub(crate) fn shards(&self, lists: &[AccountList], index: &TableIndex) -> Vec<TableQuery> {
        let parts = self.homes.iter().flat_map(|home| lists.iter().flat_map(|list| list.partitions(*home)));
        parts.map(|part| TableQuery { index: Some(index.clone()), ..TableQuery::partition(part) }).collect()
    }

    /// Keeps the items whose workflow exists, and in which the user has the role. Each is named with the place of its list.
    pub(crate) async fn keep<T>(
        &self,
        items: Vec<(Uuid, T)>,
        workflow_of: impl Fn(&T) -> (Account, WorkflowId),
    ) -> Result<Vec<(Uuid, Seen<T>)>> {
        let workflows: BTreeSet<_> = items.iter().map(|(_, item)| workflow_of(item)).collect();
        let visible = self.shares.visible(self.user, &workflows).await?;
        let seen = items.into_iter().filter_map(|(place, item)| {
            let workflow = visible.get(&workflow_of(&item).1).filter(|workflow| workflow.role >= self.role)?;
            Some((place, Seen { place, item, workflow: workflow.clone() }))
        });
        Ok(seen.collect())
    }
}
