//! Embeddings calls.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::usage::{UsageOut, count_input};
use crate::embeddings::EmbeddingsRequest;
use crate::leases::CallUsage;
use crate::routing::Routed;
use crate::{CallReport, Gateway, GatewayCaller, ParameterNotes};
use domain::catalog::Purpose;
use domain::lease::CallLimits;
use domain::{Error, Result};

/// The response body, as OpenAI defines it.
#[derive(Serialize)]
struct EmbeddingsOut<'a> {
    object: &'static str,
    data: Vec<EmbeddingOut>,
    model: &'a str,
    usage: UsageOut,
}

#[derive(Serialize)]
struct EmbeddingOut {
    object: &'static str,
    index: usize,
    embedding: Vector,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Vector {
    Floats(Vec<f32>),
    /// Little-endian 32-bit floats, encoded as base64.
    Base64(String),
}

impl Vector {
    fn encode(vector: Vec<f32>, as_base64: bool) -> Self {
        if !as_base64 {
            return Self::Floats(vector);
        }
        let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
        Self::Base64(STANDARD.encode(bytes))
    }
}

impl Gateway {
    /// Makes the call, and returns the response body as JSON.
    pub async fn embed(&self, caller: GatewayCaller, request: EmbeddingsRequest) -> Result<(Vec<u8>, CallReport)> {
        let (gateway, claim) = (self.clone(), caller.claim.clone());
        let call = async move { gateway.run_embeddings(&caller, request).await };
        self.run_to_completion(claim, Box::pin(call)).await
    }

    async fn run_embeddings(
        &self,
        caller: &GatewayCaller,
        mut request: EmbeddingsRequest,
    ) -> Result<(Vec<u8>, CallReport)> {
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
        let Routed { answer, provider, kind, model } = routed.await?;
        let parameters = request.parameters(kind, &model).report();
        let counted = count_input(answer.usage, input);
        let charge = self.compute_charge(&slot, CallUsage::of_tokens(&caller.call, provider, counted)).await;
        let as_base64 = request.wants_base64();
        let data = answer.vectors.into_iter().enumerate().map(|(index, vector)| EmbeddingOut {
            object: "embedding",
            index,
            embedding: Vector::encode(vector, as_base64),
        });
        let out = EmbeddingsOut {
            object: "list",
            data: data.collect(),
            model: &chosen.model.name,
            usage: UsageOut::from_input(&charge.tokens, charge.cost),
        };
        let body = serde_json::to_vec(&out).map_err(Error::internal)?;
        let quota_left = self.settle(slot, caller, &charge, &body).await?;
        let notes = ParameterNotes { parameters, ..ParameterNotes::default() };
        Ok((body, CallReport { chosen, notes, quota_left, cost: Some(charge.cost) }))
    }
}
