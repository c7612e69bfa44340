//! Embeddings calls.

use std::sync::Arc;

use super::usage::count_input;
use crate::answers::{Embeddings, Usage, Vector};
use crate::embeddings::EmbeddingsRequest;
use crate::leases::CallUsage;
use crate::routing::Routed;
use crate::{CallReport, Gateway, GatewayCaller, ParameterNotes};
use domain::catalog::Purpose;
use domain::lease::CallLimits;
use domain::{Error, Result};

impl Gateway {
    /// Makes the call.
    pub async fn embed(&self, caller: GatewayCaller, request: EmbeddingsRequest) -> Result<(Embeddings, CallReport)> {
        let (gateway, claim) = (self.clone(), caller.claim.clone());
        let call = async move { gateway.run_embeddings(&caller, request).await };
        self.run_to_completion(claim, Box::pin(call)).await
    }

    async fn run_embeddings(
        &self,
        caller: &GatewayCaller,
        mut request: EmbeddingsRequest,
    ) -> Result<(Embeddings, CallReport)> {
        let chosen = caller.find_model(self.models(), request.model()).await?;
        if !chosen.model.does(Purpose::Embeddings) {
            let problem =
                "this model does not make embeddings; choose a model of type Embeddings from GET /gateway/v1/models";
            return Err(Error::invalid_body("model", problem));
        }
        let input = request.greatest_input();
        let need = CallLimits { money: chosen.model.pricing.greatest_cost(input, 0), tokens: input, images: 0 };
        let mut slot = self.take_slot(&caller.payer, &chosen, need).await?;
        request.set_unsupported(chosen.model.unsupported);
        let request = Arc::new(request);
        let routed = self.send_call(&mut slot, &chosen, |provider, model| {
            let request = request.clone();
            async move { provider.embed(&model, &request).await }
        });
        let routed = routed.await?;
        let deployment = Some(routed.deployment());
        let Routed { answer, provider, kind, model } = routed;
        let parameters = request.parameters(kind, &model).report();
        let counted = count_input(answer.usage, input);
        let charge = self.compute_charge(&slot, CallUsage::of_tokens(&caller.call, provider, counted)).await;
        let embeddings = Embeddings {
            model: chosen.model.name.clone(),
            vectors: answer.vectors.into_iter().map(Vector).collect(),
            usage: Usage::of_charge(&charge),
        };
        let quota_left = self.settle(slot, caller, &charge, &embeddings).await?;
        let notes = ParameterNotes { parameters, ..ParameterNotes::default() };
        Ok((embeddings, CallReport { chosen, notes, deployment, quota_left, cost: Some(charge.cost) }))
    }
}
