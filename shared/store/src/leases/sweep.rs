//! The sweep: it closes expired leases that a crashed process left open, and writes a tombstone where their owner would write
//! the next record.

use std::time::Duration;

use serde::Deserialize;
use uuid::Uuid;

use super::charge_items::void_item;
use super::items::LeaseItem;
use super::slots::slot_void;
use super::statement::LeaseLog;
use super::{Leases, MAX_ATTEMPTS};
use crate::item::parse;
use crate::keys;
use crate::table::WriteOutcome;
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
            let LeaseLog { charges, records } = self.read_log(&lease).await?;
            let mut spent = Spent::default();
            charges.iter().for_each(|charge| spent.add(charge));
            let empty: Vec<u32> =
                (1..=lease.slots).filter(|slot| charges.iter().all(|charge| charge.slot != *slot)).collect();
            // Each call of the lease that is still in flight may have reached its provider. So every slot without a
            // charge stays counted against the rate limits.
            let cut_off = empty.len() as u64;
            let requests = spent.requests + cut_off;
            let tokens = spent.tokens.total().saturating_add(lease.unit.tokens.saturating_mul(cut_off));
            let mut writes = self.close_writes(&lease, &spent, &charges, (requests, tokens), now)?;
            // The void requires that the log is as it was read, and that its owner can write nothing more.
            let voided_until = now.plus(VOID_RETENTION).as_seconds();
            let next = keys::record(lease.id, records + 1);
            writes.push(self.journal.put_new(&void_item(next, voided_until)));
            let slots = empty.iter().map(|slot| slot_void(lease.id, *slot, voided_until));
            writes.extend(slots.map(|void| self.journal.put_new(&void)));
            self.add_call_rows(&mut writes, &charges).await?;
            match self.counters.transact(Uuid::now_v7(), &writes).await? {
                WriteOutcome::Written => {
                    tracing::warn!(lease_id = %id, org_id = %org, calls = spent.requests, slots = lease.slots, "an abandoned lease was closed");
                    return Ok(());
                }
                // The lease was closed, or its owner has written a record, so read both again.
                WriteOutcome::Refused(_) => continue,
            }
        }
        Err(Error::busy("the log of a lease keeps changing while it is closed"))
    }
}
