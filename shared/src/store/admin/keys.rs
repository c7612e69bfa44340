//! Changes of users' API keys by operators.

use super::Admin;
use crate::store::api_keys::{ApiKey, create_refused};
use crate::store::authority::Authority;
use crate::store::idempotency::{self, Created, Once};
use crate::store::key_ring::{Kept, KeySettings, NewKey, not_valid};
use crate::store::keys;
use crate::store::meters::Meter;
use crate::store::table::WriteOutcome;
use crate::store::turns::Turns;
use domain::audit::Deed;
use domain::id::{ApiKeyId, Id, UserId};
use domain::{Error, Result};

const HOLDER: &str = "holder";

impl Admin {
    /// Creates a key for a user in an organization, once for all requests with the same idempotency key. `answer` is
    /// stored and replayed to later requests, so it must not contain the secret.
    pub async fn create_key(&self, deed: &Deed, new: &NewKey, once: Option<&Once>, answer: &str) -> Result<Created> {
        let account = new.key.account;
        let holder = self.entities.check(keys::membership(account.org, account.user));
        let holder = holder.require("attribute_exists(pk)").labeled(HOLDER);
        let audited = self.audited(deed, None, Some(answer.to_owned()));
        let with = self.claim(deed, "keys", once, answer).into_iter().chain([holder, audited]).collect();
        match self.keys.create_with(&Authority::of_operator(deed), new, with).await? {
            WriteOutcome::Written => Ok(Created::Now),
            WriteOutcome::Refused(refused) => match idempotency::replay(once, &refused)? {
                Some(first) => first.into_text().map(Created::Before),
                None if refused.label == HOLDER => Err(Error::NotFound { kind: UserId::KIND }),
                None => Err(create_refused(refused)),
            },
        }
    }

    /// Changes a key's settings as `change` returns for the current ones. If another request changed them meanwhile, it
    /// calls `change` again.
    pub async fn change_key(
        &self,
        deed: &Deed,
        id: ApiKeyId,
        change: impl Fn(&ApiKey, &Meter) -> Result<KeySettings>,
        tell: impl Fn(&ApiKey, &Meter) -> String,
    ) -> Result<(ApiKey, Meter)> {
        let mut turns = Turns::default();
        loop {
            let kept = self.keys.find(id).await?;
            let meter = self.keys.meter(id).await?;
            let settings = change(&kept.key, &meter)?;
            if kept.key.revoked_at.is_some() {
                return Err(not_valid());
            }
            let mut writes = self.keys.change_writes((&kept, &meter), &settings);
            let KeySettings { name, models, expires_at, limits, cap } = settings;
            let key = ApiKey { name, models, expires_at, ..kept.key.clone() };
            let changed = meter.with("limits", limits).with("cap", cap);
            writes.push(self.audited(deed, Some(tell(&kept.key, &meter)), Some(tell(&key, &changed))));
            if self.transact(deed, writes).await?.is_written() {
                return Ok((key, changed));
            }
            turns.next("others keep changing the key").await?;
        }
    }

    /// Revokes a key. For a key that is revoked already, nothing is changed and no audit entry is added.
    pub async fn revoke_key(&self, deed: &Deed, kept: &Kept, tell: impl Fn(&ApiKey) -> String) -> Result<()> {
        let revoked = ApiKey { revoked_at: Some(deed.at), ..kept.key.clone() };
        let audited = self.audited(deed, Some(tell(&kept.key)), Some(tell(&revoked)));
        self.keys.revoke(&Authority::of_operator(deed), kept, vec![audited]).await.map(drop)
    }
}
