//! Anthropic's Messages API.

mod answer;
mod marks;
mod native;
mod request;
mod stream;

use std::sync::Arc;

use futures::future::BoxFuture;
use http::HeaderName;

use super::endpoint::{Endpoint, Target};
use super::probe::{self, OfferedModels, Probe};
use super::settings::ProviderSettings;
use super::translation::translate_events;
use super::{ChunkStream, Provider, count_in};
use crate::chat::{ChatAnswer, ChatRequest};
use crate::embeddings::{EmbeddingsAnswer, EmbeddingsRequest};
use crate::failure::ProviderFailure;
use domain::Result;
use outbound::Outbound;

const MAKER: &str = "Anthropic";
/// The parameters that have tokens, or change their number.
const COUNTED: [&str; 8] =
    ["model", "messages", "system", "tools", "tool_choice", "thinking", "output_config", "context_management"];

pub struct Anthropic {
    endpoint: Arc<Endpoint>,
}

impl Anthropic {
    pub fn new(settings: &ProviderSettings, outbound: &Outbound) -> Result<Self> {
        let auth = (HeaderName::from_static("x-api-key"), "");
        let mut endpoint = Endpoint::new(settings, outbound, "https://api.anthropic.com/v1", auth)?;
        endpoint.default_header("anthropic-version", "2023-06-01");
        Ok(Self { endpoint: Arc::new(endpoint) })
    }
}

fn target(path: &'static str, request: &ChatRequest) -> Target<'static> {
    let betas = request.native_messages().map(|native| native.betas.join(",")).unwrap_or_default();
    Target::from(path).with_header("anthropic-beta", &betas)
}

impl Provider for Anthropic {
    fn chat<'a>(
        &'a self,
        model: &'a str,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChatAnswer, ProviderFailure>> {
        Box::pin(async move {
            let body = request::messages(model, request, false)?;
            self.endpoint.post_json(target("messages", request), &body, |answer| answer::translate_answer(answer)).await
        })
    }

    fn stream<'a>(
        &'a self,
        model: &'a str,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChunkStream, ProviderFailure>> {
        Box::pin(async move {
            let body = request::messages(model, request, true)?;
            let events = self.endpoint.events(target("messages", request), &body).await?;
            Ok(translate_events(self.endpoint.clone(), events, stream::EventTranslation::default()))
        })
    }

    fn count_tokens<'a>(
        &'a self,
        model: &'a str,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<u64, ProviderFailure>> {
        Box::pin(async move {
            let mut body = request::messages(model, request, false)?;
            if let Some(fields) = body.as_object_mut() {
                fields.retain(|name, _| COUNTED.contains(&name.as_str()));
            }
            let target = target("messages/count_tokens", request);
            self.endpoint.post_json(target, &body, |answer| count_in(answer, "input_tokens")).await
        })
    }

    fn embed<'a>(
        &'a self,
        _model: &'a str,
        _request: &'a EmbeddingsRequest,
    ) -> BoxFuture<'a, Result<EmbeddingsAnswer, ProviderFailure>> {
        Box::pin(async {
            Err(ProviderFailure::unsupported("model", "Anthropic has no embeddings; choose another model"))
        })
    }

    fn probe<'a>(&'a self, model: Option<&'a str>) -> BoxFuture<'a, Result<Probe, ProviderFailure>> {
        Box::pin(async move {
            let Some(model) = model else { return self.endpoint.probe("models?limit=1", None).await };
            let body = request::messages(model, &probe::question()?, false)?;
            self.endpoint.probe("messages", Some(body)).await
        })
    }

    fn list_models(&self) -> BoxFuture<'_, Result<OfferedModels, ProviderFailure>> {
        Box::pin(self.endpoint.list_models("models?limit=1000"))
    }
}
