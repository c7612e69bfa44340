//! Authorization inside the transaction: a write requires that its caller is still authorized when it is carried out. A
//! request is authenticated when it arrives; this check also catches a revocation, suspension or demotion after that.

use uuid::Uuid;

use super::api_keys::{ApiKeyItem, parse_key};
use super::attribute::field;
use super::identities::StoredEntity;
use super::item::{Item, parse};
use super::keys::{self, Key};
use super::table::{RefusedWrite, Table, WriteOutcome};
use super::write::Write;
use domain::audit::{ActingRole, Actor, AuditAction};
use domain::id::ApiKeyId;
use domain::identity::{Account, Membership, Org, User};
use domain::time::Time;
use domain::{Error, Refusal, Result};

/// The caller of a write, and the role that the write requires.
#[derive(Clone, Copy, Debug)]
pub struct Authority {
    actor: Actor,
    role: Option<ActingRole>,
    pub at: Time,
}

/// One record that must allow the write, and how.
#[derive(Clone, Copy)]
enum Demand {
    /// The key is neither revoked nor expired.
    ValidKey(Account, ApiKeyId),
    /// The user is not suspended.
    User(Account),
    /// The organization is not suspended.
    Org(Account),
    /// The user has the role.
    Role(Account, ActingRole),
}

impl Authority {
    /// The authority of a user with an API key or an access token.
    pub fn for_user(actor: Actor, at: Time) -> Self {
        Self { actor, role: None, at }
    }

    /// The authority that an action requires.
    pub fn of_action(action: &AuditAction) -> Self {
        Self { actor: action.actor, role: Some(action.role), at: action.at }
    }

    /// Carries out all writes or none, on condition that the actor is still authorized.
    pub(super) async fn transact(&self, entities: &Table, writes: Vec<Write>) -> Result<WriteOutcome> {
        let outcome = entities.transact(Uuid::now_v7(), &self.guard(entities, writes)).await?;
        if let WriteOutcome::Refused(refused) = &outcome {
            self.check(refused)?;
        }
        Ok(outcome)
    }

    /// Adds the conditions on the actor to the writes. A transaction accepts only one operation for each item, so if a
    /// write changes or checks the record itself, the condition is added to that write.
    pub(super) fn guard(&self, entities: &Table, mut writes: Vec<Write>) -> Vec<Write> {
        let mut checks = Vec::new();
        for demand in self.demands() {
            let key = demand.key();
            let own = writes.iter_mut().find(|write| entities.owns(write) && write.key().as_ref() == Some(&key));
            match own {
                Some(write) => *write = demand.add_to(write.clone(), self.at),
                None => checks.push(demand.add_to(entities.check(key), self.at)),
            }
        }
        // These checks come first, so that a caller who is no longer authorized learns nothing from other refusals.
        checks.extend(writes);
        checks
    }

    /// Returns an error when the write was refused because the actor is no longer authorized.
    pub(super) fn check(&self, refused: &RefusedWrite) -> Result<()> {
        let demand = self.demands().find(|demand| refused.key.as_ref() == Some(&demand.key()));
        demand.map_or(Ok(()), |demand| demand.check(refused.item.clone(), self.at))
    }

    fn demands(&self) -> impl Iterator<Item = Demand> {
        let Actor { org, user, key } = self.actor;
        let account = Account { org, user };
        let key = key.map(|key| Demand::ValidKey(account, key));
        let role = self.role.map(|role| Demand::Role(account, role));
        key.into_iter().chain([Demand::User(account), Demand::Org(account)]).chain(role)
    }
}

impl Demand {
    fn key(self) -> Key {
        match self {
            Self::ValidKey(account, key) => keys::listed_key(account, key),
            Self::User(Account { user, .. }) => keys::user(user),
            Self::Org(Account { org, .. }) => keys::org(org),
            Self::Role(Account { org, user }, _) => keys::membership(org, user),
        }
    }

    fn add_to(self, write: Write, at: Time) -> Write {
        match self {
            Self::ValidKey(..) => write
                .require_exists()
                .require(ApiKeyItem::REVOKED_AT.is_missing())
                .require(ApiKeyItem::ENDS_AT.is_missing().or(ApiKeyItem::ENDS_AT.is_greater_than(at))),
            Self::User(_) => write.require_is(field!(StoredEntity::<User>::ENTITY, suspended), false),
            Self::Org(_) => write.require_is(field!(StoredEntity::<Org>::ENTITY, suspended), false),
            Self::Role(_, role) => {
                write.require(field!(StoredEntity::<Membership>::ENTITY, role).is_one_of(role.held_by()))
            }
        }
    }

    /// Evaluates the same condition on the item of a refusal, to find the error to return.
    fn check(self, item: Option<Item>, at: Time) -> Result<()> {
        let unknown = Err(Error::Unauthenticated(Refusal::Unknown));
        let Some(item) = item else { return unknown };
        match self {
            Self::ValidKey(..) => match parse_key(item)?.key.is_valid(at) {
                true => Ok(()),
                false => unknown,
            },
            Self::User(_) => match parse::<StoredEntity<User>>(item)?.entity.suspended {
                true => Err(Error::Unauthenticated(Refusal::UserSuspended)),
                false => Ok(()),
            },
            Self::Org(_) => match parse::<StoredEntity<Org>>(item)?.entity.suspended {
                true => Err(Error::Unauthenticated(Refusal::OrgSuspended)),
                false => Ok(()),
            },
            Self::Role(_, role) => match role.held_by().contains(&parse::<StoredEntity<Membership>>(item)?.entity.role)
            {
                true => Ok(()),
                false => Err(role.refusal()),
            },
        }
    }
}
