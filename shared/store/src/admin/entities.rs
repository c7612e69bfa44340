//! Changes of organizations, users, plans, the cluster of workbenches and the keys of receipts. A suspension also marks the
//! meters, so that no lease is granted from then on, even by a process that has cached the caller as valid.

use super::Admin;
use crate::condition::Condition;
use crate::identities::{StoredEntity, entity, member_entry, plan_copies, stored};
use crate::keys::{self, Key};
use crate::meters::{Meter, MeterOwner};
use crate::receipt_keys::StoredReceiptKeys;
use crate::revision::Attempts;
use crate::workbench_cluster::StoredCluster;
use crate::write::Write;
use aws_sdk_dynamodb::types::AttributeValue;
use domain::audit::AuditAction;
use domain::id::{Id, OrgId, UserId};
use domain::identity::{Account, Membership, Org, Plan, User};
use domain::time::Time;
use domain::{Error, Result};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The maximum number of meters in one transaction, which takes 100 writes. The other meters of a user in more
/// organizations are marked after the transaction and unmarked before it. So a process that crashes between them leaves
/// no mark on the meter of a user who is not suspended, and a suspended user is refused without a mark too.
const METERS_AT_ONCE: usize = 90;

const CLUSTER: &str = "workbench cluster";

impl Admin {
    pub async fn change_org(
        &self,
        action: &AuditAction,
        id: OrgId,
        change: impl Fn(&Org) -> Result<Org>,
        render_audit: impl Fn(&Org) -> String,
    ) -> Result<Org> {
        let _queue = self.queue.lock().await;
        let mut attempts = Attempts::to_change(OrgId::KIND);
        loop {
            let (before, raw) = self.read::<Org>(&keys::org(id)).await?.ok_or(Error::NotFound { kind: OrgId::KIND })?;
            let after = change(&before)?;
            let mut writes = self.replace_writes(
                action,
                keys::org(id),
                raw,
                &after,
                Some(render_audit(&before)),
                render_audit(&after),
            );
            if before.suspended != after.suspended {
                writes.push(self.suspension_write(MeterOwner::Org(id), after.suspended, action.at));
            }
            if before.plan != after.plan {
                if self.identities.find_plan(&after.plan).await?.is_none() {
                    return Err(Error::invalid_body("plan", "this plan does not exist; send an existing one"));
                }
                writes.push(self.entities.check(keys::plan(&after.plan)).require_exists());
            }
            if self.transact(action, writes).await?.is_written() {
                return Ok(after);
            }
            attempts.next().await?;
        }
    }

    pub async fn change_user(
        &self,
        action: &AuditAction,
        id: UserId,
        change: impl Fn(&User) -> Result<User>,
        render_audit: impl Fn(&User) -> String,
    ) -> Result<User> {
        let _queue = self.queue.lock().await;
        let mut attempts = Attempts::to_change(UserId::KIND);
        loop {
            let (before, raw) =
                self.read::<User>(&keys::user(id)).await?.ok_or(Error::NotFound { kind: UserId::KIND })?;
            let after = change(&before)?;
            let mut writes = self.replace_writes(
                action,
                keys::user(id),
                raw,
                &after,
                Some(render_audit(&before)),
                render_audit(&after),
            );
            let mut meters = Vec::new();
            if before.suspended != after.suspended {
                let orgs = self.identities.orgs_of(id).await?.into_iter();
                let of = orgs.map(|(org, _)| MeterOwner::User(Account { org: org.id, user: id }));
                meters.extend(of.map(|of| self.suspension_write(of, after.suspended, action.at)));
            }
            let rest = meters.split_off(meters.len().min(METERS_AT_ONCE));
            let (restored, suspended) = if after.suspended { (vec![], rest) } else { (rest, vec![]) };
            writes.extend(meters);
            self.write_each(restored).await?;
            if self.transact(action, writes).await?.is_written() {
                self.write_each(suspended).await?;
                return Ok(after);
            }
            attempts.next().await?;
        }
    }

    async fn write_each(&self, meters: Vec<Write>) -> Result<()> {
        for meter in meters {
            let _ = self.counters.write(meter).await?;
        }
        Ok(())
    }

    /// Creates or replaces a plan. Returns the plan that it replaced.
    pub async fn put_plan(
        &self,
        action: &AuditAction,
        plan: &Plan,
        render_audit: impl Fn(&Plan) -> String,
    ) -> Result<Option<Plan>> {
        let copies = plan_copies(&self.entities, plan);
        self.put_entity(action, "plan", &keys::plan(&plan.id), plan, copies, render_audit).await
    }

    /// Makes a user a member of an organization, or changes their role in it. Both must exist.
    pub async fn put_member(
        &self,
        action: &AuditAction,
        membership: &Membership,
        render_audit: impl Fn(&Membership) -> String,
    ) -> Result<()> {
        let user = self.identities.user(membership.user).await?;
        let entry = self.entities.write(member_entry(&self.entities, membership.org, &user)).await?;
        entry.or_error(|_| Error::internal("an unconditional put was refused"))?;
        let key = keys::membership(membership.org, membership.user);
        self.put_entity(action, "membership", &key, membership, Vec::new(), render_audit).await.map(drop)
    }

    /// Stores the access to the cluster of workbenches.
    pub async fn put_workbench_cluster(
        &self,
        action: &AuditAction,
        cluster: &StoredCluster,
        render_audit: impl Fn(&StoredCluster) -> String,
    ) -> Result<()> {
        let replaced =
            self.put_entity(action, CLUSTER, &keys::workbench_cluster(), cluster, Vec::new(), render_audit).await;
        replaced.map(drop)
    }

    pub async fn delete_workbench_cluster(
        &self,
        action: &AuditAction,
        render_audit: impl Fn(&StoredCluster) -> String,
    ) -> Result<()> {
        let _queue = self.queue.lock().await;
        let mut attempts = Attempts::to_change(CLUSTER);
        let key = keys::workbench_cluster();
        loop {
            let found = self.read::<StoredCluster>(&key).await?;
            let (before, raw) = found.ok_or(Error::NotFound { kind: CLUSTER })?;
            let delete = self.entities.delete(key.clone()).require(unchanged::<StoredCluster>(raw));
            let writes = vec![delete, self.audit_write(action, Some(render_audit(&before)), None)];
            if self.transact(action, writes).await?.is_written() {
                return Ok(());
            }
            attempts.next().await?;
        }
    }

    /// Replaces the key that signs receipts by a generated one. Its public key is kept.
    pub async fn rotate_receipt_key(
        &self,
        action: &AuditAction,
        generated: &StoredReceiptKeys,
        render_audit: impl Fn(&StoredReceiptKeys) -> String,
    ) -> Result<StoredReceiptKeys> {
        let _queue = self.queue.lock().await;
        let mut attempts = Attempts::to_change("receipt key");
        let key = keys::receipt_keys();
        loop {
            let (after, writes) = match self.read::<StoredReceiptKeys>(&key).await? {
                Some((before, raw)) => {
                    let after = generated.after(&before)?;
                    let (audit_before, audit_after) = (Some(render_audit(&before)), render_audit(&after));
                    let writes = self.replace_writes(action, key.clone(), raw, &after, audit_before, audit_after);
                    (after, writes)
                }
                None => (generated.clone(), self.create_writes(action, &key, generated, render_audit(generated))),
            };
            if self.transact(action, writes).await?.is_written() {
                return Ok(after);
            }
            attempts.next().await?;
        }
    }

    /// Creates or replaces an entity, with other writes. Returns the entity that it replaced.
    async fn put_entity<T: Serialize + DeserializeOwned>(
        &self,
        action: &AuditAction,
        kind: &'static str,
        key: &Key,
        after: &T,
        others: Vec<Write>,
        render_audit: impl Fn(&T) -> String,
    ) -> Result<Option<T>> {
        let _queue = self.queue.lock().await;
        let mut attempts = Attempts::to_change(kind);
        loop {
            let (before, raw) = self.read::<T>(key).await?.unzip();
            let (audit_before, audit_after) = (before.as_ref().map(&render_audit), render_audit(after));
            let mut writes = match raw {
                Some(raw) => self.replace_writes(action, key.clone(), raw, after, audit_before, audit_after),
                None => self.create_writes(action, key, after, audit_after),
            };
            writes.extend_from_slice(&others);
            if self.transact(action, writes).await?.is_written() {
                return Ok(before);
            }
            attempts.next().await?;
        }
    }

    /// Reads an entity, and its exact stored value for a condition.
    pub(super) async fn read<T: DeserializeOwned>(&self, key: &Key) -> Result<Option<(T, AttributeValue)>> {
        let Some(item) = self.entities.get(key).await? else { return Ok(None) };
        let raw = StoredEntity::<T>::ENTITY.find(&item).cloned();
        Ok(entity(Some(item))?.zip(raw))
    }

    /// The writes that create an entity, on condition that there is none, and add the audit entry.
    fn create_writes<T: Serialize>(
        &self,
        action: &AuditAction,
        key: &Key,
        after: &T,
        audit_after: String,
    ) -> Vec<Write> {
        let put = self.entities.put_new(&stored(key.clone(), after));
        vec![put, self.audit_write(action, None, Some(audit_after))]
    }

    /// The writes that replace an entity, on condition that it is unchanged, and add the audit entry.
    pub(super) fn replace_writes<T: Serialize>(
        &self,
        action: &AuditAction,
        key: Key,
        raw: AttributeValue,
        after: &T,
        audit_before: Option<String>,
        audit_after: String,
    ) -> Vec<Write> {
        let put = self.entities.put(&stored(key, after)).require(unchanged::<T>(raw));
        vec![put, self.audit_write(action, audit_before, Some(audit_after))]
    }

    fn suspension_write(&self, of: MeterOwner, is_suspended: bool, at: Time) -> Write {
        let meter = self.counters.update(of.key());
        if is_suspended { meter.set(Meter::REVOKED, at) } else { meter.remove(Meter::REVOKED) }
    }
}

/// The entity is still as it was read.
pub(super) fn unchanged<T>(raw: AttributeValue) -> Condition {
    StoredEntity::<T>::ENTITY.is_same_raw(Some(raw))
}
