//! What calls without output tokens share: embeddings and rerankings.

use std::sync::Arc;

use super::cache::{CachePlace, ReusableAnswer};
use super::usage::count_input;
use crate::attempt::Operation;
use crate::failure::ProviderFailure;
use crate::leases::{CallUsage, LeaseSlot};
use crate::parameters::ParameterReport;
use crate::providers::Provider;
use crate::routing::Routed;
use crate::{CacheUse, CallReport, Gateway, GatewayCaller, ParameterNotes};
use domain::Result;
use domain::lease::CallLimits;
use domain::ledger::Charge;
use domain::provider::UpstreamApi;
use domain::usage::Tokens;
use store::model_catalog::Chosen;

/// A call that a provider has answered, and whose charge is not written yet.
pub(super) struct InputCall {
    pub charge: Charge,
    pub api: UpstreamApi,
    /// The provider's name for the model.
    pub model: Arc<str>,
    deployment: String,
    slot: LeaseSlot,
}

impl Gateway {
    /// Reserves the maximum cost, and sends the call. `send` returns the answer and the tokens that the provider counted.
    pub(super) async fn send_input<T, F>(
        &self,
        caller: &GatewayCaller,
        chosen: &Chosen,
        operation: Operation,
        greatest_input: u64,
        send: impl Fn(Arc<dyn Provider>, Arc<str>) -> F,
    ) -> Result<(T, InputCall)>
    where
        F: Future<Output = Result<(T, Option<Tokens>), ProviderFailure>>,
    {
        let money = chosen.model.pricing.greatest_cost(greatest_input, 0);
        let need = CallLimits { money, tokens: greatest_input, images: 0 };
        let mut slot = self.take_slot(&caller.payer, chosen, need, &caller.call).await?;
        let routed = self.send_call(&mut slot, caller, chosen, operation, send).await?;
        let Routed { answer: (answer, usage), api, served, attempt } = routed;
        let (deployment, model) = (served.deployment(), served.model.clone());
        let counted = count_input(usage, greatest_input);
        attempt.end(&counted.0);
        let usage = CallUsage::of_tokens(&caller.call, chosen.alias.as_deref(), served, counted);
        let charge = self.compute_charge(&slot, usage).await;
        Ok((answer, InputCall { charge, api, model, deployment, slot }))
    }

    /// Writes the charge. `answer` is stored for replays.
    pub(super) async fn settle_input(
        &self,
        caller: &GatewayCaller,
        chosen: Chosen,
        call: InputCall,
        parameters: ParameterReport,
        place: Option<CachePlace>,
        answer: &impl ReusableAnswer,
    ) -> Result<CallReport> {
        let settled = self.settle(call.slot, caller, &call.charge, answer);
        let (quota_left, ()) = futures::join!(settled, self.keep_answer(place.as_ref(), answer));
        let quota_left = quota_left?;
        let notes = ParameterNotes { parameters, ..ParameterNotes::default() };
        let (deployment, cost) = (Some(call.deployment), Some(call.charge.cost));
        Ok(CallReport { chosen, notes, deployment, quota_left, cost, cache: place.map(|_| CacheUse::Miss) })
    }
}
