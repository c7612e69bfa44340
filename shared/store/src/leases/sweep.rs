//! The sweep: it closes expired leases that a crashed process left open, and writes tombstones into their empty slots.

use std::time::Duration;

use serde::Deserialize;
use uuid::Uuid;

use super::items::{LeaseItem, SlotContent, SlotItem};
use super::{Leases, MAX_ATTEMPTS};
use crate::item::parse;
use crate::keys;
use crate::table::WriteOutcome;
use crate::write::Write;
use domain::id::{LeaseId, OrgId};
use domain::lease::Lease;
use domain::ledger::Spent;
use domain::time::Time;
use domain::{Error, Result};

/// The retention of voids. It is longer than a frozen Lambda environment can hold a charge that is not yet recorded.
const VOID_RETENTION: Duration = Duration::from_secs(30 * 24 * 60 * 60);

impl Leases {
    /// Finds leases that have expired, at most `limit` in each shard.
    pub async fn expired(&self, now: Time, limit: u32) -> Result<Vec<(OrgId, LeaseId)>> {
        #[derive(Deserialize)]
        struct DueItem {
            lease: LeaseId,
            org: OrgId,
        }
        let expired = self.counters.query_due(keys::LEASES_DUE, now, limit).await?.into_iter().map(parse::<DueItem>);
        expired.map(|item| item.map(|DueItem { lease, org }| (org, lease))).collect()
    }

    /// Finds a lease that has not been closed.
    pub async fn find(&self, org: OrgId, id: LeaseId) -> Result<Option<Lease>> {
        let item = self.counters.get(&keys::lease(org, id)).await?;
        Ok(item.map(parse::<LeaseItem>).transpose()?.map(Lease::from))
    }

    /// Closes a lease that its owner left open, once it has expired.
    pub async fn sweep(&self, org: OrgId, id: LeaseId, now: Time) -> Result<()> {
        for _ in 0..MAX_ATTEMPTS {
            let Some(lease) = self.find(org, id).await? else { return Ok(()) };
            if now < lease.expires_at {
                return Ok(());
            }
            let charges = self.charges(&lease).await?;
            let mut spent = Spent::default();
            charges.iter().for_each(|charge| spent.add(charge));
            let empty: Vec<u32> =
                (1..=lease.slots).filter(|slot| charges.iter().all(|charge| charge.slot != *slot)).collect();
            // Each call of the lease that is still in flight may have reached its provider. So every slot without a
            // charge stays counted against the rate limits.
            let cut_off = empty.len() as u64;
            let requests = spent.requests + cut_off;
            let tokens = spent.tokens.total().saturating_add(lease.unit.tokens.saturating_mul(cut_off));
            let mut writes = self.close_writes(&lease, &spent, requests, tokens, now)?;
            writes.extend(empty.iter().map(|slot| self.void(&lease, *slot, now)));
            match self.counters.transact(Uuid::now_v7(), &writes).await? {
                WriteOutcome::Written => {
                    tracing::warn!(lease_id = %id, org_id = %org, calls = spent.requests, slots = lease.slots, "an abandoned lease was closed");
                    return Ok(());
                }
                // The lease was closed, or a charge filled a slot, so read the lease again.
                WriteOutcome::Refused(_) => continue,
            }
        }
        Err(Error::busy("the slots of a lease keep changing while it is closed"))
    }

    fn void(&self, lease: &Lease, slot: u32, now: Time) -> Write {
        let key = keys::charge(lease.id, slot);
        let expires_at = now.plus(VOID_RETENTION).as_seconds();
        let void =
            SlotItem { pk: key.pk, sk: key.sk, slot: SlotContent::Void, listed_in: None, listed_at: None, expires_at };
        self.journal.put_new(&void)
    }
}
