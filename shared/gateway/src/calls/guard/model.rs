//! The guard model: its choice, its calls and what they cost.

use std::sync::Arc;

use futures::{StreamExt, TryStreamExt, stream};

use super::EventOrigin;
use crate::guard::{CallBody, GuardAnswer, GuardCall, GuardInput, make_calls, score_blank};
use crate::leases::{CallUsage, LeaseSlot};
use crate::providers::Provider;
use crate::{Gateway, GatewayCaller, ProviderFailure, tokens};
use domain::catalog::{Model, Purpose};
use domain::guard::{GuardCategory, GuardEvent, GuardOutcome, GuardResult, GuardVerdict};
use domain::lease::CallLimits;
use domain::ledger::Charge;
use domain::usage::{Tokens, UsageSource};
use domain::{Error, Result};
use shared::model_catalog::Chosen;

/// The alias that names the default guard model.
const DEFAULT_ALIAS: &str = "guard";
/// The number of calls that one evaluation makes at once.
const CONCURRENT_CALLS: usize = 4;

/// A guard model and the active categories.
#[derive(Clone, Debug)]
pub(super) struct Guard {
    pub chosen: Chosen,
    categories: Vec<GuardCategory>,
}

/// An evaluation whose charge and event are not stored yet.
pub(super) struct Evaluated {
    pub event: GuardEvent,
    pub charge: Charge,
    pub slot: LeaseSlot,
}

/// What the calls of one evaluation found and used.
#[derive(Default)]
struct Findings {
    results: Vec<GuardResult>,
    tokens: Tokens,
    provider: String,
    /// Whether a provider did not report its usage.
    is_counted: bool,
}

impl Gateway {
    /// The guard model of this name, or the default one: the one with the alias `guard`, or else the first by name.
    pub(super) async fn find_guard(&self, caller: &GatewayCaller, model: Option<&str>) -> Result<Guard> {
        let chosen = match model {
            Some(name) => caller.find_model(self.models(), name).await?,
            None => match self.models().find(&caller.plan, None, DEFAULT_ALIAS).await {
                Ok(chosen) if chosen.model.does(Purpose::Guard) => chosen,
                _ => self.models().find_first(&caller.plan, Purpose::Guard).await.map_err(|_| {
                    Error::invalid_body("model", "the plan has no guard model; ask the operator for one")
                })?,
            },
        };
        Guard::new(chosen)
    }

    /// Calls the guard model, and computes the charge.
    pub(super) async fn evaluate_input(
        &self,
        origin: &EventOrigin<'_>,
        Guard { chosen, categories }: &Guard,
        input: &GuardInput,
    ) -> Result<Evaluated> {
        let calls = make_calls(&chosen.model, categories, input)?;
        let need = greatest_use(&chosen.model, &calls);
        let mut slot = self.take_slot(origin.payer, chosen, need).await?;
        let findings = self.send_calls(chosen, categories, calls).await;
        let Findings { mut results, tokens, provider, is_counted } = findings.inspect_err(|_| slot.put_back())?;
        score_blank(&mut results, input, categories.len());
        let mut verdict = GuardVerdict { categories: categories.clone(), results };
        verdict.shorten();
        let source = if is_counted { UsageSource::Counted } else { UsageSource::Provider };
        let usage = CallUsage::of_tokens(origin.call, provider, (tokens, source));
        let charge = self.compute_charge(&slot, usage).await;
        let event = origin.event(&chosen.model.name, input.messages(), GuardOutcome::Completed(verdict));
        Ok(Evaluated { event, charge, slot })
    }

    async fn send_calls(
        &self,
        chosen: &Chosen,
        categories: &[GuardCategory],
        calls: Vec<GuardCall>,
    ) -> Result<Findings> {
        let send_one = |call: GuardCall| async move {
            let call = Arc::new(call);
            let routed = self.inner.routing.send_call(chosen, |provider, model| {
                let call = call.clone();
                async move { send(&*provider, &model, &call, categories).await }
            });
            Ok::<_, Error>((routed.await?, call.greatest_input()))
        };
        let answers: Vec<_> = stream::iter(calls).map(send_one).buffered(CONCURRENT_CALLS).try_collect().await?;
        let mut found = Findings::default();
        for (routed, greatest_input) in answers {
            let GuardAnswer { results, usage } = routed.answer;
            found.is_counted |= usage.is_none();
            let likely = Tokens { input: tokens::likely(greatest_input), ..Tokens::default() };
            found.tokens += usage.unwrap_or(likely);
            found.results.extend(results);
            found.provider = routed.provider;
        }
        Ok(found)
    }
}

impl Guard {
    pub(super) fn new(chosen: Chosen) -> Result<Self> {
        if !chosen.model.does(Purpose::Guard) {
            let problem = "this model is not a guard model; choose one with the capability guard from /v1/models";
            return Err(Error::invalid_body("model", problem));
        }
        let categories: Vec<_> = chosen.listing.guard_categories.values().filter(|c| c.active).cloned().collect();
        match categories.is_empty() {
            true => Err(Error::invalid_body("input", "no risk category is active; ask the operator to create one")),
            false => Ok(Self { chosen, categories }),
        }
    }
}

async fn send(
    provider: &dyn Provider,
    model: &str,
    call: &GuardCall,
    categories: &[GuardCategory],
) -> Result<GuardAnswer, ProviderFailure> {
    match call.body() {
        CallBody::Moderation(texts) => call.read_moderation(provider.moderate(model, texts).await?, categories),
        CallBody::LlamaGuard(request) => call.read_text(&provider.complete_text(model, request).await?, categories),
        CallBody::ChatJson(request) => call.read_chat(&provider.chat(model, request).await?, categories),
    }
}

fn greatest_use(model: &Model, calls: &[GuardCall]) -> CallLimits {
    let input = calls.iter().fold(0, |sum: u64, call| sum.saturating_add(call.greatest_input()));
    let output = calls.iter().fold(0, |sum: u64, call| sum.saturating_add(call.max_output()));
    CallLimits { money: model.pricing.greatest_cost(input, output), tokens: input.saturating_add(output), images: 0 }
}
