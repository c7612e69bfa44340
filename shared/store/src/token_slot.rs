//! The sealed tokens of one account that a user has connected, and the lock of their renewal.
//!
//! A token is renewed by one process: it takes the lock with a conditional write, and every write of the renewal requires the lock.
//! Many servers accept a refresh token once, so a second renewal would end the connection.

use std::sync::Arc;
use std::time::Duration;

use attributes::Attributes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use zeroize::Zeroizing;

use super::item::parse;
use super::keys::Key;
use super::table::Table;
use super::write::Write;
use domain::time::Time;
use domain::{Error, Result};
use platform::secrets::{Sealed, Secrets};

/// A renewal takes less. If its process stops, another one may renew after this time.
pub const LOCKED_FOR: Duration = Duration::from_secs(60);

/// Where the tokens of one account are stored.
#[derive(Clone)]
pub struct TokenSlot {
    pub(super) entities: Table,
    pub(super) secrets: Arc<Secrets>,
    pub(super) key: Key,
    /// The associated data that binds the tokens to this slot.
    pub(super) place: String,
}

/// Decrypted tokens.
#[derive(Clone, Debug)]
pub struct StoredTokens<T> {
    pub tokens: T,
    /// Changes with the tokens.
    pub version: Uuid,
    is_locked: bool,
}

impl<T> StoredTokens<T> {
    /// Whether a process is renewing the tokens.
    pub fn is_locked(&self) -> bool {
        self.is_locked
    }
}

#[derive(Serialize, Deserialize, Attributes)]
pub(super) struct TokensItem {
    pk: String,
    sk: String,
    sealed: Sealed,
    version: Uuid,
    connected_at: Time,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lock: Option<Uuid>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    locked_until: Option<Time>,
}

impl TokenSlot {
    pub async fn find<T: DeserializeOwned>(&self, now: Time) -> Result<Option<StoredTokens<T>>> {
        let Some(item) = self.entities.get(&self.key).await? else { return Ok(None) };
        let TokensItem { sealed, version, locked_until, .. } = parse(item)?;
        let tokens = open(&self.secrets, &self.place, &sealed).await?;
        Ok(Some(StoredTokens { tokens, version, is_locked: locked_until.is_some_and(|until| until > now) }))
    }

    /// Stores the tokens of a new connection, on the conditions of `others`. Returns whether they are stored. They replace those
    /// of an earlier connection.
    pub(super) async fn put(&self, tokens: &impl Serialize, now: Time, others: Vec<Write>) -> Result<bool> {
        let (sealed, Key { pk, sk }) = (self.seal(tokens).await?, self.key.clone());
        let version = Uuid::now_v7();
        let item = TokensItem { pk, sk, sealed, version, connected_at: now, lock: None, locked_until: None };
        let writes = [others, vec![self.entities.put(&item)]].concat();
        Ok(self.entities.transact(version, &writes).await?.is_written())
    }

    /// Takes the lock for a renewal of the tokens with this version. `None` if another process has it, or has renewed them.
    pub async fn lock(&self, version: Uuid, now: Time) -> Result<Option<Uuid>> {
        let lock = Uuid::now_v7();
        let write = self.entities.update(self.key.clone());
        let write = write.set(TokensItem::LOCK, lock).set(TokensItem::LOCKED_UNTIL, now.plus(LOCKED_FOR));
        let write = write.require_is(TokensItem::VERSION, version);
        let write = write.require(TokensItem::LOCKED_UNTIL.is_missing().or(TokensItem::LOCKED_UNTIL.is_less_than(now)));
        Ok(self.entities.write(write).await?.is_written().then_some(lock))
    }

    /// Ends a renewal with the new tokens.
    pub async fn renew(&self, lock: Uuid, tokens: &impl Serialize) -> Result<Uuid> {
        let (sealed, version) = (self.seal(tokens).await?, Uuid::now_v7());
        let write = self.entities.update(self.key.clone());
        let write = write.set(TokensItem::SEALED, sealed).set(TokensItem::VERSION, version);
        let write = write.remove(TokensItem::LOCK).remove(TokensItem::LOCKED_UNTIL);
        let written = self.entities.write(write.require_is(TokensItem::LOCK, lock)).await?;
        // The user may have connected again, or disconnected. This request still uses its token.
        if !written.is_written() {
            tracing::warn!("a connection was replaced while its token was renewed");
        }
        Ok(version)
    }

    /// Ends a renewal that did not reach the authorization server, so that the next request tries again.
    pub async fn unlock(&self, lock: Uuid) -> Result<()> {
        let write = self.entities.update(self.key.clone());
        let write = write.remove(TokensItem::LOCK).remove(TokensItem::LOCKED_UNTIL);
        self.entities.write(write.require_is(TokensItem::LOCK, lock)).await.map(drop)
    }

    /// Deletes the tokens, because their renewal was refused.
    pub async fn end(&self, lock: Uuid) -> Result<()> {
        let delete = self.entities.delete(self.key.clone());
        self.entities.write(delete.require_is(TokensItem::LOCK, lock)).await.map(drop)
    }

    pub async fn delete(&self) -> Result<()> {
        self.entities.remove(&self.key).await
    }

    async fn seal(&self, tokens: &impl Serialize) -> Result<Sealed> {
        seal(&self.secrets, &self.place, tokens).await
    }
}

pub(super) async fn seal(secrets: &Secrets, place: &str, value: &impl Serialize) -> Result<Sealed> {
    let text = Zeroizing::new(serde_json::to_vec(value).map_err(Error::internal)?);
    secrets.seal(place, &text).await
}

pub(super) async fn open<T: DeserializeOwned>(secrets: &Secrets, place: &str, sealed: &Sealed) -> Result<T> {
    serde_json::from_slice(&secrets.open(place, sealed).await?).map_err(Error::internal)
}
