//! Users, organizations, memberships and plans.

use std::collections::BTreeMap;

use attributes::Attributes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::attribute::{PK, field};
use super::item::{Item, parse};
use super::keys::{self, Key};
use super::query::{Range, TableQuery};
use super::slice::slice;
use super::table::{Table, WriteOutcome};
use super::write::Write;
use domain::id::{Id, OrgId, UserId};
use domain::identity::{Membership, Org, Plan, User};
use domain::page::{Order, Slice};
use domain::{Error, Result, text};
use platform::{Context, config};

#[derive(Clone)]
pub struct Identities {
    table: Table,
}

/// A user in one of their organizations.
#[derive(Clone, Debug, PartialEq)]
pub struct Identity {
    pub user: User,
    pub org: Org,
    pub membership: Membership,
}

/// A user as a member of an organization.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    pub user: User,
    pub membership: Membership,
}

/// An entry in the list of an organization's members.
#[derive(Serialize, Deserialize, Attributes)]
struct MemberEntry {
    pk: String,
    sk: String,
    /// The name and the address, without case and accents.
    folded: String,
}

/// The write of the entry of a member.
pub(super) fn member_entry(table: &Table, org: OrgId, user: &User) -> Write {
    let Key { pk, sk } = keys::member(org, user.id);
    let text = format!("{} {}", user.name, user.email.as_deref().unwrap_or_default());
    table.put(&MemberEntry { pk, sk, folded: text::folded(&text) })
}

/// The writes of the copies of a plan, which are stored together with the plan.
pub(super) fn plan_copies(table: &Table, plan: &Plan) -> Vec<Write> {
    keys::plan_copies(&plan.id).map(|copy| table.put(&stored(copy, plan))).collect()
}

/// The stored form of an entity: its key and the entity.
#[derive(Serialize, Deserialize, Attributes)]
pub(super) struct StoredEntity<T> {
    pk: String,
    sk: String,
    pub entity: T,
}

/// The ids in a part of a list of organizations or users. They follow the prefix of its sort keys.
fn ids<I: Id>(items: &[Item], prefix: &str) -> impl Iterator<Item = I> {
    items.iter().filter_map(move |item| Key::from_item(item)?.sk.strip_prefix(prefix)?.parse().ok())
}

pub(super) fn stored<T>(key: Key, entity: T) -> StoredEntity<T> {
    StoredEntity { pk: key.pk, sk: key.sk, entity }
}

pub(super) fn entity<T: DeserializeOwned>(item: Option<Item>) -> Result<Option<T>> {
    item.map(|item| parse::<StoredEntity<T>>(item).map(|stored| stored.entity)).transpose()
}

impl Identities {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { table: Table::new(context, config::TABLE_ENTITIES)? })
    }

    /// Finds an identity. The records that do not exist yet are created from `first_seen`: the first valid token of a
    /// person creates their user, organization and membership.
    pub async fn find_or_record(&self, first_seen: &Identity) -> Result<Identity> {
        let (user, org, membership) = self.read(first_seen.org.id, first_seen.user.id).await?;
        self.record_missing(first_seen, user, org, membership).await
    }

    /// Creates the records that were not found, and updates a role that the issuer changed.
    pub(super) async fn record_missing(
        &self,
        first_seen: &Identity,
        user: Option<User>,
        org: Option<Org>,
        membership: Option<Membership>,
    ) -> Result<Identity> {
        // The records are written one by one. Of two concurrent first requests, the second one keeps what the first
        // wrote.
        let user = match user {
            Some(user) => user,
            None => {
                let user = first_seen.user.clone();
                self.record(keys::user(user.id), &user, keys::listed_user(user.id)).await?;
                user
            }
        };
        let org = match org {
            Some(org) => org,
            None => {
                let org = first_seen.org.clone();
                self.record(keys::org(org.id), &org, keys::listed_org(org.id)).await?;
                org
            }
        };
        let membership = self.follow_issuer(&user, &first_seen.membership, membership).await?;
        Ok(Identity { user, org, membership })
    }

    /// Updates the stored role from the issuer's token. Requests with an API key use the stored role. A token that was
    /// issued before the stored role was set does not restore an older role.
    async fn follow_issuer(&self, user: &User, by_token: &Membership, known: Option<Membership>) -> Result<Membership> {
        let is_newer = |known: &Membership| known.role != by_token.role && known.role_at <= by_token.role_at;
        let known_listed = known.as_ref().map(|known| known.listed);
        let membership = match known {
            Some(known) if !is_newer(&known) && known.listed => return Ok(known),
            Some(known) if !is_newer(&known) => Membership { listed: true, ..known },
            Some(known) => Membership { role: by_token.role, role_at: by_token.role_at, listed: true, ..known },
            None => by_token.clone(),
        };
        if known_listed != Some(true) {
            // The list shows only members, so an entry without a membership does no harm.
            self.table
                .write(member_entry(&self.table, membership.org, user))
                .await?
                .or_error(|_| Error::internal("an unconditional put was refused"))?;
        }
        let put = self.table.put(&stored(keys::membership(membership.org, membership.user), &membership));
        let role_at = field!(StoredEntity::<Membership>::ENTITY, role_at);
        let is_older = PK.is_missing().or(role_at.is_missing_or_at_most(membership.role_at));
        match self.table.write(put.require(is_older)).await? {
            WriteOutcome::Written => Ok(membership),
            // A request with a newer token was first.
            WriteOutcome::Refused(refused) => {
                entity(refused.item)?.ok_or_else(|| Error::internal("a refused membership is missing"))
            }
        }
    }

    /// Creates an entity together with its entry in the list of its kind. An existing entity is left unchanged.
    async fn record(&self, key: Key, entity: &impl Serialize, listed: Key) -> Result<()> {
        let entry = self.table.put_item(listed.attributes());
        let writes = [self.table.put_new(&stored(key, entity)), entry];
        self.table.transact(Uuid::now_v7(), &writes).await.map(drop)
    }

    /// Lists the members of an organization, in the order of their ids: those whose name or address contains a text, or all.
    pub async fn members(
        &self,
        org: OrgId,
        search: Option<&str>,
        limit: u32,
        after: Option<String>,
    ) -> Result<Slice<Member>> {
        let after = after.map(|sk| Key { pk: keys::members(org), sk }.attributes());
        let filter = search.map(|text| MemberEntry::FOLDED.contains(text::folded(text)));
        let mut query = TableQuery { filter, after, ..TableQuery::partition(keys::members(org)) };
        let mut entries = Vec::new();
        // With a filter, a query may find nothing although more entries follow.
        let next = loop {
            query.limit = query.filter.is_none().then(|| limit + 1 - entries.len() as u32);
            let found = self.table.query(&query).await?;
            entries.extend(found.items);
            match found.next {
                Some(next) if entries.len() <= limit as usize => query.after = Some(next),
                next => break next.is_some() || entries.len() > limit as usize,
            }
        };
        entries.truncate(limit as usize);
        let last = entries.last().filter(|_| next).and_then(Key::from_item).map(|key| key.sk);
        Ok(Slice { items: self.read_members(org, ids(&entries, "").collect()).await?, next: last })
    }

    /// Reads the members among these users.
    async fn read_members(&self, org: OrgId, users: Vec<UserId>) -> Result<Vec<Member>> {
        let keys = users.iter().flat_map(|user| [keys::user(*user), keys::membership(org, *user)]);
        let found = self.table.batch_get(&keys.collect::<Vec<_>>()).await?;
        let find = |key: Key| found.iter().find(|item| Key::from_item(item).as_ref() == Some(&key)).cloned();
        let mut members = Vec::new();
        for id in users {
            let (user, membership) = (entity(find(keys::user(id)))?, entity(find(keys::membership(org, id)))?);
            members.extend(user.zip(membership).map(|(user, membership)| Member { user, membership }));
        }
        Ok(members)
    }

    /// Finds a user in an organization, if the user is a member.
    pub async fn find(&self, org: OrgId, user: UserId) -> Result<Option<Identity>> {
        let (Some(user), Some(org), Some(membership)) = self.read(org, user).await? else { return Ok(None) };
        Ok(Some(Identity { user, org, membership }))
    }

    /// Finds the membership of a user in an organization.
    pub async fn membership(&self, org: OrgId, user: UserId) -> Result<Option<Membership>> {
        entity(self.table.get(&keys::membership(org, user)).await?)
    }

    /// Lists the organizations of a user, in the order of their ids.
    pub async fn orgs_of(&self, user: UserId) -> Result<Vec<(Org, Membership)>> {
        let members = Range::beginning(keys::MEMBER);
        let query = TableQuery { range: Some(members), ..TableQuery::partition(keys::memberships(user)) };
        let memberships = self.table.query_all(query).await?.into_iter();
        let memberships: Vec<Membership> =
            memberships.filter_map(|item| entity(Some(item)).transpose()).collect::<Result<_>>()?;
        let orgs = self.orgs(memberships.iter().map(|membership| membership.org)).await?;
        let known = |membership: Membership| Some((orgs.get(&membership.org)?.clone(), membership));
        Ok(memberships.into_iter().filter_map(known).collect())
    }

    /// Reads the users that exist under these ids.
    pub async fn users(&self, ids: impl Iterator<Item = UserId>) -> Result<BTreeMap<UserId, User>> {
        let wanted: Vec<Key> = ids.map(keys::user).collect();
        let found = self.table.batch_get(&wanted).await?.into_iter();
        let users = found.filter_map(|item| entity::<User>(Some(item)).transpose());
        users.map(|user| user.map(|user| (user.id, user))).collect()
    }

    pub async fn org(&self, id: OrgId) -> Result<Org> {
        entity(self.table.get(&keys::org(id)).await?)?.ok_or(Error::NotFound { kind: OrgId::KIND })
    }

    pub async fn user(&self, id: UserId) -> Result<User> {
        entity(self.table.get(&keys::user(id)).await?)?.ok_or(Error::NotFound { kind: UserId::KIND })
    }

    /// Lists all organizations, in the order of their ids.
    pub async fn list_orgs(&self, limit: u32, after: Option<String>) -> Result<Slice<Org>> {
        let listed = slice(&self.table, keys::ORGS.to_owned(), "", Order::Asc, limit, after).await?;
        let orgs = self.orgs(ids(&listed.items, "")).await?;
        Ok(Slice { items: orgs.into_values().collect(), next: listed.next })
    }

    /// Lists a part of the organizations of a user, in the order of their ids.
    pub async fn list_orgs_of(&self, user: UserId, limit: u32, after: Option<String>) -> Result<Slice<Org>> {
        let listed = slice(&self.table, keys::memberships(user), keys::MEMBER, Order::Asc, limit, after).await?;
        let orgs = self.orgs(ids(&listed.items, keys::MEMBER)).await?;
        Ok(Slice { items: orgs.into_values().collect(), next: listed.next })
    }

    pub async fn list_users(&self, limit: u32, after: Option<String>) -> Result<Slice<User>> {
        let listed = slice(&self.table, keys::USERS.to_owned(), "", Order::Asc, limit, after).await?;
        let users = self.users(ids(&listed.items, "")).await?;
        Ok(Slice { items: users.into_values().collect(), next: listed.next })
    }

    /// Lists all plans. There are few, so they are not paginated.
    pub async fn plans(&self) -> Result<Vec<Plan>> {
        let items = self.table.query_all(TableQuery::partition(keys::PLANS)).await?.into_iter();
        items.filter_map(|item| entity(Some(item)).transpose()).collect()
    }

    /// Finds a plan, if it exists.
    pub async fn find_plan(&self, id: &str) -> Result<Option<Plan>> {
        entity(self.table.get(&keys::plan(id)).await?)
    }

    /// Reads the organizations that exist under these ids.
    pub async fn orgs(&self, ids: impl Iterator<Item = OrgId>) -> Result<BTreeMap<OrgId, Org>> {
        let wanted: Vec<Key> = ids.map(keys::org).collect();
        let found = self.table.batch_get(&wanted).await?.into_iter();
        let orgs = found.filter_map(|item| entity::<Org>(Some(item)).transpose());
        orgs.map(|org| org.map(|org| (org.id, org))).collect()
    }

    /// Reads the user, the organization and the membership in one call.
    async fn read(&self, org: OrgId, user: UserId) -> Result<(Option<User>, Option<Org>, Option<Membership>)> {
        let keys = [keys::user(user), keys::org(org), keys::membership(org, user)];
        let found = self.table.batch_get(&keys).await?;
        let [user, org, membership] =
            keys.map(|key| found.iter().find(|item| Key::from_item(item).as_ref() == Some(&key)).cloned());
        Ok((entity(user)?, entity(org)?, entity(membership)?))
    }

    pub async fn put_user(&self, user: &User) -> Result<()> {
        self.put(keys::user(user.id), user).await
    }

    pub async fn put_org(&self, org: &Org) -> Result<()> {
        self.put(keys::org(org.id), org).await
    }

    /// Adds a plan, unless one with its id exists.
    pub async fn add_plan(&self, plan: &Plan) -> Result<()> {
        let mut writes = vec![self.table.put_new(&stored(keys::plan(&plan.id), plan))];
        writes.extend(plan_copies(&self.table, plan));
        self.table.transact(Uuid::now_v7(), &writes).await.map(drop)
    }

    /// The plan, or a plan that allows nothing when the operator has not created it.
    pub async fn plan(&self, id: &str) -> Result<Plan> {
        Ok(self.find_plan(id).await?.unwrap_or_else(|| Plan::none(id)))
    }

    async fn put(&self, key: Key, entity: &impl Serialize) -> Result<()> {
        let written = self.table.write(self.table.put(&stored(key, entity))).await?;
        written.or_error(|_| Error::internal("an unconditional put was refused"))
    }
}
