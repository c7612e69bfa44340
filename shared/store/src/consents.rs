//! The consents of users to credentials of type `oauth2_authorization_code`: those that a browser has begun, and the tokens of those
//! that were given.

use std::sync::Arc;

use attributes::Attributes;
use serde::{Deserialize, Serialize};

use super::item::parse;
use super::keys::{self, Key};
use super::table::Table;
use super::token_slot::{LOCKED_FOR, TokenSlot, open, seal};
use domain::consent::PendingConsent;
use domain::id::{CredentialId, Id};
use domain::oauth::OauthTokens;
use domain::time::Time;
use domain::{Error, Result};
use platform::secrets::{Sealed, Secrets};
use platform::{Context, config};

#[derive(Clone)]
pub struct Consents {
    entities: Table,
    counters: Table,
    secrets: Arc<Secrets>,
}

/// A consent that a browser has begun, by the `state` that it carries.
#[derive(Serialize, Deserialize, Attributes)]
struct PendingItem {
    pk: String,
    sk: String,
    sealed: Sealed,
    expires_at: i64,
}

impl Consents {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            entities: Table::new(context, config::TABLE_ENTITIES)?,
            counters: Table::new(context, config::TABLE_COUNTERS)?,
            secrets: Arc::new(Secrets::of_consents(context)?),
        })
    }

    /// Where the tokens of a credential are stored.
    pub fn slot(&self, id: CredentialId) -> TokenSlot {
        let (entities, secrets) = (self.entities.clone(), self.secrets.clone());
        TokenSlot { entities, secrets, key: keys::consent(id), place: format!("consent/{id}") }
    }

    /// Stores the tokens of a consent, on condition that the credential still exists. They replace those of an earlier consent.
    pub async fn put(&self, pending: &PendingConsent, tokens: &OauthTokens, now: Time) -> Result<()> {
        let PendingConsent { account, workflow, credential, .. } = pending;
        let exists = self.entities.check(keys::credential(*account, *workflow, *credential)).require_exists();
        match self.slot(*credential).put(tokens, now, vec![exists]).await? {
            true => Ok(()),
            false => Err(Error::NotFound { kind: CredentialId::KIND }),
        }
    }

    /// Stores a consent that a browser begins with this state.
    pub async fn begin(&self, state: &str, pending: &PendingConsent) -> Result<()> {
        let (sealed, Key { pk, sk }) = (seal(&self.secrets, &pending_place(state), pending).await?, pending_key(state));
        let item = PendingItem { pk, sk, sealed, expires_at: pending.until.plus(LOCKED_FOR).as_seconds() };
        self.counters.write(self.counters.put_new(&item)).await.map(drop)
    }

    /// The consent that a browser has begun with this state. `None` if there is none, it is too old, or it was answered.
    pub async fn find(&self, state: &str, now: Time) -> Result<Option<PendingConsent>> {
        let Some(item) = self.counters.get(&pending_key(state)).await? else { return Ok(None) };
        let PendingItem { sealed, .. } = parse(item)?;
        let pending: PendingConsent = open(&self.secrets, &pending_place(state), &sealed).await?;
        Ok(Some(pending).filter(|pending| now < pending.until))
    }

    /// Like `find`, and ends it: one caller gets it, once.
    pub async fn take(&self, state: &str, now: Time) -> Result<Option<PendingConsent>> {
        let Some(pending) = self.find(state, now).await? else { return Ok(None) };
        let taken = self.counters.write(self.counters.delete(pending_key(state)).require_exists()).await?;
        Ok(taken.is_written().then_some(pending))
    }
}

fn pending_key(state: &str) -> Key {
    keys::pending_consent(state)
}

fn pending_place(state: &str) -> String {
    format!("pending-consent/{state}")
}
