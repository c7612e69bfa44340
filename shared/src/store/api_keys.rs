//! API keys, found by the hash of their secret.

use serde::{Deserialize, Serialize};

use super::keys;
use super::table::{Table, parse};
use crate::domain::id::{ApiKeyId, OrgId, UserId};
use crate::domain::identity::Account;
use crate::domain::time::Time;
use crate::domain::token::TokenHash;
use crate::{Context, Error, Result, config};

#[derive(Clone, Debug, PartialEq)]
pub struct ApiKey {
    pub id: ApiKeyId,
    pub account: Account,
    pub name: String,
    pub last4: String,
    pub created_at: Time,
    pub expires_at: Option<Time>,
    pub revoked_at: Option<Time>,
    /// The models it may call; none is all of the plan's.
    pub models: Option<Vec<String>>,
}

impl ApiKey {
    pub fn is_valid(&self, now: Time) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|expires_at| now < expires_at)
    }
}

#[derive(Clone)]
pub struct ApiKeys {
    table: Table,
}

#[derive(Serialize, Deserialize)]
struct ApiKeyItem {
    pk: String,
    sk: String,
    hash: String,
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
}

impl ApiKeys {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { table: Table::new(context, config::TABLE_ENTITIES)? })
    }

    pub async fn create(&self, key: &ApiKey, hash: &TokenHash) -> Result<()> {
        let place = keys::api_key(hash);
        let item = ApiKeyItem {
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
        };
        let written = self.table.write(self.table.put_new(&item)).await?;
        written.map_err(|_| Error::internal("a new API key's hash was taken"))
    }

    pub async fn find(&self, hash: &TokenHash) -> Result<Option<ApiKey>> {
        let Some(item) = self.table.get(&keys::api_key(hash)).await? else { return Ok(None) };
        let item: ApiKeyItem = parse(item)?;
        if !TokenHash::from_stored(item.hash).matches(hash) {
            return Ok(None);
        }
        Ok(Some(ApiKey {
            id: item.id,
            account: Account { org: item.org, user: item.user },
            name: item.name,
            last4: item.last4,
            created_at: item.created_at,
            expires_at: item.ends_at,
            revoked_at: item.revoked_at,
            models: item.models,
        }))
    }
}
