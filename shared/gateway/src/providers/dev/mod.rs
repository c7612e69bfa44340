//! The embedded development models. They answer deterministically, without a provider.
//!
//! They report the same token counts as the gateway's estimate, so that a call costs exactly what was held for it.

mod audio;
mod chat;
mod embed;
mod guard;
mod hash;
mod image;
mod reply;
mod rerank;
mod schema_value;
mod truncation;

use futures::StreamExt;
use futures::future::BoxFuture;

use super::probe::{OfferedModels, Probe};
use super::{ChunkStream, Provider};
use crate::audio::speech::{SpeechAnswer, SpeechRequest};
use crate::audio::transcription::{Transcript, TranscriptionRequest};
use crate::chat::{ChatAnswer, ChatRequest};
use crate::embeddings::{EmbeddingsAnswer, EmbeddingsRequest};
use crate::failure::ProviderFailure;
use crate::guard::ModerationAnswer;
use crate::images::{EditSources, ImageAnswer, ImageRequest};
use crate::rerank::{RerankAnswer, RerankRequest};

pub const CHAT: &str = "dev-chat";
pub const EMBED: &str = "dev-embed";
pub const IMAGE: &str = "dev-image";
pub const GUARD: &str = "dev-guard";
pub const RERANK: &str = "dev-rerank";
pub const TRANSCRIBE: &str = "dev-transcribe";
pub const SPEECH: &str = "dev-speech";
/// The embedded models.
const ALL: [&str; 7] = [CHAT, EMBED, IMAGE, GUARD, RERANK, TRANSCRIBE, SPEECH];

pub struct Dev;

impl Provider for Dev {
    fn chat<'a>(
        &'a self,
        model: &'a str,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChatAnswer, ProviderFailure>> {
        Box::pin(async move {
            is_model(CHAT, model)?;
            chat::complete(request)
        })
    }

    fn stream<'a>(
        &'a self,
        model: &'a str,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChunkStream, ProviderFailure>> {
        Box::pin(async move {
            is_model(CHAT, model)?;
            Ok(futures::stream::iter(chat::complete_in_chunks(request)?).boxed())
        })
    }

    fn embed<'a>(
        &'a self,
        model: &'a str,
        request: &'a EmbeddingsRequest,
    ) -> BoxFuture<'a, Result<EmbeddingsAnswer, ProviderFailure>> {
        Box::pin(async move {
            is_model(EMBED, model)?;
            Ok(embed::embed_inputs(request))
        })
    }

    fn generate<'a>(
        &'a self,
        model: &'a str,
        request: &'a ImageRequest,
    ) -> BoxFuture<'a, Result<ImageAnswer, ProviderFailure>> {
        Box::pin(async move {
            is_model(IMAGE, model)?;
            image::generate(request)
        })
    }

    fn edit_images<'a>(
        &'a self,
        model: &'a str,
        request: &'a ImageRequest,
        sources: &'a EditSources,
    ) -> BoxFuture<'a, Result<ImageAnswer, ProviderFailure>> {
        Box::pin(async move {
            is_model(IMAGE, model)?;
            image::edit(request, sources)
        })
    }

    fn rerank<'a>(
        &'a self,
        model: &'a str,
        request: &'a RerankRequest,
    ) -> BoxFuture<'a, Result<RerankAnswer, ProviderFailure>> {
        Box::pin(async move {
            is_model(RERANK, model)?;
            Ok(rerank::rerank(request))
        })
    }

    fn transcribe<'a>(
        &'a self,
        model: &'a str,
        request: &'a TranscriptionRequest,
    ) -> BoxFuture<'a, Result<Transcript, ProviderFailure>> {
        Box::pin(async move {
            is_model(TRANSCRIBE, model)?;
            Ok(audio::transcribe(request))
        })
    }

    fn speak<'a>(
        &'a self,
        model: &'a str,
        request: &'a SpeechRequest,
    ) -> BoxFuture<'a, Result<SpeechAnswer, ProviderFailure>> {
        Box::pin(async move {
            is_model(SPEECH, model)?;
            audio::speak(request)
        })
    }

    fn moderate<'a>(
        &'a self,
        model: &'a str,
        texts: &'a [String],
    ) -> BoxFuture<'a, Result<ModerationAnswer, ProviderFailure>> {
        Box::pin(async move {
            is_model(GUARD, model)?;
            Ok(guard::moderate(texts))
        })
    }

    fn probe<'a>(&'a self, model: Option<&'a str>) -> BoxFuture<'a, Result<Probe, ProviderFailure>> {
        Box::pin(async move {
            let is_known = model.is_none_or(|model| ALL.contains(&model));
            let message =
                || ("provider_refused".to_owned(), format!("unknown model; choose one of {}", ALL.join(", ")));
            Ok(Probe { status: None, error: (!is_known).then(message) })
        })
    }

    fn list_models(&self) -> BoxFuture<'_, Result<OfferedModels, ProviderFailure>> {
        let mut models = ALL.map(str::to_owned);
        models.sort();
        Box::pin(async { Ok(OfferedModels { probe: Probe::default(), models: models.into() }) })
    }
}

fn is_model(own: &str, model: &str) -> Result<(), ProviderFailure> {
    if model == own { Ok(()) } else { Err(ProviderFailure::setup()) }
}
