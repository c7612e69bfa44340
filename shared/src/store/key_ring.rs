//! API keys as their owners and operators handle them. What a key is held to stands on its meter, where every lease
//! reads it: a key is made, rotated and revoked together with its meter, in one transaction.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use uuid::Uuid;

use super::api_keys::{ApiKey, ApiKeyItem, PlaceItem, create_refused, create_writes, put_writes};
use super::keys::{self, Key};
use super::meters::{Meter, MeterOf, Meters, of_this_month};
use super::quota;
use super::slice::slice;
use super::table::{Item, Query, Range, Table, parse};
use super::turns::Turns;
use super::write::Write;
use crate::domain::id::{ApiKeyId, Id, OrgId, UserId};
use crate::domain::identity::Account;
use crate::domain::limits::Limits;
use crate::domain::money::Money;
use crate::domain::page::{Order, Slice};
use crate::domain::time::Time;
use crate::domain::token::TokenHash;
use crate::store::leases::LEDGER_FOR;
use crate::{Context, Error, Result, config};

#[derive(Clone)]
pub struct KeyRing {
    entities: Table,
    counters: Table,
}

/// A key, and the hash of its secret.
#[derive(Clone, Debug)]
pub struct Kept {
    pub key: ApiKey,
    pub hash: TokenHash,
}

impl KeyRing {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            entities: Table::new(context, config::TABLE_ENTITIES)?,
            counters: Table::new(context, config::TABLE_COUNTERS)?,
        })
    }

    pub async fn create(
        &self,
        key: &ApiKey,
        hash: &TokenHash,
        limits: Option<Limits>,
        cap: Option<Money>,
    ) -> Result<Meter> {
        let mut writes = create_writes(&self.entities, key, hash);
        let mut meter = keys::key_meter(key.id).attributes();
        if let Some(limits) = limits {
            meter.insert("limits".to_owned(), super::write::to_value(limits));
        }
        if let Some(cap) = cap {
            meter.insert("cap".to_owned(), super::write::to_value(cap));
        }
        writes.push(self.counters.put_item(meter.clone()));
        if let Err(refused) = self.entities.transact(key.id.uuid(), &writes).await? {
            let is_one_too_many = refused.index == 0;
            if !is_one_too_many || !self.retire_expired(key.account, key.created_at).await? {
                return Err(create_refused(refused));
            }
            self.entities.transact(Uuid::now_v7(), &writes).await?.map_err(create_refused)?;
        }
        Ok(Meter::of(meter))
    }

    /// Keys that have expired count as live until somebody needs their place. Whether there were any.
    async fn retire_expired(&self, account: Account, now: Time) -> Result<bool> {
        let range = Some(Range::beginning("sk", &keys::listed_keys_of(account.user)));
        let listed = Query { range, ..Query::partition(keys::listed_keys(account.org)) };
        let mut were_any = false;
        for item in self.entities.query_all(listed).await? {
            let kept = kept(item)?;
            if kept.key.revoked_at.is_none() && !kept.key.is_valid(now) {
                were_any |= self.revoke(&kept, now, Vec::new()).await?;
            }
        }
        Ok(were_any)
    }

    /// Keys of a user, or of everybody in the organization, each user's newest first; and their meters.
    pub async fn list(
        &self,
        org: OrgId,
        user: Option<UserId>,
        limit: u32,
        after: Option<String>,
    ) -> Result<Slice<(ApiKey, Meter)>> {
        let prefix = user.map(keys::listed_keys_of).unwrap_or_default();
        let listed = slice(&self.entities, keys::listed_keys(org), &prefix, Order::Desc, limit, after).await?;
        let next = listed.next;
        let found = listed.items.into_iter().map(|item| Ok(kept(item)?.key));
        let found: Vec<ApiKey> = found.collect::<Result<_>>()?;
        let of: Vec<MeterOf> = found.iter().map(|key| MeterOf::Key(key.id)).collect();
        let meters = Meters::of(&self.counters, &of).await?;
        Ok(Slice { items: found.into_iter().zip(meters).collect(), next })
    }

    pub async fn get(&self, account: Account, id: ApiKeyId) -> Result<Kept> {
        let item = self.entities.get(&keys::listed_key(account, id)).await?;
        kept(item.ok_or(Error::NotFound { kind: ApiKeyId::KIND })?)
    }

    /// Whose key it is, when nobody knows but the key.
    pub async fn find(&self, id: ApiKeyId) -> Result<Kept> {
        let place = self.entities.get(&keys::api_key_of(id)).await?;
        let place: PlaceItem = parse(place.ok_or(Error::NotFound { kind: ApiKeyId::KIND })?)?;
        self.get(Account { org: place.org, user: place.user }, id).await
    }

    /// What a key is held to and has used.
    pub async fn meter(&self, id: ApiKeyId) -> Result<Meter> {
        Ok(Meters::of(&self.counters, &[MeterOf::Key(id)]).await?.remove(0))
    }

    /// Marks a key revoked. Its meter says so too, so that from now on no lease is granted to it, whoever still takes
    /// it for valid. False when it had been revoked before.
    pub async fn revoke(&self, kept: &Kept, now: Time, with: Vec<Write>) -> Result<bool> {
        let mut writes = self.revoke_writes(kept, now);
        writes.push(quota::one_less(&self.entities, keys::live_keys(kept.key.account)));
        writes.push(self.revoke_meter(kept.key.id, now));
        writes.extend(with);
        Ok(self.entities.transact(Uuid::now_v7(), &writes).await?.is_ok())
    }

    /// Puts `new`, which has everything of the old key but its id and secret, in the old one's place. What the old one
    /// has spent this month counts against the new one's cap. None when the old one was revoked meanwhile.
    pub async fn rotate(&self, old: &Kept, new: &ApiKey, hash: &TokenHash, now: Time) -> Result<Option<Meter>> {
        let mut turns = Turns::default();
        loop {
            let before = self.meter(old.key.id).await?;
            let mut meter = before.carried_over();
            meter.extend(keys::key_meter(new.id).attributes());
            let mut writes = self.revoke_writes(old, now);
            writes.extend(put_writes(&self.entities, new, hash));
            writes.push(self.counters.put_item(meter.clone()));
            // A lease that is granted or closed meanwhile changes what is carried over.
            let spent = of_this_month(now);
            let revoked = self.revoke_meter(old.key.id, now);
            writes.push(match before.raw(&spent) {
                Some(value) => revoked.require(&format!("{spent} = :spent")).bind_raw(":spent", value),
                None => revoked.require(&format!("attribute_not_exists({spent})")),
            });
            match self.entities.transact(Uuid::now_v7(), &writes).await? {
                Ok(()) => return Ok(Some(Meter::of(meter))),
                Err(refused) if refused.index == 0 => return Ok(None),
                Err(_) => turns.next("calls keep changing the key's meter").await?,
            }
        }
    }

    /// The first of them refuses a key that is revoked already.
    fn revoke_writes(&self, Kept { key, hash }: &Kept, now: Time) -> Vec<Write> {
        let forgotten_at = now.plus(LEDGER_FOR).as_seconds();
        let revoked = |place: Key| self.entities.update(place).set("revoked_at", now).set("expires_at", forgotten_at);
        let first = revoked(keys::api_key(hash)).require("attribute_exists(pk) AND attribute_not_exists(revoked_at)");
        let place = self.entities.update(keys::api_key_of(key.id)).set("expires_at", forgotten_at);
        vec![first, revoked(keys::listed_key(key.account, key.id)), place]
    }

    fn revoke_meter(&self, id: ApiKeyId, now: Time) -> Write {
        let forgotten_at = now.plus(LEDGER_FOR).as_seconds();
        self.counters.update(keys::key_meter(id)).set("revoked", now).set("expires_at", forgotten_at)
    }
}

fn kept(item: Item) -> Result<Kept> {
    let item: ApiKeyItem = parse(item)?;
    Ok(Kept { hash: TokenHash::from_stored(item.hash.clone()), key: item.into() })
}

impl Meter {
    /// What a key's successor begins with: what it is held to, and what it has used up of it.
    fn carried_over(&self) -> HashMap<String, AttributeValue> {
        let is_own = |name: &str| {
            ["pk", "sk", "revoked", "last_used_at", "expires_at"].contains(&name) || name.ends_with("_wide")
        };
        let attributes = self.item().iter().filter(|(name, _)| !is_own(name));
        attributes.map(|(name, value)| (name.clone(), value.clone())).collect()
    }
}
