//! The cache of answers: if the operator has set it for a model, an equal request of the same organization gets the answer of the
//! earlier one. Such a call takes a slot of a lease and is charged like any other, at a percentage of the price.

use std::time::Duration;

use crate::answers::{Answer, Completion, Embeddings, Reranking, StreamedCompletion, Usage};
use crate::idempotency::read_stored;
use crate::leases::CallUsage;
use crate::routing::Served;
use crate::{CachePolicy, CacheUse, CallReport, Gateway, GatewayCaller, ParameterNotes};
use domain::Result;
use domain::catalog::{Model, ResponseCache};
use domain::id::TransactionId;
use domain::lease::CallLimits;
use domain::usage::UsageSource;
use store::cached_answers::CachedRequest;
use store::model_catalog::Chosen;

/// An answer that can be kept and returned for another request.
pub(super) trait ReusableAnswer: Answer {
    fn usage_mut(&mut self) -> &mut Usage;

    /// Gives it the id and the time of a new call, if it has them.
    fn set_call(&mut self, id: TransactionId, created: i64);
}

impl ReusableAnswer for Completion {
    fn usage_mut(&mut self) -> &mut Usage {
        &mut self.usage
    }

    fn set_call(&mut self, id: TransactionId, created: i64) {
        (self.head.id, self.head.created) = (id, created);
    }
}

impl ReusableAnswer for StreamedCompletion {
    fn usage_mut(&mut self) -> &mut Usage {
        &mut self.usage
    }

    fn set_call(&mut self, id: TransactionId, created: i64) {
        (self.head.id, self.head.created) = (id, created);
    }
}

impl ReusableAnswer for Embeddings {
    fn usage_mut(&mut self) -> &mut Usage {
        &mut self.usage
    }

    fn set_call(&mut self, _: TransactionId, _: i64) {}
}

impl ReusableAnswer for Reranking {
    fn usage_mut(&mut self) -> &mut Usage {
        &mut self.usage
    }

    fn set_call(&mut self, id: TransactionId, _: i64) {
        self.id = id;
    }
}

/// Where the answer to a request is kept.
pub(super) struct CachePlace {
    request: CachedRequest,
    settings: ResponseCache,
    policy: CachePolicy,
}

impl CachePlace {
    /// The place for a request, if the model has a cache and the caller wants it. `scope` names what the answer depends on
    /// besides the body and the model.
    pub fn new(caller: &GatewayCaller, model: &Model, scope: impl FnOnce() -> String) -> Option<Self> {
        let settings = model.response_cache.filter(|_| caller.cache != CachePolicy::Bypass)?;
        let request = CachedRequest {
            org: caller.payer.org,
            model: model.name.clone(),
            version: model.version,
            scope: scope(),
            body_hash: caller.call.body_hash.clone(),
        };
        Some(Self { request, settings, policy: caller.cache })
    }
}

impl Gateway {
    /// Looks for the answer to an equal request. A failure never fails the call: the model is called instead.
    pub(super) async fn find_cached<T: ReusableAnswer>(&self, place: Option<&CachePlace>) -> Option<T> {
        let place = place.filter(|place| place.policy == CachePolicy::Use)?;
        // Boxed, so that calls of other models do not have its size.
        Box::pin(self.read_cached(&place.request)).await.unwrap_or_else(|error| {
            tracing::warn!(?error, "a cached answer could not be read");
            None
        })
    }

    async fn read_cached<T: ReusableAnswer>(&self, request: &CachedRequest) -> Result<Option<T>> {
        let Some(answer) = self.inner.cached_answers.find(request, self.inner.clock.now()).await? else {
            return Ok(None);
        };
        let body = answer.body.read(&self.inner.files).await?;
        Ok(body.as_deref().map(read_stored).transpose()?.flatten())
    }

    /// Keeps the answer of a call for equal requests. A failure never fails the call.
    pub(super) async fn keep_answer(&self, place: Option<&CachePlace>, answer: &impl ReusableAnswer) {
        let Some(CachePlace { request, settings, .. }) = place else { return };
        let kept = Box::pin(async {
            let stored = self.store_answer(answer).await?;
            let expires_at = self.inner.clock.now().plus(Duration::from_secs(settings.seconds.into()));
            self.inner.cached_answers.put(request, stored, expires_at).await
        });
        if let Err(error) = kept.await {
            tracing::warn!(?error, "an answer could not be cached");
        }
    }

    /// Charges a call that the cache answers.
    pub(super) async fn reuse_answer<T: ReusableAnswer>(
        &self,
        caller: &GatewayCaller,
        chosen: Chosen,
        notes: ParameterNotes,
        mut answer: T,
    ) -> Result<(T, CallReport)> {
        let tokens = answer.usage_mut().tokens;
        let (served, counted) = (Served::last_of(Vec::new()), (tokens, UsageSource::Provider));
        let usage = CallUsage::of_tokens(&caller.call, chosen.alias.as_deref(), served, counted);
        let usage = CallUsage { is_cached: true, ..usage }.priced_by(&chosen.model);
        let need = CallLimits { money: usage.cost(&chosen.model.pricing), tokens: tokens.total(), images: 0 };
        let slot = self.take_slot(&caller.payer, &chosen, need, &caller.call).await?;
        let charge = self.compute_charge(&slot, usage).await;
        answer.set_call(charge.id, self.inner.clock.now().as_seconds());
        *answer.usage_mut() = Usage::of_charge(&charge);
        let quota_left = self.settle(slot, caller, &charge, &answer).await?;
        let (cost, cache) = (Some(charge.cost), Some(CacheUse::Hit));
        Ok((answer, CallReport { chosen, notes, deployment: None, quota_left, cost, cache }))
    }
}
