//! A provider of any kind.

use futures::future::BoxFuture;

use super::anthropic::Anthropic;
use super::bedrock::Bedrock;
use super::dev::Dev;
use super::gemini::Gemini;
use super::openai::OpenAi;
use super::{ChunkStream, OfferedModels, Probe, Provider, ProviderSettings};
use crate::audio::speech::{SpeechAnswer, SpeechRequest};
use crate::audio::transcription::{Transcript, TranscriptionRequest};
use crate::chat::{ChatAnswer, ChatRequest};
use crate::embeddings::{EmbeddingsAnswer, EmbeddingsRequest};
use crate::failure::ProviderFailure;
use crate::guard::{ModerationAnswer, TextAnswer, TextRequest};
use crate::images::{EditSources, ImageAnswer, ImageRequest};
use crate::rerank::{RerankAnswer, RerankRequest};
use domain::Result;
use domain::provider::ProviderKind;
use outbound::Outbound;
use platform::aws::Aws;

/// A provider of any kind. It is no `dyn Provider`, so that a binary links only the calls that it makes: the worker for images has no
/// chats, and so no Bedrock.
pub enum AnyProvider {
    OpenAi(OpenAi),
    Anthropic(Anthropic),
    Dev(Dev),
    Gemini(Gemini),
    Bedrock(Bedrock),
}

/// Creates the client of a provider. It sends nothing yet.
pub fn connect(settings: &ProviderSettings, outbound: &Outbound, aws: &Aws) -> Result<AnyProvider> {
    Ok(match settings.kind {
        ProviderKind::OpenAi => AnyProvider::OpenAi(OpenAi::new(settings, outbound)?),
        ProviderKind::Anthropic => AnyProvider::Anthropic(Anthropic::new(settings, outbound)?),
        ProviderKind::Dev => AnyProvider::Dev(Dev),
        ProviderKind::Gemini => AnyProvider::Gemini(Gemini::new(settings, outbound)?),
        ProviderKind::Bedrock => AnyProvider::Bedrock(Bedrock::new(settings, outbound, aws)),
    })
}

/// The methods of `Provider`, each of which calls that of the kind.
macro_rules! calls {
    ($($name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        impl AnyProvider {
            $(pub fn $name<'a>(&'a self, $($argument: $type),*) -> BoxFuture<'a, Result<$answer, ProviderFailure>> {
                match self {
                    Self::OpenAi(provider) => provider.$name($($argument),*),
                    Self::Anthropic(provider) => provider.$name($($argument),*),
                    Self::Dev(provider) => provider.$name($($argument),*),
                    Self::Gemini(provider) => provider.$name($($argument),*),
                    Self::Bedrock(provider) => provider.$name($($argument),*),
                }
            })*
        }
    };
}

calls! {
    chat(model: &'a str, request: &'a ChatRequest) -> ChatAnswer;
    stream(model: &'a str, request: &'a ChatRequest) -> ChunkStream;
    count_tokens(model: &'a str, request: &'a ChatRequest) -> u64;
    embed(model: &'a str, request: &'a EmbeddingsRequest) -> EmbeddingsAnswer;
    generate(model: &'a str, request: &'a ImageRequest) -> ImageAnswer;
    edit_images(model: &'a str, request: &'a ImageRequest, sources: &'a EditSources) -> ImageAnswer;
    rerank(model: &'a str, request: &'a RerankRequest) -> RerankAnswer;
    transcribe(model: &'a str, request: &'a TranscriptionRequest) -> Transcript;
    speak(model: &'a str, request: &'a SpeechRequest) -> SpeechAnswer;
    moderate(model: &'a str, texts: &'a [String]) -> ModerationAnswer;
    complete_text(model: &'a str, request: &'a TextRequest) -> TextAnswer;
    probe(model: Option<&'a str>) -> Probe;
    list_models() -> OfferedModels;
}
