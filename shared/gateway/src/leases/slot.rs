//! One call's part of a lease.

use std::sync::Arc;

use super::Source;
use super::open::{Open, Standing};
use super::pool::{close, close_later};
use domain::Result;
use domain::id::TransactionId;
use domain::ledger::Charge;
use domain::money::Money;
use domain::usage::{Tokens, UsageSource};
use shared::store::claims::{Claim, Kept};
use shared::store::leases::Recorded;

/// What a call used.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub tokens: Tokens,
    pub source: UsageSource,
    pub images: u64,
    pub provider: String,
    pub request_id: String,
    /// Of the request's body, so that a later try of it is known as one.
    pub body_hash: Option<String>,
}

/// Held while a call is in flight. One that is dropped unrecorded is left to the sweep, which counts its request.
pub struct Slot {
    source: Source,
    open: Arc<Open>,
    number: u32,
    /// What the lease set aside for this call besides the slot; known once the call is recorded.
    covered: Option<Money>,
    is_settled: bool,
}

impl Slot {
    pub(super) fn new(source: Source, open: Arc<Open>, number: u32) -> Self {
        Self { source, open, number, covered: None, is_settled: false }
    }

    /// The call never reached its provider: another may use the slot.
    pub fn put_back(&mut self) {
        self.is_settled = true;
        self.open.put_back(self.number, self.covered.take().unwrap_or_default());
        // Nobody may come for it. A wide lease that still takes calls is looked after already.
        let admits_for = self.open.admits_for(self.source.clock.now());
        if admits_for.is_zero() || !self.open.lease.is_wide() {
            close_later(self.source.clone(), self.open.clone(), admits_for);
        }
    }

    /// The price of a call, by the lease's prices. What of it can be collected is decided when it is recorded.
    pub fn priced(&self, outcome: Outcome) -> Charge {
        let lease = &self.open.lease;
        let cost = lease.pricing.cost(&outcome.tokens);
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
            tokens: outcome.tokens,
            images: outcome.images,
            source: outcome.source,
            provider: outcome.provider,
            request_id: outcome.request_id,
            retry_of: None,
            body_hash: outcome.body_hash,
            created_at: self.source.clock.now(),
        }
    }

    /// Writes the charge. The answer may end after this; `close_when_over` then tidies up.
    pub async fn record(&mut self, charge: &Charge) -> Result<()> {
        self.write(charge, None).await.map(drop)
    }

    /// The same for a call that is made once, with its answer. False when another try has taken over: then the slot
    /// is still to be put back.
    pub async fn record_once(&mut self, charge: &Charge, claim: &Claim, answer: &Kept) -> Result<bool> {
        self.write(charge, Some((claim, answer))).await
    }

    /// Whether the charge was written.
    async fn write(&mut self, charge: &Charge, once: Option<(&Claim, &Kept)>) -> Result<bool> {
        let (lease, unit) = (&self.open.lease, self.open.lease.unit.money);
        // Once, however often the write is tried: a try that failed may have come through.
        let covered = *self.covered.get_or_insert_with(|| self.open.cover(charge.charged.less(unit)));
        match self.source.store.record(lease, charge, unit + covered, once).await? {
            Recorded::TakenOver => return Ok(false),
            Recorded::InItsSlot(recorded) | Recorded::Late(recorded) => {
                if !recorded.uncollected.is_zero() {
                    tracing::warn!(
                        transaction_id = %recorded.id, org_id = %recorded.org, uncollected = %recorded.uncollected,
                        "a call cost more than there were credits for"
                    );
                }
                self.is_settled = true;
                self.open.add(&recorded, covered);
            }
        }
        Ok(true)
    }

    pub fn standing(&self) -> Standing {
        self.open.standing()
    }

    /// Closes the lease when this was the last call of it.
    pub async fn close_when_over(self) {
        close(&self.source, &self.open).await;
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if !self.is_settled {
            tracing::warn!(lease_id = %self.open.lease.id, slot = self.number, "a call ended without a charge; its lease is left to the sweep");
            self.open.abandon();
        }
    }
}
