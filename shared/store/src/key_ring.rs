//! API key management: creation, rotation, revocation and settings. The limits and the cap of a key are stored on its
//! meter, where every lease reads them. So a key changes together with its meter, in one transaction.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use uuid::Uuid;

use super::api_keys::{
    ApiKey, ApiKeyItem, LIVE_KEYS, PlaceItem, StoredKey, create_refused, create_writes, parse_key, put_writes,
};
use super::attribute::{EXPIRES_AT, PK, SK};
use super::authority::Authority;
use super::backoff::Backoff;
use super::item::parse;
use super::keys::{self, Key};
use super::meters::{Meter, MeterOwner, Meters, spending_attribute};
use super::query::{Range, TableQuery};
use super::quota;
use super::slice::slice;
use super::table::{Table, WriteOutcome};
use super::write::Write;
use domain::id::{ApiKeyId, Id, OrgId, UserId};
use domain::identity::Account;
use domain::ledger;
use domain::limits::Limits;
use domain::money::Money;
use domain::page::{Order, Slice};
use domain::time::Time;
use domain::token::{SecretToken, TokenHash};
use domain::{Error, Result};
use platform::{Context, config};

#[derive(Clone)]
pub struct KeyRing {
    entities: Table,
    counters: Table,
}

/// A key to be created, with the limits and the cap of its meter.
pub struct NewKey {
    pub key: ApiKey,
    pub hash: TokenHash,
    pub limits: Option<Limits>,
    pub cap: Option<Money>,
}

impl NewKey {
    pub fn new(account: Account, settings: KeySettings, secret: &SecretToken, now: Time) -> Self {
        let KeySettings { name, models, expires_at, limits, cap } = settings;
        let key = ApiKey {
            id: ApiKeyId::new(),
            account,
            name,
            last4: secret.last4().to_owned(),
            created_at: now,
            expires_at,
            revoked_at: None,
            models,
            workbench: None,
        };
        Self { key, hash: secret.hash(), limits, cap }
    }

    /// The key's meter, before any use.
    pub fn meter(&self) -> Meter {
        let meter = Meter::from_item(keys::key_meter(self.key.id).attributes());
        meter.with(Meter::LIMITS, self.limits).with(Meter::CAP, self.cap)
    }
}

impl KeySettings {
    pub fn of(key: &ApiKey, meter: &Meter) -> Self {
        let ApiKey { name, models, expires_at, .. } = key.clone();
        Self { name, models, expires_at, limits: meter.limits(), cap: meter.cap() }
    }
}

/// The settings of a key that may be changed.
#[derive(Clone, Debug, PartialEq)]
pub struct KeySettings {
    pub name: String,
    pub models: Option<Vec<String>>,
    pub expires_at: Option<Time>,
    pub limits: Option<Limits>,
    pub cap: Option<Money>,
}

impl KeyRing {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            entities: Table::new(context, config::TABLE_ENTITIES)?,
            counters: Table::new(context, config::TABLE_COUNTERS)?,
        })
    }

    /// Creates a key together with its meter. Returns the meter.
    pub async fn create(&self, by: &Authority, new: &NewKey) -> Result<Meter> {
        self.create_with(by, new, Vec::new()).await?.or_error(create_refused)?;
        Ok(new.meter())
    }

    /// Creates a key, in one transaction with additional writes. If the user has the maximum number of keys, expired
    /// keys are revoked first.
    pub(super) async fn create_with(&self, by: &Authority, new: &NewKey, with: Vec<Write>) -> Result<WriteOutcome> {
        let NewKey { key, hash, .. } = new;
        let mut writes = with;
        writes.extend(create_writes(&self.entities, key, hash));
        writes.push(self.counters.put_item(new.meter().item().clone()));
        let mut created = by.transact(&self.entities, writes.clone()).await?;
        if matches!(&created, WriteOutcome::Refused(refused) if refused.label == LIVE_KEYS)
            && self.retire_expired(key.account, key.created_at).await?
        {
            created = by.transact(&self.entities, writes).await?;
        }
        Ok(created)
    }

    /// Revokes the expired keys of a user, which count towards the maximum until then. Returns whether there were any.
    async fn retire_expired(&self, account: Account, now: Time) -> Result<bool> {
        let range = Some(Range::beginning(&keys::listed_keys_of(account.user)));
        let listed = TableQuery { range, ..TableQuery::partition(keys::listed_keys(account.org)) };
        let mut were_any = false;
        for item in self.entities.query_all(listed).await? {
            let kept = parse_key(item)?;
            if kept.key.revoked_at.is_none() && !kept.key.is_valid(now) {
                were_any |= self.entities.transact(Uuid::now_v7(), &self.revoke_writes(&kept, now)).await?.is_written();
            }
        }
        Ok(were_any)
    }

    /// Lists the keys of a user, or of all users in the organization, with their meters. Each user's newest key is
    /// first.
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
        let found = listed.items.into_iter().map(|item| Ok(parse_key(item)?.key));
        let found: Vec<ApiKey> = found.collect::<Result<_>>()?;
        let of: Vec<MeterOwner> = found.iter().map(|key| MeterOwner::Key(key.id)).collect();
        let meters = Meters::read_all(&self.counters, &of).await?;
        Ok(Slice { items: found.into_iter().zip(meters).collect(), next })
    }

    pub async fn get(&self, account: Account, id: ApiKeyId) -> Result<StoredKey> {
        let item = self.entities.get(&keys::listed_key(account, id)).await?;
        parse_key(item.ok_or(Error::NotFound { kind: ApiKeyId::KIND })?)
    }

    /// Finds a key by its id alone, when its owner is not known.
    pub async fn find(&self, id: ApiKeyId) -> Result<StoredKey> {
        let place = self.entities.get(&keys::api_key_of(id)).await?;
        let place: PlaceItem = parse(place.ok_or(Error::NotFound { kind: ApiKeyId::KIND })?)?;
        self.get(Account { org: place.org, user: place.user }, id).await
    }

    /// The meter of a key: its limits, its cap and what it used.
    pub async fn meter(&self, id: ApiKeyId) -> Result<Meter> {
        Ok(Meters::read_all(&self.counters, &[MeterOwner::Key(id)]).await?.remove(0))
    }

    /// Whether a key has models, limits or a cap of its own, which restrict it more than its holder.
    pub async fn is_restricted(&self, key: &ApiKey) -> Result<bool> {
        if key.models.is_some() {
            return Ok(true);
        }
        let meter = self.meter(key.id).await?;
        Ok(meter.limits().is_some() || meter.cap().is_some())
    }

    /// Revokes a key and marks its meter revoked. From then on the meter grants no lease, even to a process that has
    /// the key cached as valid. Returns false when the key was revoked before.
    pub async fn revoke(&self, by: &Authority, kept: &StoredKey, with: Vec<Write>) -> Result<bool> {
        let mut writes = self.revoke_writes(kept, by.at);
        writes.extend(with);
        Ok(by.transact(&self.entities, writes).await?.is_written())
    }

    /// Replaces a key by a new one with this secret. The new key inherits the settings, and the old key's spending of
    /// this month counts against its cap.
    pub async fn rotate(
        &self,
        by: &Authority,
        account: Account,
        id: ApiKeyId,
        secret: &SecretToken,
    ) -> Result<(ApiKey, Meter)> {
        let now = by.at;
        let mut backoff = Backoff::default();
        loop {
            let old = self.get(account, id).await?;
            if !old.key.is_valid(now) {
                return Err(not_valid());
            }
            if old.key.workbench.is_some() {
                return Err(key_of_workbench());
            }
            let before = self.meter(id).await?;
            let last4 = secret.last4().to_owned();
            let new = ApiKey { id: ApiKeyId::new(), last4, created_at: now, ..old.key.clone() };
            let mut meter = before.inherited_attributes();
            meter.extend(keys::key_meter(new.id).attributes());
            let [key, listed, place] = self.revoke_key(&old, now);
            // Without these conditions, a concurrent change of the settings or the meter would be lost with the old
            // key.
            let mut writes = vec![key, require_settings(listed, &old.key), place];
            writes.push(require_held(self.revoke_meter(id, now), &before, now));
            writes.extend(put_writes(&self.entities, &new, &secret.hash()));
            writes.push(self.counters.put_item(meter.clone()));
            match by.transact(&self.entities, writes).await? {
                WriteOutcome::Written => return Ok((new, Meter::from_item(meter))),
                WriteOutcome::Refused(_) => backoff.next("calls keep changing the key's meter").await?,
            }
        }
    }

    /// The writes that change a key's settings. They are refused when the key was revoked or changed since it was read.
    pub(super) fn change_writes(&self, before: (&StoredKey, &Meter), after: &KeySettings) -> Vec<Write> {
        let (StoredKey { key, hash }, meter) = before;
        let KeySettings { name, models, expires_at, limits, cap } = after;
        let changed = |place: Key| {
            let update = self.entities.update(place).set(ApiKeyItem::NAME, name);
            let update = update
                .set_or_remove(ApiKeyItem::MODELS, models.as_ref())
                .set_or_remove(ApiKeyItem::ENDS_AT, *expires_at);
            require_settings(update.require_exists().require(ApiKeyItem::REVOKED_AT.is_missing()), key)
        };
        let held = self.counters.update(keys::key_meter(key.id));
        let held = held.set_or_remove(Meter::LIMITS, limits.as_ref()).set_or_remove(Meter::CAP, cap.as_ref());
        vec![
            changed(keys::api_key(hash)),
            changed(keys::listed_key(key.account, key.id)),
            held.require(meter.is_unchanged(Meter::LIMITS)).require(meter.is_unchanged(Meter::CAP)),
        ]
    }

    /// The writes that revoke a key. The first one is refused when the key is revoked already.
    pub(super) fn revoke_writes(&self, kept: &StoredKey, now: Time) -> Vec<Write> {
        let mut writes = self.revoke_key(kept, now).to_vec();
        // The keys of workbenches do not count towards the maximum.
        if kept.key.workbench.is_none() {
            writes.push(quota::decrement(&self.entities, keys::live_keys(kept.key.account)));
        }
        writes.push(self.revoke_meter(kept.key.id, now));
        writes
    }

    fn revoke_key(&self, StoredKey { key, hash }: &StoredKey, now: Time) -> [Write; 3] {
        let forgotten_at = now.plus(ledger::RETENTION).as_seconds();
        let revoked =
            |place: Key| self.entities.update(place).set(ApiKeyItem::REVOKED_AT, now).set(EXPIRES_AT, forgotten_at);
        let first = revoked(keys::api_key(hash)).require_exists().require(ApiKeyItem::REVOKED_AT.is_missing());
        let place = self.entities.update(keys::api_key_of(key.id)).set(EXPIRES_AT, forgotten_at);
        [first, revoked(keys::listed_key(key.account, key.id)), place]
    }

    fn revoke_meter(&self, id: ApiKeyId, now: Time) -> Write {
        let forgotten_at = now.plus(ledger::RETENTION).as_seconds();
        self.counters.update(keys::key_meter(id)).set(Meter::REVOKED, now).set(EXPIRES_AT, forgotten_at)
    }
}

/// Requires that a key's settings are unchanged since they were read.
fn require_settings(write: Write, read: &ApiKey) -> Write {
    let write = write.require_is(ApiKeyItem::NAME, &read.name).require_same(ApiKeyItem::MODELS, read.models.as_ref());
    write.require_same(ApiKeyItem::ENDS_AT, read.expires_at)
}

/// Requires that a meter's limits, cap and spending of this month are unchanged since they were read.
fn require_held(write: Write, read: &Meter, now: Time) -> Write {
    let write = write.require(read.is_unchanged(Meter::LIMITS)).require(read.is_unchanged(Meter::CAP));
    write.require(read.is_unchanged(spending_attribute(now)))
}

fn key_of_workbench() -> Error {
    let message =
        "this key belongs to a workbench, which would not get the new one; stop and start the workbench to replace it";
    Error::Conflict { code: "api_key_of_workbench", message: message.to_owned() }
}

pub(super) fn not_valid() -> Error {
    Error::Conflict {
        code: "api_key_not_valid",
        message: "this key is revoked or has expired; create another".to_owned(),
    }
}

impl Meter {
    /// The attributes that the meter of a key's successor inherits: the limits, the cap and the counters.
    pub(super) fn inherited_attributes(&self) -> HashMap<String, AttributeValue> {
        let mut inherited = self.item().clone();
        let own = [PK.path(), SK.path(), EXPIRES_AT.path(), Self::REVOKED.path(), Self::LAST_USED_AT.path()];
        own.iter().for_each(|own| drop(inherited.remove(own.attribute.as_ref())));
        inherited.retain(|name, _| !name.ends_with("_wide"));
        inherited
    }
}
