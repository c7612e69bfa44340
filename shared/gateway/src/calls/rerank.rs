//! Reranking calls.

use std::sync::Arc;

use super::cache::CachePlace;
use super::input::input_need;
use super::usage::count_input;
use crate::answers::{Rank, Reranking, Usage};
use crate::attempt::Operation;
use crate::rerank::RerankRequest;
use crate::{CallReport, Gateway, GatewayCaller, ParameterNotes};
use domain::catalog::Purpose;
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
        let place = CachePlace::new(caller, &chosen.model, || "rerank".to_owned());
        if let Some(reranking) = self.find_cached(place.as_ref()).await {
            return self.reuse_answer(caller, chosen, ParameterNotes::default(), reranking).await;
        }
        let input = request.greatest_input();
        let need = input_need(&chosen.model, input);
        let sent = self.send_input(caller, &chosen, Operation::Rerank, need, |provider, model| {
            let request = request.clone();
            async move {
                let answer = provider.rerank(&model, &request).await?;
                Ok((answer.ranks, count_input(answer.usage, input).into()))
            }
        });
        let (ranks, call) = sent.await?;
        let reranking = Reranking {
            id: call.charge.id,
            model: chosen.model.name.clone(),
            ranks: ranks.into_iter().map(|(index, score)| Rank { index, score }).collect(),
            usage: Usage::of_charge(&call.charge),
        };
        let parameters = request.parameters(call.api, &call.model).report();
        let report = self.settle_and_keep(caller, chosen, call, parameters, place, &reranking).await?;
        Ok((reranking, report))
    }
}
