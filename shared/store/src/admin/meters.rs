//! Changes of the rate limits and spending caps of an organization, a user in it, or an API key. Such limits take
//! precedence over the plan's.

use serde::Serialize;

use super::Admin;
use crate::attribute::Attribute;
use crate::keys::{self, Key};
use crate::meters::{Meter, MeterOwner, Meters};
use crate::revision::Attempts;
use crate::table::WriteOutcome;
use domain::audit::AuditAction;
use domain::id::{ApiKeyId, Id, OrgId, UserId};
use domain::identity::Account;
use domain::limits::Limits;
use domain::money::Money;
use domain::{Error, Result};

const OWNER: &str = "owner";

impl Admin {
    /// Reads the meter of an owner that exists.
    pub async fn meter(&self, of: MeterOwner) -> Result<Meter> {
        let (owner, kind) = owner(of);
        let found = self.entities.get(&owner).await?;
        found.ok_or(Error::NotFound { kind })?;
        Ok(Meters::read_all(&self.counters, &[of]).await?.remove(0))
    }

    pub async fn set_limits(
        &self,
        action: &AuditAction,
        of: MeterOwner,
        limits: Option<Limits>,
        render_audit: impl Fn(&Meter) -> Option<String>,
    ) -> Result<Meter> {
        self.set_attribute(action, of, Meter::LIMITS, limits, render_audit).await
    }

    pub async fn set_cap(
        &self,
        action: &AuditAction,
        of: MeterOwner,
        cap: Option<Money>,
        render_audit: impl Fn(&Meter) -> Option<String>,
    ) -> Result<Meter> {
        self.set_attribute(action, of, Meter::CAP, cap, render_audit).await
    }

    async fn set_attribute<T: Serialize>(
        &self,
        action: &AuditAction,
        of: MeterOwner,
        attribute: Attribute<T>,
        value: Option<T>,
        render_audit: impl Fn(&Meter) -> Option<String>,
    ) -> Result<Meter> {
        let (owner, kind) = owner(of);
        let _queue = self.queue.lock().await;
        let mut attempts = Attempts::to_change("meter");
        loop {
            let before = Meters::read_all(&self.counters, &[of]).await?.remove(0);
            let after = before.with(attribute.clone(), value.as_ref());
            let meter = self.counters.update(of.key()).set_or_remove(attribute.clone(), value.as_ref());
            let meter = meter.require(before.is_unchanged(attribute.clone()));
            let exists = self.entities.check(owner.clone()).require_exists().labeled(OWNER);
            let writes = vec![exists, meter, self.audit_write(action, render_audit(&before), render_audit(&after))];
            match self.transact(action, writes).await? {
                WriteOutcome::Written => return Ok(after),
                WriteOutcome::Refused(refused) if refused.label == OWNER => return Err(Error::NotFound { kind }),
                WriteOutcome::Refused(_) => attempts.next().await?,
            }
        }
    }
}

/// The item that must exist for the meter to have an owner, and the kind of the owner.
fn owner(of: MeterOwner) -> (Key, &'static str) {
    match of {
        MeterOwner::Org(org) => (keys::org(org), OrgId::KIND),
        MeterOwner::User(Account { org, user }) => (keys::membership(org, user), UserId::KIND),
        MeterOwner::Key(key) => (keys::api_key_of(key), ApiKeyId::KIND),
    }
}
