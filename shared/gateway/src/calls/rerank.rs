//! Reranking calls.

use std::sync::Arc;

use super::usage::count_input;
use crate::answers::{Rank, Reranking, Usage};
use crate::leases::CallUsage;
use crate::rerank::RerankRequest;
use crate::routing::Routed;
use crate::{CallReport, Gateway, GatewayCaller, ParameterNotes};
use domain::catalog::Purpose;
use domain::lease::CallLimits;
use domain::{Error, Result};

impl Gateway {
    /// Makes the call.
    pub async fn rerank(&self, caller: GatewayCaller, request: Arc<RerankRequest>) -> Result<(Reranking, CallReport)> {
        let (gateway, claim) = (self.clone(), caller.claim.clone());
        let call = async move { gateway.run_rerank(&caller, request).await };
        self.run_to_completion(claim, Box::pin(call)).await
    }

    async fn run_rerank(&self, caller: &GatewayCaller, request: Arc<RerankRequest>) -> Result<(Reranking, CallReport)> {
        let chosen = caller.find_model(self.models(), request.model()).await?;
        if !chosen.model.does(Purpose::Rerank) {
            let problem = "this model does not rerank documents; choose one from \
                           GET /gateway/v1/models?capabilities=rerank";
            return Err(Error::invalid_body("model", problem));
        }
        let input = request.greatest_input();
        let need = CallLimits { money: chosen.model.pricing.greatest_cost(input, 0), tokens: input, images: 0 };
        let mut slot = self.take_slot(&caller.payer, &chosen, need).await?;
        let routed = self.send_call(&mut slot, &chosen, |provider, model| {
            let request = request.clone();
            async move { provider.rerank(&model, &request).await }
        });
        let routed = routed.await?;
        let deployment = Some(routed.deployment());
        let Routed { answer, provider, kind, model } = routed;
        let parameters = request.parameters(kind, &model).report();
        let counted = count_input(answer.usage, input);
        let charge = self.compute_charge(&slot, CallUsage::of_tokens(&caller.call, provider, counted)).await;
        let reranking = Reranking {
            id: charge.id,
            model: chosen.model.name.clone(),
            ranks: answer.ranks.into_iter().map(|(index, score)| Rank { index, score }).collect(),
            usage: Usage::of_charge(&charge),
        };
        let quota_left = self.settle(slot, caller, &charge, &reranking).await?;
        let notes = ParameterNotes { parameters, ..ParameterNotes::default() };
        Ok((reranking, CallReport { chosen, notes, deployment, quota_left, cost: Some(charge.cost) }))
    }
}
