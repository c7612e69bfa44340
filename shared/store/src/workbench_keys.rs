//! The API keys of workbenches. A key is minted when the programs of a workbench start, and revoked when they have ended.
//!
//! 1. `provide` returns the secret of the workbench's key, also after a crash of the worker that minted it. If there is no
//!    valid key, it mints one, in one transaction with the item that names it.
//! 2. `revoke` revokes the key, in one transaction with that item.
//! 3. Both require the claim of the worker, which is their fencing token. A worker that has lost it can neither mint a key for
//!    programs that another worker has ended, nor revoke the key of programs that another worker has started.

use std::sync::Arc;

use attributes::Attributes;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::api_keys::{StoredKey, put_writes};
use super::item::{Item, parse};
use super::key_ring::{KeyRing, KeySettings, NewKey};
use super::keys;
use super::table::{Table, WriteOutcome};
use super::workbenches::require_attempt;
use super::write::Write;
use domain::id::{ApiKeyId, OrgId, WorkbenchId};
use domain::identity::Account;
use domain::money::Money;
use domain::time::Clock;
use domain::token::{SecretToken, TokenKind};
use domain::workbench::Workbench;
use domain::{Error, Result};
use platform::secrets::{Sealed, Secrets};
use platform::{Context, config};

/// The last key of a workbench. The item stays after the key is revoked, because the next key continues it.
#[derive(Serialize, Deserialize, Attributes)]
struct LastKey {
    pk: String,
    sk: String,
    key_id: ApiKeyId,
    /// The secret of the key. None: the key was revoked, because the programs have ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sealed: Option<Sealed>,
}

#[derive(Clone)]
pub struct WorkbenchKeys {
    entities: Table,
    counters: Table,
    ring: KeyRing,
    secrets: Arc<Secrets>,
    clock: Clock,
}

impl WorkbenchKeys {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            entities: Table::new(context, config::TABLE_ENTITIES)?,
            counters: Table::new(context, config::TABLE_COUNTERS)?,
            ring: KeyRing::new(context)?,
            secrets: Arc::new(Secrets::of_credentials(context)?),
            clock: context.clock.clone(),
        })
    }

    /// The secret of the workbench's key, for the worker with this claim. The first key of a workbench has this cap.
    pub async fn provide(&self, workbench: &Workbench, attempt: u64, cap: Money) -> Result<SecretToken> {
        let now = self.clock.now();
        let last = self.find(workbench).await?;
        let stored = match &last {
            Some(last) => self.find_key(workbench, last.key_id).await?,
            None => None,
        };
        // A key that its owner has revoked, or that has expired, is replaced.
        if let (Some(LastKey { sealed: Some(sealed), .. }), Some(stored)) = (&last, &stored)
            && stored.key.is_valid(now)
        {
            return self.open(workbench, sealed).await;
        }
        let secret = SecretToken::generate(TokenKind::ApiKey);
        let mut writes = match &stored {
            Some(stored) if stored.key.revoked_at.is_none() => self.ring.revoke_writes(stored, now),
            _ => Vec::new(),
        };
        let settings = KeySettings {
            name: format!("workbench {}", workbench.name),
            models: None,
            expires_at: None,
            limits: None,
            cap: Some(cap),
        };
        let (settings, mut meter) = match &stored {
            Some(last) => self.continued(last, settings).await?,
            None => (settings, Item::new()),
        };
        let mut new = NewKey::new(account(workbench), settings, &secret, now);
        new.key.workbench = Some(workbench.id);
        meter.extend(new.meter().item().clone());
        writes.extend(put_writes(&self.entities, &new.key, &new.hash));
        writes.push(self.counters.put_item(meter));
        let sealed = self.secrets.seal(&place(workbench.org, workbench.id), secret.reveal().as_bytes()).await?;
        writes.push(self.entities.put(&LastKey::new(workbench, new.key.id, Some(sealed))));
        self.transact(workbench, attempt, writes).await?;
        Ok(secret)
    }

    /// Revokes the key of a workbench, if it has one, for the worker with this claim.
    pub async fn revoke(&self, workbench: &Workbench, attempt: u64) -> Result<()> {
        let Some(LastKey { key_id, sealed: Some(_), .. }) = self.find(workbench).await? else { return Ok(()) };
        let mut writes = match self.find_key(workbench, key_id).await? {
            Some(stored) if stored.key.revoked_at.is_none() => self.ring.revoke_writes(&stored, self.clock.now()),
            _ => Vec::new(),
        };
        writes.push(self.entities.put(&LastKey::new(workbench, key_id, None)));
        self.transact(workbench, attempt, writes).await
    }
}

impl WorkbenchKeys {
    async fn find(&self, workbench: &Workbench) -> Result<Option<LastKey>> {
        self.entities.get(&keys::workbench_key(workbench.org, workbench.id)).await?.map(parse).transpose()
    }

    /// The key with this id. A key is forgotten some time after it was revoked.
    async fn find_key(&self, workbench: &Workbench, id: ApiKeyId) -> Result<Option<StoredKey>> {
        match self.ring.get(account(workbench), id).await {
            Ok(stored) => Ok(Some(stored)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn open(&self, workbench: &Workbench, sealed: &Sealed) -> Result<SecretToken> {
        let secret = self.secrets.open(&place(workbench.org, workbench.id), sealed).await?;
        let secret = std::str::from_utf8(&secret).map_err(Error::internal)?;
        let secret = SecretToken::parse(TokenKind::ApiKey, secret);
        secret.ok_or_else(|| Error::internal("the stored key of a workbench is malformed"))
    }

    /// The settings and the meter of the key that continues the last one. It keeps the models, the limits and the cap, which an
    /// operator may have changed, and what was spent counts against the cap, so that a restart does not renew it.
    async fn continued(&self, last: &StoredKey, first: KeySettings) -> Result<(KeySettings, Item)> {
        let meter = self.ring.meter(last.key.id).await?;
        let settings = KeySettings { name: first.name, expires_at: None, ..KeySettings::of(&last.key, &meter) };
        Ok((settings, meter.inherited_attributes()))
    }

    async fn transact(&self, workbench: &Workbench, attempt: u64, mut writes: Vec<Write>) -> Result<()> {
        let claimed = self.entities.check(keys::workbench(workbench.org, workbench.id));
        writes.push(require_attempt(claimed, attempt));
        match self.entities.transact(Uuid::now_v7(), &writes).await? {
            WriteOutcome::Written => Ok(()),
            WriteOutcome::Refused(_) => {
                Err(Error::busy("another worker has the workbench, or its key was revoked meanwhile"))
            }
        }
    }
}

impl LastKey {
    fn new(workbench: &Workbench, key_id: ApiKeyId, sealed: Option<Sealed>) -> Self {
        let key = keys::workbench_key(workbench.org, workbench.id);
        Self { pk: key.pk, sk: key.sk, key_id, sealed }
    }
}

/// The owner of the keys, who pays for their calls. A workbench never changes its owner.
fn account(workbench: &Workbench) -> Account {
    Account { org: workbench.org, user: workbench.owner }
}

/// The associated data of the encrypted secret.
fn place(org: OrgId, id: WorkbenchId) -> String {
    format!("workbench-key/{org}/{id}")
}
