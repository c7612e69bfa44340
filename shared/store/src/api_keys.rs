//! API keys. A key is looked up by the hash of its secret, so the secret itself is never stored.

use attributes::Attributes;
use serde::{Deserialize, Serialize};

use super::item::{Item, parse};
use super::keys::{self, Key};
use super::quota;
use super::table::{RefusedWrite, Table};
use super::write::Write;
use domain::id::{ApiKeyId, OrgId, UserId, WorkbenchId};
use domain::identity::Account;
use domain::time::Time;
use domain::token::TokenHash;
use domain::{Error, Result};
use platform::{Context, config};

#[derive(Clone, Debug, PartialEq)]
pub struct ApiKey {
    pub id: ApiKeyId,
    pub account: Account,
    pub name: String,
    pub last4: String,
    pub created_at: Time,
    pub expires_at: Option<Time>,
    pub revoked_at: Option<Time>,
    /// The models that the key may call. `None` means all models of the plan.
    pub models: Option<Vec<String>>,
    /// The workbench that the key was minted for. Such a key only calls models.
    pub workbench: Option<WorkbenchId>,
}

impl ApiKey {
    pub fn is_valid(&self, now: Time) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|expires_at| now < expires_at)
    }
}

/// A key, and the hash of its secret.
#[derive(Clone, Debug)]
pub struct StoredKey {
    pub key: ApiKey,
    pub hash: TokenHash,
}

/// The maximum number of keys of one user in one organization that are not revoked.
pub const MAX_KEYS: usize = 100;
/// The label of the quota write, which refuses a key above the maximum.
pub(super) const LIVE_KEYS: &str = "live keys";

#[derive(Clone)]
pub struct ApiKeys {
    table: Table,
}

#[derive(Serialize, Deserialize, Attributes)]
pub(super) struct ApiKeyItem {
    pk: String,
    sk: String,
    pub hash: String,
    id: ApiKeyId,
    org: OrgId,
    user: UserId,
    name: String,
    last4: String,
    created_at: Time,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ends_at: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    revoked_at: Option<Time>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    models: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    of_workbench: Option<WorkbenchId>,
}

/// Maps the id of a key to its owner.
#[derive(Serialize, Deserialize, Attributes)]
pub(super) struct PlaceItem {
    pk: String,
    sk: String,
    pub org: OrgId,
    pub user: UserId,
}

impl ApiKeys {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { table: Table::new(context, config::TABLE_ENTITIES)? })
    }

    /// Stores a new key, unless its user has the maximum number of keys.
    pub async fn create(&self, key: &ApiKey, hash: &TokenHash) -> Result<()> {
        let created = self.table.transact(key.id.uuid(), &create_writes(&self.table, key, hash)).await?;
        created.or_error(create_refused)
    }

    pub async fn find(&self, hash: &TokenHash) -> Result<Option<ApiKey>> {
        let item = self.table.get(&keys::api_key(hash)).await?;
        Ok(item.map(|item| api_key(item, hash)).transpose()?.flatten())
    }
}

pub(super) fn parse_key(item: Item) -> Result<StoredKey> {
    let item: ApiKeyItem = parse(item)?;
    Ok(StoredKey { hash: TokenHash::from_stored(item.hash.clone()), key: item.into() })
}

/// The key of an item that was found by this hash. The stored hash is compared again.
pub(super) fn api_key(item: Item, hash: &TokenHash) -> Result<Option<ApiKey>> {
    let item: ApiKeyItem = parse(item)?;
    let is_of_hash = TokenHash::from_stored(item.hash.clone()).matches(hash);
    Ok(is_of_hash.then(|| item.into()))
}

impl ApiKeyItem {
    fn new(place: Key, key: &ApiKey, hash: &TokenHash) -> Self {
        Self {
            pk: place.pk,
            sk: place.sk,
            hash: hash.as_str().to_owned(),
            id: key.id,
            org: key.account.org,
            user: key.account.user,
            name: key.name.clone(),
            last4: key.last4.clone(),
            created_at: key.created_at,
            ends_at: key.expires_at,
            revoked_at: key.revoked_at,
            models: key.models.clone(),
            of_workbench: key.workbench,
        }
    }
}

impl From<ApiKeyItem> for ApiKey {
    fn from(item: ApiKeyItem) -> Self {
        Self {
            id: item.id,
            account: Account { org: item.org, user: item.user },
            name: item.name,
            last4: item.last4,
            created_at: item.created_at,
            expires_at: item.ends_at,
            revoked_at: item.revoked_at,
            models: item.models,
            workbench: item.of_workbench,
        }
    }
}

/// The writes that create a key: the quota of the user's keys, then the key.
pub(super) fn create_writes(table: &Table, key: &ApiKey, hash: &TokenHash) -> Vec<Write> {
    let count = quota::increment(table, keys::live_keys(key.account), MAX_KEYS);
    [count.labeled(LIVE_KEYS)].into_iter().chain(put_writes(table, key, hash)).collect()
}

/// The writes that store a key under the hash of its secret, in its organization's list, and under its id.
pub(super) fn put_writes(table: &Table, key: &ApiKey, hash: &TokenHash) -> [Write; 3] {
    let place = keys::api_key_of(key.id);
    let Account { org, user } = key.account;
    [
        table.put_new(&ApiKeyItem::new(keys::api_key(hash), key, hash)),
        table.put_new(&ApiKeyItem::new(keys::listed_key(key.account, key.id), key, hash)),
        table.put_new(&PlaceItem { pk: place.pk, sk: place.sk, org, user }),
    ]
}

pub(super) fn create_refused(refused: RefusedWrite) -> Error {
    match refused.label {
        LIVE_KEYS => Error::Conflict {
            code: "too_many_api_keys",
            message: format!("a user has at most {MAX_KEYS} keys in an organization; revoke one first"),
        },
        _ => Error::internal("a new API key's hash or id is in use"),
    }
}
