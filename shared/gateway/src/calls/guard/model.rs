//! The guard model: its choice, its calls and what they cost.

use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, TryStreamExt, stream};

use super::super::usage::count_input;
use super::EventOrigin;
use crate::caller::RequestBody;
use crate::guard::{CallBody, GuardAnswer, GuardCall, GuardInput, make_calls, merge_parts, score_blank};
use crate::leases::{CallUsage, LeaseSlot};
use crate::providers::AnyProvider;
use crate::routing::{Routed, Served, Unserved};
use crate::{Gateway, GatewayCaller, ProviderFailure};
use domain::catalog::{Model, Purpose};
use domain::guard::{GuardCategory, GuardResult, GuardVerdict};
use domain::lease::CallLimits;
use domain::ledger::{CallOrigin, Charge};
use domain::usage::{Tokens, UsageSource};
use domain::{Error, Result};
use store::model_catalog::{Chosen, MissingGuard};

/// The number of calls that one evaluation makes at once.
const CONCURRENT_CALLS: usize = 16;

/// A guard model and the active categories.
#[derive(Clone, Debug)]
pub(super) struct GuardModel {
    pub chosen: Chosen,
    categories: Vec<GuardCategory>,
}

/// An evaluation whose charge and event are not stored yet.
pub(super) struct Evaluated {
    pub verdict: GuardVerdict,
    pub charge: Charge,
    pub slot: LeaseSlot,
}

/// What the calls of one evaluation found and used.
struct Findings {
    results: Vec<GuardResult>,
    tokens: Tokens,
    /// The deployment that answered the last call.
    served: Option<Served>,
    source: UsageSource,
}

impl Gateway {
    /// The guard of the caller's plan. `explain` turns the reason of a missing one into the caller's error.
    pub(super) async fn find_default_guard(
        &self,
        caller: &GatewayCaller,
        explain: impl FnOnce(MissingGuard) -> Error,
    ) -> Result<GuardModel> {
        GuardModel::new(self.models().find_guard(&caller.plan, explain).await?)
    }

    /// Calls the guard model, and computes the charge. `body` is that of a request for the evaluation. The calls take at most `patience`.
    pub(super) async fn evaluate_input(
        &self,
        origin: &EventOrigin,
        body: Option<&RequestBody>,
        GuardModel { chosen, categories }: &GuardModel,
        input: &GuardInput,
        patience: Duration,
    ) -> Result<Evaluated> {
        let calls = make_calls(&chosen.model, categories, input)?;
        let call = CallOrigin { started_at: Some(self.inner.clock.now()), is_streamed: false, ..origin.call.clone() };
        let need = greatest_use(&chosen.model, &calls);
        let mut slot = self.take_slot(&origin.payer, chosen, need, &call).await?;
        // Boxed, because the stack of a debug build has no room for nested futures of this size.
        let longest_attempt = if chosen.model.deployments.len() > 1 { patience / 2 } else { patience };
        let findings = Box::pin(self.send_calls(chosen, categories, calls, longest_attempt));
        let findings = tokio::time::timeout(patience, findings).await;
        let findings = findings.unwrap_or_else(|_| Err(Unserved::timeout()));
        let Findings { mut results, tokens, served, source } = match findings {
            Ok(findings) => findings,
            Err(unserved) => return Err(self.end_uncharged(&mut slot, &call, body, chosen, unserved).await),
        };
        let served = served.unwrap_or_else(|| Served::last_of(Vec::new()));
        score_blank(&mut results, input, categories.len());
        let mut verdict = GuardVerdict { categories: categories.clone(), results };
        verdict.shorten();
        let usage = CallUsage::of_tokens(&call, chosen.alias.as_deref(), served, (tokens, source));
        let charge = self.compute_charge(&slot, usage).await;
        Ok(Evaluated { verdict, charge, slot })
    }

    /// An attempt at a call takes at most `longest_attempt`, so that there is time to try another deployment.
    async fn send_calls(
        &self,
        chosen: &Chosen,
        categories: &[GuardCategory],
        calls: Vec<GuardCall>,
        longest_attempt: Duration,
    ) -> Result<Findings, Unserved> {
        let send_one = |call: GuardCall| async move {
            let call = Arc::new(call);
            let routed = self.inner.routing.send_call(chosen, call.body().into(), |provider, model| {
                let call = call.clone();
                async move {
                    let sent = tokio::time::timeout(longest_attempt, send(&provider, &model, &call, categories)).await;
                    sent.unwrap_or_else(|_| Err(ProviderFailure::timeout()))
                }
            });
            let Routed { answer: GuardAnswer { results, usage }, served, attempt, .. } = routed.await?;
            let (tokens, source) = count_input(usage, call.greatest_input());
            attempt.end(&tokens);
            Ok::<_, Unserved>((results, tokens, source, served))
        };
        let answers: Vec<_> = stream::iter(calls).map(send_one).buffered(CONCURRENT_CALLS).try_collect().await?;
        let mut found =
            Findings { results: Vec::new(), tokens: Tokens::default(), served: None, source: UsageSource::Provider };
        for (results, tokens, source, served) in answers {
            found.tokens += tokens;
            if source == UsageSource::Counted {
                found.source = source;
            }
            found.results.extend(results);
            found.served = Some(served);
        }
        merge_parts(&mut found.results);
        Ok(found)
    }
}

impl GuardModel {
    pub(super) fn new(chosen: Chosen) -> Result<Self> {
        if !chosen.model.does(Purpose::Guard) {
            let problem =
                "this model is not a guard model; choose one with the capability guard from GET /gateway/v1/models";
            return Err(Error::invalid_body("model", problem));
        }
        let categories: Vec<_> = chosen.listing.guard_categories.values().filter(|c| c.active).cloned().collect();
        match categories.is_empty() {
            true => Err(MissingGuard::Category.into()),
            false => Ok(Self { chosen, categories }),
        }
    }
}

async fn send(
    provider: &AnyProvider,
    model: &str,
    call: &GuardCall,
    categories: &[GuardCategory],
) -> Result<GuardAnswer, ProviderFailure> {
    match call.body() {
        CallBody::Moderation(texts) => call.read_moderation(provider.moderate(model, texts).await?, categories),
        CallBody::LlamaGuard(request) => {
            call.read_llama_guard(&provider.complete_text(model, request).await?, categories)
        }
        CallBody::ChatJson(request) => call.read_chat_json(&provider.chat(model, request).await?, categories),
    }
}

fn greatest_use(model: &Model, calls: &[GuardCall]) -> CallLimits {
    let input = calls.iter().fold(0, |sum: u64, call| sum.saturating_add(call.greatest_input()));
    let output = calls.iter().fold(0, |sum: u64, call| sum.saturating_add(call.max_output()));
    CallLimits { money: model.pricing.greatest_cost(input, output), tokens: input.saturating_add(output), images: 0 }
}
