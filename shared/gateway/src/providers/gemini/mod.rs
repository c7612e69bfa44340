//! Google's Gemini API: `generateContent` and `batchEmbedContents`.

mod answer;
mod embeddings;
mod request;
mod stream;

use std::sync::Arc;

use futures::future::BoxFuture;
use http::HeaderName;
use serde_json::json;

use super::endpoint::Endpoint;
use super::media::{fetch_links, is_link};
use super::probe::{self, OfferedModels, Probe};
use super::settings::ProviderSettings;
use super::translation::translate_events;
use super::{ChunkStream, Provider, count_in};
use crate::chat::{ChatAnswer, ChatRequest};
use crate::embeddings::{EmbeddingsAnswer, EmbeddingsRequest};
use crate::failure::ProviderFailure;
use domain::Result;
use outbound::Outbound;

const MAKER: &str = "Gemini";

pub struct Gemini {
    endpoint: Arc<Endpoint>,
    /// For the files that requests link to.
    outbound: Outbound,
}

impl Gemini {
    pub fn new(settings: &ProviderSettings, outbound: &Outbound) -> Result<Self> {
        let auth = (HeaderName::from_static("x-goog-api-key"), "");
        let url = "https://generativelanguage.googleapis.com/v1beta";
        let endpoint = Arc::new(Endpoint::new(settings, outbound, url, auth)?);
        Ok(Self { endpoint, outbound: outbound.clone() })
    }
}

/// The resource path of a model: `models/…`, unless the operator names another collection (`tunedModels/…`).
fn resource(model: &str) -> String {
    if model.contains('/') { model.to_owned() } else { format!("models/{model}") }
}

impl Provider for Gemini {
    fn chat<'a>(
        &'a self,
        model: &'a str,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChatAnswer, ProviderFailure>> {
        Box::pin(async move {
            let body = request::content(model, &*fetch_links(&self.outbound, request, is_link).await?)?;
            let path = format!("{}:generateContent", resource(model));
            self.endpoint.post_json(path.as_str(), &body, |answer| answer::translate_answer(answer)).await
        })
    }

    fn stream<'a>(
        &'a self,
        model: &'a str,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChunkStream, ProviderFailure>> {
        Box::pin(async move {
            let body = request::content(model, &*fetch_links(&self.outbound, request, is_link).await?)?;
            let path = format!("{}:streamGenerateContent?alt=sse", resource(model));
            let events = self.endpoint.events(path.as_str(), &body).await?;
            Ok(translate_events(self.endpoint.clone(), events, stream::EventTranslation::default()))
        })
    }

    fn count_tokens<'a>(
        &'a self,
        model: &'a str,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<u64, ProviderFailure>> {
        Box::pin(async move {
            let mut content = request::content(model, &*fetch_links(&self.outbound, request, is_link).await?)?;
            content["model"] = resource(model).into();
            let path = format!("{}:countTokens", resource(model));
            let body = json!({"generateContentRequest": content});
            self.endpoint.post_json(path.as_str(), &body, |answer| count_in(answer, "totalTokens")).await
        })
    }

    fn embed<'a>(
        &'a self,
        model: &'a str,
        request: &'a EmbeddingsRequest,
    ) -> BoxFuture<'a, Result<EmbeddingsAnswer, ProviderFailure>> {
        Box::pin(async move {
            let resource = resource(model);
            let body = embeddings::body(model, &resource, request)?;
            let path = format!("{resource}:batchEmbedContents");
            self.endpoint
                .post_json(path.as_str(), &body, |answer| embeddings::read(answer, request.inputs().len()))
                .await
        })
    }

    fn probe<'a>(&'a self, model: Option<&'a str>) -> BoxFuture<'a, Result<Probe, ProviderFailure>> {
        Box::pin(async move {
            let Some(model) = model else { return self.endpoint.probe("models?pageSize=1", None).await };
            let body = request::content(model, &probe::question()?)?;
            self.endpoint.probe(&format!("{}:generateContent", resource(model)), Some(body)).await
        })
    }

    fn list_models(&self) -> BoxFuture<'_, Result<OfferedModels, ProviderFailure>> {
        Box::pin(self.endpoint.list_models("models?pageSize=1000"))
    }
}
