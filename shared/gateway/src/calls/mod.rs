//! Billed calls of models: chat completions, streams, embeddings, images, rerankings, audio and evaluations by the guard.
//!
//! This file has the steps that they share: take a slot of a lease, call a deployment, charge the usage.

pub(crate) mod bodies;
mod cache;
mod completion;
mod count;
mod embeddings;
mod fallbacks;
pub mod guard;
mod image_sources;
pub mod images;
mod input;
mod pieces;
mod preparation;
mod relay;
mod rerank;
mod speech;
mod stream;
mod transcription;
mod usage;

use std::sync::Arc;

use futures::future::BoxFuture;
use platform::telemetry::carry;
use platform::telemetry::metrics::Metric;
use tracing::Instrument;

pub use relay::StreamItem;
pub use speech::SpeechStream;
pub use stream::ChatStream;

use crate::answers::Answer;
use crate::attempt::Operation;
use crate::caller::RequestBody;
use crate::failure::ProviderFailure;
use crate::leases::{CallUsage, LeaseSlot, QuotaLeft, SlotRequest, Taken};
use crate::providers::AnyProvider;
use crate::routing::{Routed, Served, Unserved};
use crate::{Gateway, GatewayCaller, shortage_error};
use domain::lease::{CallLimits, Payer};
use domain::ledger::{CallOrigin, Charge};
use domain::{Error, Result};
use store::claims::Claim;
use store::leases::CallEnd;
use store::model_catalog::Chosen;

/// The provider of calls that the cache answers, in the metrics.
const CACHE: &str = "cache";

impl Gateway {
    /// Runs a call to its end and charges it, even if the client disconnects. A call that fails releases its claim on
    /// the `Idempotency-Key`. The call is boxed, because it is too large to be passed on the stack of a debug build.
    async fn run_to_completion<T: Send + 'static>(
        &self,
        claim: Option<Claim>,
        call: BoxFuture<'static, Result<T>>,
    ) -> Result<T> {
        let gateway = self.clone();
        let call = async move {
            let ended = call.await;
            if ended.is_err() {
                gateway.release(claim.as_ref()).await;
            }
            ended
        };
        tokio::spawn(carry(call.instrument(tracing::Span::current()))).await.map_err(Error::internal)?
    }

    /// Takes a slot of a lease, which reserves the maximum cost of the call.
    async fn take_slot(
        &self,
        payer: &Payer,
        chosen: &Chosen,
        need: CallLimits,
        call: &CallOrigin,
    ) -> Result<LeaseSlot> {
        let request = SlotRequest { payer, model: (&*chosen.model).into(), need, labels: &call.labels };
        self.slot_or_error(self.inner.leases.take(request).await?, &need)
    }

    /// Takes the only slot of a lease that a job can take over.
    async fn take_job_slot(&self, caller: &GatewayCaller, chosen: &Chosen, need: CallLimits) -> Result<LeaseSlot> {
        self.slot_or_error(self.inner.leases.take_for_job(&caller.payer, &chosen.model, need).await?, &need)
    }

    fn slot_or_error(&self, taken: Taken, need: &CallLimits) -> Result<LeaseSlot> {
        match taken {
            Taken::Slot(slot) => Ok(slot),
            Taken::Short(shortage) => Err(shortage_error(shortage, need, self.inner.clock.now())),
        }
    }

    /// Sends the call to the model's deployments. When all of them fail, the slot becomes free for another call.
    async fn send_call<T, F>(
        &self,
        slot: &mut LeaseSlot,
        caller: &GatewayCaller,
        chosen: &Chosen,
        operation: Operation,
        send: impl Fn(Arc<AnyProvider>, Arc<str>) -> F,
    ) -> Result<Routed<T>>
    where
        F: Future<Output = Result<T, ProviderFailure>>,
    {
        match self.inner.routing.send_call(chosen, operation, send).await {
            Ok(routed) => Ok(routed),
            Err(unserved) => Err(self.end_uncharged(slot, &caller.call, caller.body.as_ref(), chosen, unserved).await),
        }
    }

    /// Ends a call that no deployment served: its slot becomes free, and the log of calls gets it. Returns its error.
    async fn end_uncharged(
        &self,
        slot: &mut LeaseSlot,
        call: &CallOrigin,
        body: Option<&RequestBody>,
        chosen: &Chosen,
        unserved: Unserved,
    ) -> Error {
        slot.put_back();
        self.log_unserved(slot, call, body, chosen.alias.as_deref(), unserved).await
    }

    /// Adds a call that no deployment served to the log of calls. Returns its error.
    async fn log_unserved(
        &self,
        slot: &LeaseSlot,
        call: &CallOrigin,
        body: Option<&RequestBody>,
        alias: Option<&str>,
        Unserved { error, failed_attempts }: Unserved,
    ) -> Error {
        let (served, code) = (Served::last_of(failed_attempts), error.code().into_owned());
        let logged = slot.log_uncharged(CallUsage::failed(call, alias, served, code)).await;
        self.keep_failure(body, &logged, &error);
        *error
    }

    /// Computes the charge of a call. When the client reports a retry, `retry_of` names the charge of the first
    /// attempt, if the ledger has one.
    async fn compute_charge(&self, slot: &LeaseSlot, usage: CallUsage) -> Charge {
        let retries = usage.call.retries;
        let mut charge = slot.price_call(usage);
        self.count_usage(&charge);
        if retries > 0 {
            match Box::pin(self.inner.ledger.find_earlier_attempt(&charge)).await {
                Ok(earlier) => charge.retry_of = earlier.map(|earlier| earlier.retry_of.unwrap_or(earlier.id)),
                Err(error) => tracing::warn!(?error, "the search for an earlier attempt failed"),
            }
        }
        charge
    }

    /// Adds the usage of a call to the metrics.
    fn count_usage(&self, Charge { provider, model, tokens, cost, facts, .. }: &Charge) {
        let is_cached = facts.as_ref().is_some_and(|facts| facts.is_cached);
        let provider = if is_cached { CACHE } else { provider.as_str() };
        let amounts = [
            (Metric::InputTokens, tokens.input),
            (Metric::CachedTokens, tokens.cached),
            (Metric::OutputTokens, tokens.output),
            (Metric::ReasoningTokens, tokens.reasoning),
            (Metric::Cost, cost.pico_usd()),
        ];
        for (metric, amount) in amounts.into_iter().filter(|(_, amount)| *amount > 0) {
            self.inner.telemetry.count(metric, &[provider, model], amount);
        }
    }

    /// Writes the charge. With an `Idempotency-Key` it stores the answer in the same transaction, for replays. The bodies of the
    /// call are kept after it, if its organization wants that.
    async fn record(
        &self,
        slot: &mut LeaseSlot,
        caller: &GatewayCaller,
        charge: &Charge,
        answer: &impl Answer,
    ) -> Result<()> {
        match &caller.claim {
            None => slot.record(charge).await?,
            Some(claim) => {
                let kept = Box::pin(self.store_answer(answer)).await?;
                record_once(slot, charge, CallEnd::Answer(claim, &kept)).await?;
            }
        }
        self.keep_bodies(caller.body.as_ref(), charge, answer);
        Ok(())
    }

    /// Records a call that is not streamed, and returns the caller's remaining quota.
    async fn settle(
        &self,
        mut slot: LeaseSlot,
        caller: &GatewayCaller,
        charge: &Charge,
        answer: &impl Answer,
    ) -> Result<QuotaLeft> {
        self.record(&mut slot, caller, charge, answer).await?;
        let quota_left = slot.quota_left();
        slot.close_if_finished().await;
        Ok(quota_left)
    }
}

/// Writes the charge and the end of the call, unless another request with this `Idempotency-Key` took over the call.
async fn record_once(slot: &mut LeaseSlot, charge: &Charge, end: CallEnd<'_>) -> Result<()> {
    if slot.record_once(charge, end).await? {
        return Ok(());
    }
    slot.put_back();
    Err(taken_over())
}

fn taken_over() -> Error {
    Error::busy("another request with this Idempotency-Key took over the call")
}
