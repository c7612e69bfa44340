//! Embeds texts for a retrieval: calls of the gateway, for which the owner of the run or the preview is
//! charged.

use std::sync::Arc;

use auth::Caller;
use domain::catalog::Model;
use engine::drive::{Effect, EffectError};
use gateway::Vector;
use gateway::embeddings::EmbeddingsRequest;
use serde::Serialize;

use super::{chunks, errors};
use crate::EffectOwner;
use crate::errors::to_effect_error;
use crate::model::{ModelEffects, PaidCall};

pub struct Embedder<'a> {
    pub models: &'a ModelEffects,
    pub payer: Arc<Caller>,
    pub model: Arc<Model>,
    pub owner: &'a EffectOwner,
    pub effect: &'a Effect,
}

impl Embedder<'_> {
    /// The vector of the query. It belongs to this attempt.
    pub async fn embed_query(&self, query: &str) -> Result<Vec<f32>, EffectError> {
        let key = format!("{}-query", self.effect.idempotency_key);
        let vector = self.embed(&[query.to_owned()], None, key, None).await?;
        if vector.is_empty() { Err(errors::invalid_vectors()) } else { Ok(vector) }
    }

    /// The vectors of some passages, one after the other.
    ///
    /// The idempotency key is a hash of the passages, so that attempts and runs of one user that embed the same passages
    /// at once pay for one call. Two users may both pay.
    pub async fn embed_passages(&self, texts: &[String], dimensions: usize) -> Result<Vec<f32>, EffectError> {
        let key = format!("passages-{}", self.hash(&texts));
        let second_key = format!("{}-{key}", self.effect.idempotency_key);
        self.embed(texts, Some(dimensions), key, Some(second_key)).await
    }

    /// A hash of a content and of the model, which determine its vectors. The operator may change the model of the
    /// provider behind a name.
    pub fn hash(&self, content: &impl Serialize) -> String {
        let mut upstream: Vec<&str> = self.model.deployments.iter().map(|deployment| &*deployment.model).collect();
        upstream.sort_unstable();
        upstream.dedup();
        domain::graph::hash(&(chunks::VERSION, &self.model.name, upstream, content))
    }

    async fn embed(
        &self,
        texts: &[String],
        dimensions: Option<usize>,
        key: String,
        second_key: Option<String>,
    ) -> Result<Vec<f32>, EffectError> {
        let request =
            EmbeddingsRequest::new(&self.model.name, texts.into(), None).map_err(to_effect_error)?.as_base64();
        let (request_id, step) = (self.owner.request_id(self.effect), self.owner.step(self.effect));
        let call = PaidCall { payer: self.payer.clone(), request_id, step, key, second_key };
        let answer = self.models.embed_once(&call, request).await.map_err(to_effect_error)?;
        if answer.vectors.len() != texts.len() {
            return Err(errors::invalid_vectors());
        }
        let mut vectors = Vec::new();
        for Vector(numbers) in answer.vectors {
            if dimensions.is_some_and(|expected| expected != numbers.len()) || !numbers.iter().all(|n| n.is_finite()) {
                return Err(errors::invalid_vectors());
            }
            vectors.extend(numbers);
        }
        Ok(vectors)
    }
}
