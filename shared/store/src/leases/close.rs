//! Closing a lease: unused amounts are given back to the meters, and used amounts are added to the usage.

use uuid::Uuid;

use super::Leases;
use super::counters::{give_back, is_current};
use super::items::payer_of;
use crate::meters::Meter;
use crate::write::Write;
use crate::{keys, meters, spend, usage};
use domain::Result;
use domain::lease::{CounterKind, Lease};
use domain::ledger::{Charge, Spent};
use domain::limits::{Dimension, Level};
use domain::time::Time;

impl Leases {
    /// Closes a lease for its owner. The owner guarantees that no call is in flight: every charge of `spent` is in its
    /// slot, and no other slot was ever used. Returns false when a sweep was first.
    /// `calls` are the charged calls, for the log of calls.
    pub async fn close(&self, lease: &Lease, spent: &Spent, calls: &[Charge], now: Time) -> Result<bool> {
        let mut writes = self.close_writes(lease, spent, calls, (spent.requests, spent.tokens.total()), now)?;
        self.add_call_rows(&mut writes, calls).await?;
        Ok(self.counters.transact(Uuid::now_v7(), &writes).await?.is_written())
    }

    /// The writes that delete the lease and update the meters, the usage and the spend. `requests` and `tokens` stay counted
    /// against the rate limits.
    pub(super) fn close_writes(
        &self,
        lease: &Lease,
        spent: &Spent,
        calls: &[Charge],
        (requests, tokens): (u64, u64),
        now: Time,
    ) -> Result<Vec<Write>> {
        let payer = payer_of(lease);
        let mut writes = vec![self.counters.delete(keys::lease(lease.org, lease.id)).require_exists()];
        for level in payer.levels() {
            let mut write = self.counters.update(meters::key(&payer, level)?);
            for counter in lease.counted.iter().filter(|counter| counter.level == level) {
                let stays = match counter.kind {
                    CounterKind::Balance | CounterKind::Spending => spent.from_lease().pico_usd(),
                    CounterKind::Limit(Dimension::Rpm | Dimension::Rpd) => requests,
                    CounterKind::Limit(Dimension::Tpm | Dimension::Tpd) => tokens,
                    CounterKind::Limit(Dimension::Ipm) => spent.images,
                };
                if is_current(counter, now) {
                    write = give_back(write, lease, counter, stays);
                }
            }
            if level == Level::Org {
                write = write.add(Meter::SEQUENCE, 1);
            }
            if !write.changes_nothing() {
                writes.push(write);
            }
        }
        if spent.requests > 0 {
            writes.extend(self.usage_writes(lease, spent, calls, lease.granted_at));
        }
        Ok(writes)
    }

    /// The writes that add calls to the usage of their month and to the spend of their day. `spent` is the sum of `calls`.
    pub(super) fn usage_writes(
        &self,
        lease: &Lease,
        spent: &Spent,
        calls: &[Charge],
        at: Time,
    ) -> impl Iterator<Item = Write> {
        let usage = usage::add_usage(&self.counters, lease, spent, at).into_iter();
        usage.chain(spend::add_spend(&self.counters, lease, spent, calls, at))
    }
}
