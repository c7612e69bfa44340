//! Users, organizations, memberships and plans.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::keys::{self, Key};
use super::slice::slice;
use super::table::{Item, Query, Range, Table, parse};
use crate::{Context, config};
use domain::id::{Id, OrgId, UserId};
use domain::identity::{Membership, Org, Plan, User};
use domain::page::{Order, Slice};
use domain::{Error, Result};

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

/// An entity as it is stored: its key and itself.
#[derive(Serialize, Deserialize)]
pub(super) struct Stored<T> {
    pk: String,
    sk: String,
    pub entity: T,
}

/// The ids that a part of a directory lists.
fn ids<I: Id>(items: &[Item]) -> impl Iterator<Item = I> {
    items.iter().filter_map(|item| Key::of(item)?.sk.parse().ok())
}

pub(super) fn stored<T>(key: Key, entity: T) -> Stored<T> {
    Stored { pk: key.pk, sk: key.sk, entity }
}

pub(super) fn entity<T: DeserializeOwned>(item: Option<Item>) -> Result<Option<T>> {
    item.map(|item| parse::<Stored<T>>(item).map(|stored| stored.entity)).transpose()
}

impl Identities {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { table: Table::new(context, config::TABLE_ENTITIES)? })
    }

    /// The identity as it is on record. What is not on record yet is recorded as `first_seen` tells it:
    /// the first valid token of a person makes their user, their organization and their membership.
    pub async fn find_or_record(&self, first_seen: &Identity) -> Result<Identity> {
        let (user, org, membership) = self.read(first_seen.org.id, first_seen.user.id).await?;
        self.record_missing(first_seen, user, org, membership).await
    }

    /// Records what was not found, and a role that the issuer changed.
    pub(super) async fn record_missing(
        &self,
        first_seen: &Identity,
        user: Option<User>,
        org: Option<Org>,
        membership: Option<Membership>,
    ) -> Result<Identity> {
        // Each on its own: of two first requests at once, the second finds what the first recorded.
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
        let membership = self.follow_issuer(&first_seen.membership, membership).await?;
        Ok(Identity { user, org, membership })
    }

    /// The issuer decides roles, and the record follows, for those who come by API key. A token that was issued before
    /// the role on record was given does not bring an older role back.
    async fn follow_issuer(&self, by_token: &Membership, known: Option<Membership>) -> Result<Membership> {
        let is_newer = |known: &Membership| known.role != by_token.role && known.role_at <= by_token.role_at;
        let membership = match known {
            Some(known) if !is_newer(&known) => return Ok(known),
            Some(known) => Membership { role: by_token.role, role_at: by_token.role_at, ..known },
            None => by_token.clone(),
        };
        let put = self.table.put(&stored(keys::membership(membership.org, membership.user), &membership));
        let put =
            put.require("attribute_not_exists(pk) OR attribute_not_exists(entity.role_at) OR entity.role_at <= :at");
        match self.table.write(put.bind(":at", membership.role_at)).await? {
            Ok(()) => Ok(membership),
            // A newer token came first.
            Err(refused) => entity(refused.item)?.ok_or_else(|| Error::internal("a membership refused its absence")),
        }
    }

    /// With its entry in the list of all of them. One that is there already stays as it is.
    async fn record(&self, key: Key, entity: &impl Serialize, listed: Key) -> Result<()> {
        let entry = self.table.put_item(listed.attributes());
        let writes = [self.table.put_new(&stored(key, entity)), entry];
        self.table.transact(Uuid::now_v7(), &writes).await.map(drop)
    }

    /// A user in an organization, if they are in it.
    pub async fn find(&self, org: OrgId, user: UserId) -> Result<Option<Identity>> {
        let (Some(user), Some(org), Some(membership)) = self.read(org, user).await? else { return Ok(None) };
        Ok(Some(Identity { user, org, membership }))
    }

    /// The organizations a user is in, by their ids.
    pub async fn orgs_of(&self, user: UserId) -> Result<Vec<(Org, Membership)>> {
        let members = Range::beginning("sk", keys::MEMBER);
        let query = Query { range: Some(members), ..Query::partition(keys::memberships(user)) };
        let memberships = self.table.query_all(query).await?.into_iter();
        let memberships: Vec<Membership> =
            memberships.filter_map(|item| entity(Some(item)).transpose()).collect::<Result<_>>()?;
        let orgs = self.orgs(memberships.iter().map(|membership| membership.org)).await?;
        let known = |membership: Membership| Some((orgs.get(&membership.org)?.clone(), membership));
        Ok(memberships.into_iter().filter_map(known).collect())
    }

    /// Those of the users that are on record.
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

    /// All organizations, in the order of their ids.
    pub async fn list_orgs(&self, limit: u32, after: Option<String>) -> Result<Slice<Org>> {
        let listed = slice(&self.table, keys::ORGS.to_owned(), "", Order::Asc, limit, after).await?;
        let orgs = self.orgs(ids(&listed.items)).await?;
        Ok(Slice { items: orgs.into_values().collect(), next: listed.next })
    }

    pub async fn list_users(&self, limit: u32, after: Option<String>) -> Result<Slice<User>> {
        let listed = slice(&self.table, keys::USERS.to_owned(), "", Order::Asc, limit, after).await?;
        let users = self.users(ids(&listed.items)).await?;
        Ok(Slice { items: users.into_values().collect(), next: listed.next })
    }

    /// All plans: as many as there are prices on a page.
    pub async fn plans(&self) -> Result<Vec<Plan>> {
        let items = self.table.query_all(Query::partition(keys::PLANS)).await?.into_iter();
        items.filter_map(|item| entity(Some(item)).transpose()).collect()
    }

    /// The plan, if there is one of that id.
    pub async fn find_plan(&self, id: &str) -> Result<Option<Plan>> {
        entity(self.table.get(&keys::plan(id)).await?)
    }

    /// Those of the organizations that are on record.
    pub async fn orgs(&self, ids: impl Iterator<Item = OrgId>) -> Result<BTreeMap<OrgId, Org>> {
        let wanted: Vec<Key> = ids.map(keys::org).collect();
        let found = self.table.batch_get(&wanted).await?.into_iter();
        let orgs = found.filter_map(|item| entity::<Org>(Some(item)).transpose());
        orgs.map(|org| org.map(|org| (org.id, org))).collect()
    }

    /// What is on record of the three, in one call.
    async fn read(&self, org: OrgId, user: UserId) -> Result<(Option<User>, Option<Org>, Option<Membership>)> {
        let keys = [keys::user(user), keys::org(org), keys::membership(org, user)];
        let found = self.table.batch_get(&keys).await?;
        let [user, org, membership] =
            keys.map(|key| found.iter().find(|item| Key::of(item).as_ref() == Some(&key)).cloned());
        Ok((entity(user)?, entity(org)?, entity(membership)?))
    }

    pub async fn put_user(&self, user: &User) -> Result<()> {
        self.put(keys::user(user.id), user).await
    }

    pub async fn put_org(&self, org: &Org) -> Result<()> {
        self.put(keys::org(org.id), org).await
    }

    /// Adds a plan, unless there is one of its id.
    pub async fn add_plan(&self, plan: &Plan) -> Result<()> {
        self.table.write(self.table.put_new(&stored(keys::plan(&plan.id), plan))).await.map(drop)
    }

    /// The plan, or one that allows nothing when the operator has not made it.
    pub async fn plan(&self, id: &str) -> Result<Plan> {
        Ok(self.find_plan(id).await?.unwrap_or_else(|| Plan::none(id)))
    }

    async fn put(&self, key: Key, entity: &impl Serialize) -> Result<()> {
        let written = self.table.write(self.table.put(&stored(key, entity))).await?;
        written.map_err(|_| Error::internal("an unconditional put was refused"))
    }
}
