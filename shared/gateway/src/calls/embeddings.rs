//! Embeddings calls.

use std::sync::Arc;

use super::cache::CachePlace;
use super::input::input_need;
use super::usage::count_input;
use crate::answers::{Embeddings, Usage, Vector};
use crate::attempt::Operation;
use crate::embeddings::EmbeddingsRequest;
use crate::{CallReport, Gateway, GatewayCaller, ParameterNotes};
use domain::catalog::Purpose;
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
        let place = CachePlace::new(caller, &chosen.model, || "embeddings".to_owned());
        if let Some(embeddings) = self.find_cached(place.as_ref()).await {
            return self.reuse_answer(caller, chosen, ParameterNotes::default(), embeddings).await;
        }
        let input = request.greatest_input();
        request.set_unsupported(chosen.model.unsupported);
        let request = Arc::new(request);
        let need = input_need(&chosen.model, input);
        let sent = self.send_input(caller, &chosen, Operation::Embed, need, |provider, model| {
            let request = request.clone();
            async move {
                let answer = provider.embed(&model, &request).await?;
                Ok((answer.vectors, count_input(answer.usage, input).into()))
            }
        });
        let (vectors, call) = sent.await?;
        let embeddings = Embeddings {
            model: chosen.model.name.clone(),
            vectors: vectors.into_iter().map(Vector).collect(),
            usage: Usage::of_charge(&call.charge),
        };
        let parameters = request.parameters(call.api, &call.model).report();
        let report = self.settle_and_keep(caller, chosen, call, parameters, place, &embeddings).await?;
        Ok((embeddings, report))
    }
}
