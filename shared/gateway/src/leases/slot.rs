//! The slot of a lease that one call holds while it is in flight.

use std::sync::Arc;

use super::LeaseSource;
use super::close::{close, close_later};
use super::open::{OpenLease, QuotaLeft};
use domain::Result;
use domain::id::TransactionId;
use domain::ledger::Charge;
use domain::money::Money;
use domain::run::RunStep;
use domain::usage::{Tokens, UsageSource};
use shared::store::claims::{Claim, StoredAnswer};
use shared::store::leases::Recorded;

/// The usage of a finished call, from which its charge is computed.
#[derive(Clone, Debug)]
pub struct CallUsage {
    pub tokens: Tokens,
    pub source: UsageSource,
    pub images: u64,
    pub provider: String,
    pub request_id: String,
    /// The step of a run for which the call was made.
    pub step: Option<RunStep>,
    /// Hash of the request body. It identifies a later retry of the same request.
    pub body_hash: Option<String>,
}

/// Held while a call is in flight. When it is dropped without a charge, the sweep closes the lease and counts the
/// request.
pub struct LeaseSlot {
    source: LeaseSource,
    open: Arc<OpenLease>,
    number: u32,
    /// Money that the lease set aside for this call besides the slot. Set when the charge is first written.
    covered: Option<Money>,
    is_settled: bool,
}

impl LeaseSlot {
    pub(super) fn new(source: LeaseSource, open: Arc<OpenLease>, number: u32) -> Self {
        Self { source, open, number, covered: None, is_settled: false }
    }

    /// Frees the slot of a call that is not charged, so that another call can use it.
    pub fn put_back(&mut self) {
        self.is_settled = true;
        self.open.put_back(self.number, self.covered.take().unwrap_or_default());
        // No later call may take the slot, so the close is scheduled here. An admitting wide lease has one scheduled.
        let admits_for = self.open.admits_for(self.source.clock.now());
        if admits_for.is_zero() || !self.open.lease.is_wide() {
            close_later(self.source.clone(), self.open.clone(), admits_for);
        }
    }

    /// Computes the charge of a call with the prices of the lease. `record` decides how much of it can be collected.
    pub fn price_call(&self, usage: CallUsage) -> Charge {
        let lease = &self.open.lease;
        let cost = lease.pricing.cost(&usage.tokens);
        Charge {
            id: TransactionId::new(),
            lease: lease.id,
            slot: self.number,
            org: lease.org,
            user: lease.user,
            key: lease.key,
            model: lease.model.clone(),
            price_version: lease.price_version,
            cost,
            charged: if lease.is_exempt { Money::ZERO } else { cost },
            uncollected: Money::ZERO,
            overage: Money::ZERO,
            tokens: usage.tokens,
            images: usage.images,
            source: usage.source,
            provider: usage.provider,
            request_id: usage.request_id,
            step: usage.step.map(Box::new),
            retry_of: None,
            body_hash: usage.body_hash,
            created_at: self.source.clock.now(),
        }
    }

    /// Writes the charge. The response may end only after this. Call `close_if_finished` afterwards.
    pub async fn record(&mut self, charge: &Charge) -> Result<()> {
        self.write(charge, None).await.map(drop)
    }

    /// Writes the charge and the stored answer of an `Idempotency-Key` in one transaction. Returns false when another
    /// request took over the key; then the caller must put the slot back.
    pub async fn record_once(&mut self, charge: &Charge, claim: &Claim, answer: &StoredAnswer) -> Result<bool> {
        self.write(charge, Some((claim, answer))).await
    }

    /// Writes the charge, with the claim and answer in `once`. Returns false when the claim was taken over.
    async fn write(&mut self, charge: &Charge, once: Option<(&Claim, &StoredAnswer)>) -> Result<bool> {
        let (lease, unit) = (&self.open.lease, self.open.lease.unit.money);
        // The amount is computed once and kept for retries, because a failed write may have succeeded in the table.
        let covered = *self.covered.get_or_insert_with(|| self.open.cover(charge.charged.less(unit)));
        match self.source.store.record(lease, charge, unit + covered, once).await? {
            Recorded::TakenOver => return Ok(false),
            Recorded::InItsSlot(recorded) | Recorded::Late(recorded) => {
                if !recorded.uncollected.is_zero() {
                    tracing::warn!(
                        transaction_id = %recorded.id, org_id = %recorded.org, uncollected = %recorded.uncollected,
                        "a call cost more than the remaining credits"
                    );
                }
                self.is_settled = true;
                self.open.add(&recorded, covered);
            }
        }
        Ok(true)
    }

    pub fn quota_left(&self) -> QuotaLeft {
        self.open.quota_left()
    }

    /// Closes the lease if it is over and this was its last call in flight.
    pub async fn close_if_finished(self) {
        close(&self.source, &self.open).await;
    }
}

impl Drop for LeaseSlot {
    fn drop(&mut self) {
        if !self.is_settled {
            tracing::warn!(lease_id = %self.open.lease.id, slot = self.number, "a call ended without a charge; its lease is left to the sweep");
            self.open.abandon();
        }
    }
}
