//! The keys that sign receipts of calls: one that signs, whose seed is encrypted, and the public keys of those before it, by which
//! older receipts are verified. All are in one item, so a rotation replaces the key that signs in one write, and every process
//! signs with the new one from then on.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::identities::{entity, stored};
use super::keys;
use super::table::{Table, WriteOutcome};
use domain::time::Time;
use domain::{Error, Result};
use platform::secrets::{Sealed, Secrets};
use platform::signing_key::{PublicKey, SigningKey};
use platform::{Context, config};

/// The maximum number of keys that no longer sign. Their public keys are kept in the item.
const MAX_RETIRED: usize = 100;

/// The keys as they are stored. Everything but `sealed` is public.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredReceiptKeys {
    pub current: PublicKey,
    pub created_at: Time,
    /// The seed of the current key.
    sealed: Sealed,
    /// Newest first. Their seeds are forgotten.
    #[serde(default)]
    pub retired: Vec<RetiredKey>,
}

/// The public key of a key that signed earlier receipts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RetiredKey {
    pub public: PublicKey,
    pub created_at: Time,
    pub retired_at: Time,
}

impl StoredReceiptKeys {
    /// All public keys, the current one first.
    pub fn public_keys(&self) -> impl Iterator<Item = &PublicKey> {
        [&self.current].into_iter().chain(self.retired.iter().map(|key| &key.public))
    }

    /// These keys after `before`, whose current key retires now.
    pub(super) fn after(&self, before: &Self) -> Result<Self> {
        if before.retired.len() >= MAX_RETIRED {
            let message =
                format!("the platform has had {MAX_RETIRED} keys before this one, which is the maximum; keep it");
            return Err(Error::Conflict { code: "receipt_key_limit", message });
        }
        let Self { current, created_at, retired, .. } = before.clone();
        let last = RetiredKey { public: current, created_at, retired_at: self.created_at };
        Ok(Self { retired: [last].into_iter().chain(retired).collect(), ..self.clone() })
    }
}

#[derive(Clone)]
pub struct ReceiptKeys {
    entities: Table,
    secrets: Arc<Secrets>,
}

impl ReceiptKeys {
    pub fn new(context: &Context) -> Result<Self> {
        let secrets = Arc::new(Secrets::of_receipts(context)?);
        Ok(Self { entities: Table::new(context, config::TABLE_ENTITIES)?, secrets })
    }

    /// Finds the keys. There are none before the first receipt.
    pub async fn find(&self) -> Result<Option<StoredReceiptKeys>> {
        entity(self.entities.get(&keys::receipt_keys()).await?)
    }

    /// The key that signs receipts. The first receipt of the platform creates it.
    pub async fn signing_key(&self, now: Time) -> Result<SigningKey> {
        let stored = match self.find().await? {
            Some(stored) => stored,
            None => self.create(now).await?,
        };
        let seed = self.secrets.open(&place(&stored.current), &stored.sealed).await?;
        SigningKey::from_seed(&seed, &stored.current)
    }

    /// Generates a key, not stored yet.
    pub async fn generate(&self, now: Time) -> Result<StoredReceiptKeys> {
        let (key, seed) = SigningKey::generate()?;
        let current = key.public();
        let sealed = self.secrets.seal(&place(&current), &seed).await?;
        Ok(StoredReceiptKeys { current, created_at: now, sealed, retired: Vec::new() })
    }

    /// Stores the first key. Of several processes, the first one wins, and the others return its key.
    async fn create(&self, now: Time) -> Result<StoredReceiptKeys> {
        let first = self.generate(now).await?;
        match self.entities.write(self.entities.put_new(&stored(keys::receipt_keys(), &first))).await? {
            WriteOutcome::Written => Ok(first),
            WriteOutcome::Refused(refused) => {
                entity(refused.item)?.ok_or_else(|| Error::internal("the refused first key of receipts is missing"))
            }
        }
    }
}

/// The associated data of an encrypted seed.
fn place(public: &PublicKey) -> String {
    format!("receipt-key:{}", public.kid())
}
