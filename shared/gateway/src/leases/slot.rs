//! The slot of a lease that one call holds while it is in flight.

use std::sync::Arc;

use super::LeaseSource;
use super::close::{close, close_later};
use super::open::{OpenLease, QuotaLeft};
use crate::routing::Served;
use domain::call_facts::CallFacts;
use domain::catalog::{Model, Pricing};
use domain::id::{LeaseId, TransactionId};
use domain::ledger::{CallOrigin, Charge};
use domain::money::Money;
use domain::time::Time;
use domain::usage::{Quantities, Tokens, UsageSource};
use domain::{Error, Result};
use store::leases::{Appended, CallEnd};

/// The usage of a finished call, from which its charge is computed.
#[derive(Clone, Debug)]
pub struct CallUsage {
    pub tokens: Tokens,
    pub source: UsageSource,
    pub quantities: Quantities,
    pub alias: Option<String>,
    pub served: Served,
    pub call: CallOrigin,
    /// The cache of answers answered the call, and no provider.
    pub is_cached: bool,
    /// What the call pays: percentages of the price of its usage, one after the other.
    pub price_percents: [u8; 2],
    /// When the first chunk of a stream arrived. The answer of another call arrives at once.
    pub first_chunk_at: Option<Time>,
    /// The code of the error that ended the call.
    pub error: Option<String>,
}

impl CallUsage {
    /// The usage of a call that is paid by tokens only.
    pub fn of_tokens(
        call: &CallOrigin,
        alias: Option<&str>,
        served: Served,
        (tokens, source): (Tokens, UsageSource),
    ) -> Self {
        let (alias, call) = (alias.map(str::to_owned), call.clone());
        Self {
            tokens,
            source,
            quantities: Quantities::default(),
            alias,
            served,
            call,
            is_cached: false,
            price_percents: [100; 2],
            first_chunk_at: None,
            error: None,
        }
    }

    /// At the price that the operator has set for such calls of the model.
    #[must_use]
    pub fn priced_by(self, model: &Model) -> Self {
        let price_percents = model.price_percents(self.is_cached, self.call.is_batch);
        Self { price_percents, ..self }
    }

    /// What the call costs at these prices.
    pub fn cost(&self, pricing: &Pricing) -> Money {
        let price = pricing.cost(&self.tokens, &self.quantities);
        self.price_percents.into_iter().fold(price, Money::percent)
    }

    /// A call that failed before any output.
    pub fn failed(call: &CallOrigin, alias: Option<&str>, served: Served, error: String) -> Self {
        let nothing = (Tokens::default(), UsageSource::Counted);
        Self { error: Some(error), ..Self::of_tokens(call, alias, served, nothing) }
    }

    /// What the log of calls keeps of the call, moved out of it.
    fn take_facts(&mut self, ended_at: Time) -> CallFacts {
        let started_at = self.call.started_at.unwrap_or(ended_at);
        let first_at = match (self.call.is_streamed, &self.error) {
            (true, _) => self.first_chunk_at,
            (false, None) => Some(ended_at),
            (false, Some(_)) => None,
        };
        CallFacts {
            alias: self.alias.take(),
            upstream: self.served.model.to_string(),
            labels: std::mem::take(&mut self.call.labels),
            is_streamed: self.call.is_streamed,
            is_cached: self.is_cached,
            is_batch: self.call.is_batch,
            is_tool: self.call.is_tool,
            started_at,
            first_ms: first_at.map(|at| started_at.until(at).as_millis().try_into().unwrap_or(u64::MAX)),
            error: self.error.take(),
            failed_attempts: std::mem::take(&mut self.served.failed_attempts),
            retention: self.call.retention,
        }
    }
}

/// Held while a call is in flight. When it is dropped without a charge, the sweep closes the lease and counts the
/// request.
pub struct LeaseSlot {
    source: LeaseSource,
    open: Arc<OpenLease>,
    number: u32,
    /// Money that the lease set aside for this call besides the slot. Set when the charge is first written.
    covered: Option<Money>,
    /// A write of the charge is in flight, or was cancelled.
    is_recording: bool,
    is_settled: bool,
}

impl LeaseSlot {
    pub(super) fn new(source: LeaseSource, open: Arc<OpenLease>, number: u32) -> Self {
        Self { source, open, number, covered: None, is_recording: false, is_settled: false }
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

    pub fn lease(&self) -> LeaseId {
        self.open.lease.id
    }

    /// From now on, the job owns the lease. Dropping the slot then has no effect.
    pub fn hand_over(&mut self) {
        self.is_settled = true;
    }

    /// The cost at the prices of the lease.
    pub fn cost_of(&self, tokens: &Tokens, quantities: &Quantities) -> Money {
        self.open.lease.pricing.cost(tokens, quantities)
    }

    /// Computes the charge of a call with the prices of the lease. `record` decides how much of it can be collected.
    pub fn price_call(&self, mut usage: CallUsage) -> Charge {
        let lease = &self.open.lease;
        let cost = usage.cost(&lease.pricing);
        let created_at = self.source.clock.now();
        let facts = Some(Box::new(usage.take_facts(created_at)));
        let CallOrigin { request_id, body_hash, step, .. } = usage.call;
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
            images: usage.quantities.images,
            audio_ms: usage.quantities.audio_ms,
            characters: usage.quantities.characters,
            source: usage.source,
            provider: usage.served.provider,
            request_id,
            step: step.map(Box::new),
            retry_of: None,
            body_hash: Some(body_hash),
            facts,
            created_at,
        }
    }

    /// Writes the charge. The response may end only after this. Call `close_if_finished` afterwards.
    pub async fn record(&mut self, charge: &Charge) -> Result<()> {
        self.write(charge, None).await.map(drop)
    }

    /// Writes the charge and the end of the call in one transaction. Returns false when another process took over the
    /// call.
    pub async fn record_once(&mut self, charge: &Charge, end: CallEnd<'_>) -> Result<bool> {
        self.write(charge, Some(end)).await
    }

    async fn write(&mut self, charge: &Charge, end: Option<CallEnd<'_>>) -> Result<bool> {
        if std::mem::replace(&mut self.is_recording, true) {
            return Err(Error::internal("an earlier write of the charge was cancelled, so its outcome is unknown"));
        }
        let recorded = self.write_once(charge, end).await;
        self.is_recording = false;
        let Some(recorded) = recorded? else { return Ok(false) };
        if !recorded.uncollected.is_zero() {
            tracing::warn!(
                transaction_id = %recorded.id, org_id = %recorded.org, uncollected = %recorded.uncollected,
                "a call cost more than the remaining credits"
            );
        }
        self.is_settled = true;
        self.open.add(recorded, self.covered.unwrap_or_default());
        Ok(true)
    }

    /// Returns the stored charge, or `None` if another process took over the call.
    async fn write_once(&mut self, charge: &Charge, end: Option<CallEnd<'_>>) -> Result<Option<Charge>> {
        let (source, lease, unit) = (&self.source.store, &self.open.lease, self.open.lease.unit.money);
        // The amount is computed once and kept for retries, because a failed write may have succeeded in the table.
        let covered = *self.covered.get_or_insert_with(|| self.open.cover(charge.charged.less(unit)));
        let pending = || source.pending(charge, unit + covered, end);
        match self.open.log.write(pending()).await? {
            Appended::Stored(charge) => Ok(Some(*charge)),
            Appended::TakenOver => Ok(None),
            Appended::Closed => Box::pin(source.record_late(lease, &pending())).await,
        }
    }

    /// Adds a call that is not charged to the log of calls, and returns its entry. A failure never fails the call.
    pub async fn log_uncharged(&self, usage: CallUsage) -> Charge {
        let call = self.price_call(usage);
        if let Err(error) = self.source.store.log_uncharged(&call).await {
            tracing::warn!(?error, "a failed call is missing in the log of calls");
        }
        call
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
