//! Users, organizations, memberships and plans.

use serde::{Deserialize, Serialize};

use super::keys::{self, Key};
use super::table::{Table, parse};
use crate::domain::id::{OrgId, UserId};
use crate::domain::identity::{Membership, Org, Plan, User};
use crate::{Context, Error, Result, config};

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
struct Stored<T> {
    pk: String,
    sk: String,
    entity: T,
}

fn stored<T>(key: Key, entity: T) -> Stored<T> {
    Stored { pk: key.pk, sk: key.sk, entity }
}

impl Identities {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { table: Table::new(context, config::TABLE_ENTITIES)? })
    }

    /// The identity as it is on record. What is not on record yet is recorded as `first_seen` tells it:
    /// the first valid token of a person makes their user, their organization and their membership.
    pub async fn find_or_record(&self, first_seen: &Identity) -> Result<Identity> {
        let Identity { user, org, membership } = first_seen;
        let (user_key, org_key) = (keys::user(user.id), keys::org(org.id));
        let member_key = keys::membership(org.id, user.id);
        let found = self.table.batch_get(&[user_key.clone(), org_key.clone(), member_key.clone()]).await?;

        let mut identity = first_seen.clone();
        let (mut user_known, mut org_known, mut member_known) = (false, false, false);
        for item in found {
            match Key::of(&item) {
                Some(key) if key == user_key => (identity.user, user_known) = (parse::<Stored<_>>(item)?.entity, true),
                Some(key) if key == org_key => (identity.org, org_known) = (parse::<Stored<_>>(item)?.entity, true),
                _ => (identity.membership, member_known) = (parse::<Stored<_>>(item)?.entity, true),
            }
        }
        // Each on its own: whoever comes second finds what the first one recorded.
        if !user_known {
            let _ = self.table.write(self.table.put_new(&stored(user_key, user))).await?;
        }
        if !org_known {
            let _ = self.table.write(self.table.put_new(&stored(org_key, org))).await?;
        }
        if !member_known || identity.membership.role != membership.role {
            // The issuer decides roles; the record follows, for those who come by API key.
            identity.membership.role = membership.role;
            let _ = self.table.write(self.table.put(&stored(member_key, &identity.membership))).await?;
        }
        Ok(identity)
    }

    /// A user in an organization, if they are in it.
    pub async fn find(&self, org: OrgId, user: UserId) -> Result<Option<Identity>> {
        let (user_key, org_key, member_key) = (keys::user(user), keys::org(org), keys::membership(org, user));
        let found = self.table.batch_get(&[user_key.clone(), org_key.clone(), member_key.clone()]).await?;
        let entity = |key: &Key| found.iter().find(|item| Key::of(item).as_ref() == Some(key)).cloned();
        let (Some(user), Some(org), Some(membership)) = (entity(&user_key), entity(&org_key), entity(&member_key))
        else {
            return Ok(None);
        };
        Ok(Some(Identity {
            user: parse::<Stored<_>>(user)?.entity,
            org: parse::<Stored<_>>(org)?.entity,
            membership: parse::<Stored<_>>(membership)?.entity,
        }))
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
        let item = self.table.get(&keys::plan(id)).await?;
        item.map_or_else(|| Ok(Plan::none(id)), |item| Ok(parse::<Stored<_>>(item)?.entity))
    }

    async fn put(&self, key: Key, entity: &impl Serialize) -> Result<()> {
        let written = self.table.write(self.table.put(&stored(key, entity))).await?;
        written.map_err(|_| Error::internal("an unconditional put was refused"))
    }
}
