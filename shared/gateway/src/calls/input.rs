//! What calls that are answered at once, and not with a chat, share: embeddings, rerankings and transcriptions.

use std::sync::Arc;

use super::cache::{CachePlace, ReusableAnswer};
use super::usage::Used;
use crate::answers::Answer;
use crate::attempt::Operation;
use crate::failure::ProviderFailure;
use crate::leases::LeaseSlot;
use crate::parameters::ParameterReport;
use crate::providers::AnyProvider;
use crate::routing::Routed;
use crate::{CacheUse, CallReport, Gateway, GatewayCaller, ParameterNotes};
use domain::Result;
use domain::catalog::Model;
use domain::lease::CallLimits;
use domain::ledger::Charge;
use domain::provider::UpstreamApi;
use store::model_catalog::Chosen;

/// The most that a call without output tokens may use.
pub(super) fn input_need(model: &Model, greatest_input: u64) -> CallLimits {
    CallLimits { money: model.pricing.greatest_cost(greatest_input, 0), tokens: greatest_input, images: 0 }
}

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
    /// Reserves the maximum cost, and sends the call. `send` returns the answer and what the call used.
    pub(super) async fn send_input<T, F>(
        &self,
        caller: &GatewayCaller,
        chosen: &Chosen,
        operation: Operation,
        need: CallLimits,
        send: impl Fn(Arc<AnyProvider>, Arc<str>) -> F,
    ) -> Result<(T, InputCall)>
    where
        F: Future<Output = Result<(T, Used), ProviderFailure>>,
    {
        let mut slot = self.take_slot(&caller.payer, chosen, need, &caller.call).await?;
        let routed = self.send_call(&mut slot, caller, chosen, operation, send).await?;
        let Routed { answer: (answer, used), api, served, attempt } = routed;
        let (deployment, model) = (served.deployment(), served.model.clone());
        attempt.end(&used.tokens);
        let usage = used.of_call(&caller.call, chosen.alias.as_deref(), served);
        let charge = self.compute_charge(&slot, usage.priced_by(&chosen.model)).await;
        Ok((answer, InputCall { charge, api, model, deployment, slot }))
    }

    /// Writes the charge. `answer` is stored for replays.
    pub(super) async fn settle_input(
        &self,
        caller: &GatewayCaller,
        chosen: Chosen,
        call: InputCall,
        parameters: ParameterReport,
        answer: &impl Answer,
    ) -> Result<CallReport> {
        let quota_left = self.settle(call.slot, caller, &call.charge, answer).await?;
        let notes = ParameterNotes { parameters, ..ParameterNotes::default() };
        let (deployment, cost) = (Some(call.deployment), Some(call.charge.cost));
        Ok(CallReport { chosen, notes, deployment, quota_left, cost, cache: None })
    }

    /// Writes the charge, and keeps the answer for equal requests.
    pub(super) async fn settle_and_keep(
        &self,
        caller: &GatewayCaller,
        chosen: Chosen,
        call: InputCall,
        parameters: ParameterReport,
        place: Option<CachePlace>,
        answer: &impl ReusableAnswer,
    ) -> Result<CallReport> {
        let settled = self.settle_input(caller, chosen, call, parameters, answer);
        let (report, ()) = futures::join!(settled, self.keep_answer(place.as_ref(), answer));
        Ok(CallReport { cache: place.map(|_| CacheUse::Miss), ..report? })
    }
}
