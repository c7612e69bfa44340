//! Changes of users' API keys by operators.

use super::Admin;
use crate::api_keys::StoredKey;
use crate::api_keys::{ApiKey, create_refused};
use crate::authority::Authority;
use crate::idempotency::{self, CreateOutcome, IdempotencyKey};
use crate::key_ring::{KeySettings, NewKey, not_valid};
use crate::keys;
use crate::meters::Meter;
use crate::revision::Attempts;
use crate::table::WriteOutcome;
use domain::audit::AuditAction;
use domain::id::{ApiKeyId, Id, UserId};
use domain::{Error, Result};

const HOLDER: &str = "holder";

impl Admin {
    /// Creates a key for a user in an organization, once for all requests with the same idempotency key. `answer` is
    /// stored and replayed to later requests, so it must not contain the secret.
    pub async fn create_key(
        &self,
        action: &AuditAction,
        new: &NewKey,
        idempotency_key: Option<&IdempotencyKey>,
        answer: &str,
    ) -> Result<CreateOutcome> {
        let account = new.key.account;
        let holder = self.entities.check(keys::membership(account.org, account.user));
        let holder = holder.require_exists().labeled(HOLDER);
        let audit_write = self.audit_write(action, None, Some(answer.to_owned()));
        let with =
            self.claim(action, "keys", idempotency_key, answer).into_iter().chain([holder, audit_write]).collect();
        match self.keys.create_with(&Authority::of_action(action), new, with).await? {
            WriteOutcome::Written => Ok(CreateOutcome::Now),
            WriteOutcome::Refused(refused) => match idempotency::replay(idempotency_key, &refused)? {
                Some(first) => first.into_text().map(CreateOutcome::Before),
                None if refused.label == HOLDER => Err(Error::NotFound { kind: UserId::KIND }),
                None => Err(create_refused(refused)),
            },
        }
    }

    /// Changes a key's settings as `change` returns for the current ones. If another request changed them meanwhile, it
    /// calls `change` again.
    pub async fn change_key(
        &self,
        action: &AuditAction,
        id: ApiKeyId,
        change: impl Fn(&ApiKey, &Meter) -> Result<KeySettings>,
        render_audit: impl Fn(&ApiKey, &Meter) -> String,
    ) -> Result<(ApiKey, Meter)> {
        let mut attempts = Attempts::to_change(ApiKeyId::KIND);
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
            let changed = meter.with(Meter::LIMITS, limits).with(Meter::CAP, cap);
            writes.push(self.audit_write(
                action,
                Some(render_audit(&kept.key, &meter)),
                Some(render_audit(&key, &changed)),
            ));
            if self.transact(action, writes).await?.is_written() {
                return Ok((key, changed));
            }
            attempts.next().await?;
        }
    }

    /// Revokes a key. For a key that is revoked already, nothing is changed and no audit entry is added.
    pub async fn revoke_key(
        &self,
        action: &AuditAction,
        kept: &StoredKey,
        render_audit: impl Fn(&ApiKey) -> String,
    ) -> Result<()> {
        let revoked = ApiKey { revoked_at: Some(action.at), ..kept.key.clone() };
        let audited = self.audit_write(action, Some(render_audit(&kept.key)), Some(render_audit(&revoked)));
        self.keys.revoke(&Authority::of_action(action), kept, vec![audited]).await.map(drop)
    }
}
