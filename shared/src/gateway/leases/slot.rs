//! One call's part of a lease.

use std::sync::Arc;

use super::Source;
use super::open::{Open, Standing};
use super::pool::{close, close_later};
use crate::Result;
use crate::domain::id::TransactionId;
use crate::domain::ledger::Charge;
use crate::domain::money::Money;
use crate::domain::usage::{Tokens, UsageSource};
use crate::store::claims::{Claim, Kept};

/// What a call came to.
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

/// Held while a call is under way. One that is dropped without a word is left to the sweep, which counts its request.
pub struct Slot {
    source: Source,
    open: Arc<Open>,
    number: u32,
    is_settled: bool,
}

impl Slot {
    pub(super) fn new(source: Source, open: Arc<Open>, number: u32) -> Self {
        Self { source, open, number, is_settled: false }
    }

    /// The call never reached its provider: another may use the slot.
    pub fn put_back(&mut self) {
        self.is_settled = true;
        self.open.put_back(self.number);
        // Nobody may come for it. A wide lease that still takes calls is looked after already.
        let admits_for = self.open.admits_for(self.source.clock.now());
        if admits_for.is_zero() || !self.open.lease.is_wide() {
            close_later(self.source.clone(), self.open.clone(), admits_for);
        }
    }

    /// What the call came to, by the lease's prices: never more than the slot holds, whatever the provider counts.
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
            charged: if lease.is_exempt { Money::ZERO } else { cost.min(lease.unit.money) },
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
        self.source.store.record(&self.open.lease, charge).await?;
        self.settle(charge);
        Ok(())
    }

    /// The same for a call that is made once, with its answer. False when another try has taken over: then the slot
    /// is still to be put back.
    pub async fn record_once(&mut self, charge: &Charge, claim: &Claim, answer: &Kept) -> Result<bool> {
        let recorded = self.source.store.record_once(&self.open.lease, charge, claim, answer).await?;
        if recorded.is_some() {
            self.settle(charge);
        }
        Ok(recorded.is_some())
    }

    fn settle(&mut self, charge: &Charge) {
        self.is_settled = true;
        self.open.add(charge);
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
            tracing::warn!(lease_id = %self.open.lease.id, slot = self.number, "a call ended without a word; its lease is left to the sweep");
            self.open.abandon();
        }
    }
}
