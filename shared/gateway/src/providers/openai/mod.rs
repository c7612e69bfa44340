//! `OpenAI` and compatible providers. The `choices` of their answers reach the client byte for byte.

mod answer;
mod audio;
mod embeddings;
mod images;
mod messages;
mod moderation;
mod request;
mod rerank;
mod responses;
mod text;
mod usage;

use std::sync::Arc;

use futures::future::BoxFuture;
use http::header::AUTHORIZATION;
use serde_json::json;

use super::endpoint::Endpoint;
use super::media::{fetch_links, is_link};
use super::probe::{self, OfferedModels, Probe};
use super::settings::ProviderSettings;
use super::translation::translate_events;
use super::{ChunkStream, Provider};
use crate::audio::speech::{SpeechAnswer, SpeechRequest};
use crate::audio::transcription::{Transcript, TranscriptionRequest};
use crate::chat::{ChatAnswer, ChatRequest, ContentPart};
use crate::embeddings::{EmbeddingsAnswer, EmbeddingsRequest};
use crate::failure::ProviderFailure;
use crate::guard::{ModerationAnswer, TextAnswer, TextRequest};
use crate::images::{EditSources, ImageAnswer, ImageRequest};
use crate::rerank::{RerankAnswer, RerankRequest};
use domain::Result;
use domain::provider::DeploymentDialect;
use outbound::Outbound;

pub struct OpenAi {
    endpoint: Arc<Endpoint>,
    /// The API for chats.
    dialect: DeploymentDialect,
    /// For the documents that requests link to.
    outbound: Outbound,
}

impl OpenAi {
    pub fn new(settings: &ProviderSettings, outbound: &Outbound) -> Result<Self> {
        let endpoint = Endpoint::new(settings, outbound, "https://api.openai.com/v1", (AUTHORIZATION, "Bearer "))?;
        Ok(Self { endpoint: Arc::new(endpoint), dialect: settings.dialect, outbound: outbound.clone() })
    }

    fn speaks_responses(&self) -> bool {
        self.dialect == DeploymentDialect::Responses
    }
}

fn is_linked_file(part: &ContentPart) -> bool {
    matches!(part, ContentPart::File(_)) && is_link(part)
}

impl Provider for OpenAi {
    fn chat<'a>(
        &'a self,
        model: &'a str,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChatAnswer, ProviderFailure>> {
        Box::pin(async move {
            if self.speaks_responses() {
                return responses::chat(&self.endpoint, model, request).await;
            }
            request::check(model, request)?;
            // The API takes URLs of images, and only the bytes of documents.
            let request = &*fetch_links(&self.outbound, request, is_linked_file).await?;
            let body = request::Chat { model, request, streamed: false };
            self.endpoint.post_json("chat/completions", &body, |answer| answer::parse_answer(answer)).await
        })
    }

    fn stream<'a>(
        &'a self,
        model: &'a str,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChunkStream, ProviderFailure>> {
        Box::pin(async move {
            if self.speaks_responses() {
                return responses::stream(&self.endpoint, model, request).await;
            }
            request::check(model, request)?;
            // The API takes URLs of images, and only the bytes of documents.
            let request = &*fetch_links(&self.outbound, request, is_linked_file).await?;
            let body = request::Chat { model, request, streamed: true };
            let events = self.endpoint.events("chat/completions", &body).await?;
            Ok(translate_events(self.endpoint.clone(), events, answer::EventTranslation::default()))
        })
    }

    fn embed<'a>(
        &'a self,
        model: &'a str,
        request: &'a EmbeddingsRequest,
    ) -> BoxFuture<'a, Result<EmbeddingsAnswer, ProviderFailure>> {
        Box::pin(async move {
            let body = request::Embeddings { model, request };
            self.endpoint
                .post_json("embeddings", &body, |answer| embeddings::read(answer, request.inputs().len()))
                .await
        })
    }

    fn generate<'a>(
        &'a self,
        model: &'a str,
        request: &'a ImageRequest,
    ) -> BoxFuture<'a, Result<ImageAnswer, ProviderFailure>> {
        Box::pin(async move {
            let body = request::Images { model, request };
            let answer = self.endpoint.post_json("images/generations", &body, |answer| images::read(answer)).await?;
            images::collect(&self.endpoint, answer).await
        })
    }

    fn edit_images<'a>(
        &'a self,
        model: &'a str,
        request: &'a ImageRequest,
        sources: &'a EditSources,
    ) -> BoxFuture<'a, Result<ImageAnswer, ProviderFailure>> {
        Box::pin(async move {
            let form = images::edit_form(model, request, sources);
            let answer = self.endpoint.post_form("images/edits", form, |answer| images::read(answer)).await?;
            images::collect(&self.endpoint, answer).await
        })
    }

    fn rerank<'a>(
        &'a self,
        model: &'a str,
        request: &'a RerankRequest,
    ) -> BoxFuture<'a, Result<RerankAnswer, ProviderFailure>> {
        Box::pin(async move {
            let post = async |list| {
                let body = rerank::Rerank { model, request, list };
                self.endpoint.post_json("rerank", &body, |answer| rerank::read(answer, request)).await
            };
            match post(rerank::DOCUMENTS).await {
                Err(failure) if rerank::may_be_tei(&failure) => post(rerank::TEXTS).await,
                answer => answer,
            }
        })
    }

    fn transcribe<'a>(
        &'a self,
        model: &'a str,
        request: &'a TranscriptionRequest,
    ) -> BoxFuture<'a, Result<Transcript, ProviderFailure>> {
        Box::pin(async move {
            let (path, form) = (audio::path(request.task()), audio::form(model, request));
            self.endpoint.post_form(path, form, |answer| audio::read_transcript(answer, request.format())).await
        })
    }

    fn speak<'a>(
        &'a self,
        model: &'a str,
        request: &'a SpeechRequest,
    ) -> BoxFuture<'a, Result<SpeechAnswer, ProviderFailure>> {
        Box::pin(async move {
            let body = request::Speech { model, request };
            let (content_type, audio) = self.endpoint.file("audio/speech", &body).await?;
            // Clients get no other kind of file.
            let content_type = content_type.filter(|kind| kind.starts_with("audio/"));
            let content_type = content_type.unwrap_or_else(|| request.content_type().to_owned());
            Ok(SpeechAnswer { content_type, audio: audio::require_audio(audio).await? })
        })
    }

    fn moderate<'a>(
        &'a self,
        model: &'a str,
        texts: &'a [String],
    ) -> BoxFuture<'a, Result<ModerationAnswer, ProviderFailure>> {
        Box::pin(async move {
            let body = json!({"model": model, "input": texts});
            self.endpoint.post_json("moderations", &body, |answer| moderation::read(answer)).await
        })
    }

    fn complete_text<'a>(
        &'a self,
        model: &'a str,
        request: &'a TextRequest,
    ) -> BoxFuture<'a, Result<TextAnswer, ProviderFailure>> {
        Box::pin(async move {
            let body = text::body(model, request);
            self.endpoint.post_json("completions", &body, |answer| text::read(answer)).await
        })
    }

    fn probe<'a>(&'a self, model: Option<&'a str>) -> BoxFuture<'a, Result<Probe, ProviderFailure>> {
        Box::pin(async move {
            let Some(model) = model else { return self.endpoint.probe("models", None).await };
            if self.speaks_responses() {
                return responses::probe(&self.endpoint, model).await;
            }
            let request = probe::question()?;
            let body = serde_json::to_value(request::Chat { model, request: &request, streamed: false });
            self.endpoint.probe("chat/completions", Some(body.map_err(ProviderFailure::malformed_answer)?)).await
        })
    }

    fn list_models(&self) -> BoxFuture<'_, Result<OfferedModels, ProviderFailure>> {
        Box::pin(self.endpoint.list_models("models"))
    }
}
