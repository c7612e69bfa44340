//! The stored forms: who uses something, in its item, and the entries of these users.
//!
//! The entry of a member is in the partition of what is shared with them, and is listed there. A user who has become the owner
//! has an entry there that is not listed, and a copy in the list of their own: a tombstone, so that nothing but the list sees
//! it. The user who created it and is not the owner any more has an entry that says so.

use std::collections::{BTreeMap, HashMap};

use attributes::Attributes;
use aws_sdk_dynamodb::types::AttributeValue;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{access_key, own_key};
use crate::attribute::Attribute;
use crate::item::{Item, parse, to_item, to_value};
use crate::keys::{self, Key};
use crate::listing::ORGANIZATION;
use domain::id::UserId;
use domain::identity::Account;
use domain::sharing::{Shareable, Sharing, TeamRole};
use domain::time::Time;
use domain::{Error, Result};

/// Where something is stored, and what a user may do with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredAccess {
    /// The user under whose account it is stored.
    pub home: UserId,
    /// None for the user who created it, if they have no access any more.
    pub role: Option<TeamRole>,
}

impl StoredAccess {
    /// The account under which it is stored, if the user has at least this role.
    pub fn require(self, user: Account, required: TeamRole, what: Shareable) -> Result<Account> {
        self.role.ok_or_else(|| what.not_found())?.require(required)?;
        Ok(Account { org: user.org, user: self.home })
    }
}

/// The attributes of the entries themselves. They also have those of the lists: `head` and the keys of the local indexes.
#[derive(Serialize, Deserialize, Attributes)]
pub(crate) struct AccessItem {
    pk: String,
    sk: String,
    access: StoredAccess,
    /// The revision that the entry shows.
    seen: u64,
}

/// What the item of a workflow or an agent says about its users. Most have no other user than the one who created it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredSharing {
    /// The owner, if that is not the user who created it.
    pub owner: Option<UserId>,
    pub members: Option<BTreeMap<UserId, TeamRole>>,
}

impl StoredSharing {
    pub fn new(home: Account, Sharing { owner, members }: &Sharing) -> Self {
        Self {
            owner: Some(*owner).filter(|owner| *owner != home.user),
            members: Some(members.clone()).filter(|members| !members.is_empty()),
        }
    }

    pub fn read(self, home: Account) -> Sharing {
        Sharing { owner: self.owner.unwrap_or(home.user), members: self.members.unwrap_or_default() }
    }
}

/// The item of a workflow or an agent, as far as sharing needs it.
#[derive(Clone)]
pub(super) struct SharedEntity {
    home: Account,
    pub what: Shareable,
    pub revision: u64,
    pub sharing: Sharing,
    head: Head,
    /// The whole head, which lists show.
    shown: HashMap<String, AttributeValue>,
}

#[derive(Deserialize)]
struct EntityItem {
    rev: u64,
    head: Head,
    #[serde(default)]
    members: Option<BTreeMap<UserId, TeamRole>>,
    #[serde(default)]
    deleted_at: Option<Time>,
}

pub(super) const HEAD: Attribute<Head> = Attribute::new("head");

#[derive(Clone, Deserialize)]
pub(super) struct Head {
    name: String,
    updated_at: Time,
    /// Only an agent has it.
    #[serde(default)]
    requests: u64,
    /// Only a workflow has it.
    #[serde(default)]
    pub revision: Option<u64>,
    #[serde(default)]
    pub owner: Option<UserId>,
    /// The workflow of a private agent, which cannot be shared.
    #[serde(default)]
    workflow: Option<Uuid>,
}

impl SharedEntity {
    /// Reads an item; none if it was deleted.
    pub fn read(home: Account, what: Shareable, item: Item) -> Result<Option<Self>> {
        Self::read_even_deleted(home, what, item).map(|(entity, is_deleted)| (!is_deleted).then_some(entity))
    }

    pub fn read_even_deleted(home: Account, what: Shareable, item: Item) -> Result<(Self, bool)> {
        let shown = item.get("head").and_then(|head| head.as_m().ok()).cloned();
        let EntityItem { rev, head, members, deleted_at } = parse(item)?;
        let sharing = StoredSharing { owner: head.owner, members }.read(home);
        let shown = shown.ok_or_else(|| Error::internal("an entity has no head"))?;
        Ok((Self { home, what, revision: rev, sharing, head, shown }, deleted_at.is_some()))
    }

    /// The next revision, with other users.
    pub fn with_sharing(&self, sharing: Sharing) -> Self {
        let revision = self.revision + 1;
        let mut shown = self.shown.clone();
        if let Some(number) = shown.get_mut("revision") {
            *number = to_value(revision);
        }
        Self { revision, sharing, shown, ..self.clone() }
    }

    pub fn name(&self) -> &str {
        &self.head.name
    }

    /// Whether it belongs to a workflow, and is shared with it.
    pub fn is_private(&self) -> bool {
        self.head.workflow.is_some()
    }

    /// The users who have entries.
    pub fn users(&self) -> impl Iterator<Item = UserId> {
        let owner = Some(self.sharing.owner).filter(|owner| *owner != self.home.user);
        self.sharing.members.keys().copied().chain(owner)
    }

    pub fn account(&self, user: UserId) -> Account {
        Account { org: self.home.org, user }
    }

    /// Whether lists of the home show it.
    pub fn is_listed_at_home(&self) -> bool {
        self.sharing.owner == self.home.user && !self.is_private()
    }

    /// The keys of the indexes in which its owner's list, and the organization's, show it.
    pub fn owner_index_keys(&self) -> Item {
        let organization = match self.what {
            Shareable::Workflow(_) => keys::workflows_of_org(self.home.org),
            Shareable::Agent(_) => keys::agents_of_org(self.home.org),
        };
        let mut keys = self.index_keys();
        keys.insert(ORGANIZATION.name().to_owned(), to_value(organization));
        keys
    }

    /// The keys of the local indexes.
    fn index_keys(&self) -> Item {
        let Head { name, updated_at, requests, .. } = &self.head;
        let id = match self.what {
            Shareable::Workflow(id) => id.uuid(),
            Shareable::Agent(id) => id.uuid(),
        };
        let mut keys = Item::from([
            ("by_name".to_owned(), to_value(keys::by_name(name, id))),
            ("by_created".to_owned(), to_value(id.to_string())),
            ("by_updated".to_owned(), to_value(keys::by_updated(*updated_at, id))),
        ]);
        if let Shareable::Agent(id) = self.what {
            keys.insert("by_requests".to_owned(), keys::requests_rank(*requests, id));
        }
        keys
    }

    /// The entry of a user. None if the user has no access, and needs no entry that says so.
    pub fn entry(&self, user: UserId) -> Option<Item> {
        let role = self.sharing.role_of(user);
        let is_home = user == self.home.user;
        if (is_home && role == Some(TeamRole::Owner)) || (!is_home && role.is_none()) {
            return None;
        }
        let Key { pk, sk } = access_key(self.account(user), self.what);
        let access = StoredAccess { home: self.home.user, role };
        let mut item = to_item(&AccessItem { pk, sk, access, seen: self.revision });
        if let Some(role) = role.filter(|role| *role != TeamRole::Owner) {
            item.insert("head".to_owned(), self.shown_to(role));
            item.extend(self.index_keys());
        }
        Some(item)
    }

    /// The copy in the owner's own list. None if the item itself is there.
    pub fn owners_copy(&self) -> Option<Item> {
        let owner = Some(self.sharing.owner).filter(|owner| *owner != self.home.user)?;
        let mut item = own_key(self.account(owner), self.what).attributes();
        item.insert("head".to_owned(), self.shown_to(TeamRole::Owner));
        item.insert("seen".to_owned(), to_value(self.revision));
        item.insert("deleted_at".to_owned(), to_value(self.head.updated_at));
        // What the types of the items require. Nothing reads it.
        for (name, value) in match self.what {
            Shareable::Workflow(_) => vec![
                ("rev", to_value(0)),
                ("write_id", to_value(Uuid::nil())),
                ("releases", to_value(0)),
                ("graph", to_value(serde_json::json!({"text": "{}"}))),
            ],
            Shareable::Agent(_) => {
                vec![("rev", to_value(0)), ("write_id", to_value(Uuid::nil())), ("config", to_value("{}"))]
            }
        } {
            item.insert(name.to_owned(), value);
        }
        item.extend(self.owner_index_keys());
        Some(item)
    }

    /// The head with the owner, and the role of the user who sees it.
    fn shown_to(&self, role: TeamRole) -> AttributeValue {
        let mut head = self.shown.clone();
        head.insert("owner".to_owned(), to_value(self.sharing.owner));
        head.insert("role".to_owned(), to_value(role));
        AttributeValue::M(head)
    }
}

/// The entry of the user who created something and has no access to it any more.
pub(crate) fn closed_entry(home: Account, what: Shareable) -> Item {
    let Key { pk, sk } = access_key(home, what);
    to_item(&AccessItem { pk, sk, access: StoredAccess { home: home.user, role: None }, seen: 0 })
}

/// The access of an entry.
pub(crate) fn access(item: Item) -> Result<StoredAccess> {
    parse::<AccessItem>(item).map(|item| item.access)
}
