//! One adapter for each API of model providers. All implement the trait `Provider`.

mod anthropic;
mod bedrock;
mod connection;
mod conversation;
mod dev;
mod endpoint;
mod gemini;
mod media;
mod multipart;
mod openai;
mod probe;
mod settings;
mod status;
mod tools;
mod translation;

use futures::future::BoxFuture;
use futures::stream::BoxStream;

use serde_json::Value;

use crate::audio::speech::{SpeechAnswer, SpeechRequest};
use crate::audio::transcription::{Transcript, TranscriptionRequest};
use crate::chat::{ChatAnswer, ChatRequest, Chunk};
use crate::embeddings::{EmbeddingsAnswer, EmbeddingsRequest};
use crate::failure::ProviderFailure;
use crate::guard::{ModerationAnswer, TextAnswer, TextRequest};
use crate::images::{EditSources, ImageAnswer, ImageRequest};
use crate::rerank::{RerankAnswer, RerankRequest};
use crate::tokens::likely;

pub use connection::{AnyProvider, connect};
pub use dev::Dev;
pub use probe::{OfferedModels, Probe};
pub use settings::ProviderSettings;

/// The chunks of an answer, in order. A failure is the last item. A stream that ends without a failure is complete only
/// if every choice has a finish reason; the caller must check this.
pub type ChunkStream = BoxStream<'static, Result<Chunk, ProviderFailure>>;

/// A model provider, connected with its credentials. `model` is always the provider's own name for the model.
trait Provider {
    /// Requests a complete answer.
    fn chat<'a>(
        &'a self,
        model: &'a str,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChatAnswer, ProviderFailure>>;

    /// Requests a streamed answer. Returns as soon as the provider has accepted the request.
    fn stream<'a>(
        &'a self,
        model: &'a str,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<ChunkStream, ProviderFailure>>;

    /// Counts the input tokens of a chat. Without a count of the provider, it is an estimate.
    fn count_tokens<'a>(
        &'a self,
        _model: &'a str,
        request: &'a ChatRequest,
    ) -> BoxFuture<'a, Result<u64, ProviderFailure>> {
        Box::pin(async { Ok(likely(request.greatest_input())) })
    }

    fn embed<'a>(
        &'a self,
        model: &'a str,
        request: &'a EmbeddingsRequest,
    ) -> BoxFuture<'a, Result<EmbeddingsAnswer, ProviderFailure>>;

    /// Generates images. Only some providers can.
    fn generate<'a>(
        &'a self,
        _model: &'a str,
        _request: &'a ImageRequest,
    ) -> BoxFuture<'a, Result<ImageAnswer, ProviderFailure>> {
        Box::pin(async { Err(cannot("generate images")) })
    }

    /// Edits images. Only some providers can.
    fn edit_images<'a>(
        &'a self,
        _model: &'a str,
        _request: &'a ImageRequest,
        _sources: &'a EditSources,
    ) -> BoxFuture<'a, Result<ImageAnswer, ProviderFailure>> {
        Box::pin(async { Err(cannot("edit images")) })
    }

    /// Scores documents for their relevance to a query. Only some providers can.
    fn rerank<'a>(
        &'a self,
        _model: &'a str,
        _request: &'a RerankRequest,
    ) -> BoxFuture<'a, Result<RerankAnswer, ProviderFailure>> {
        Box::pin(async { Err(cannot("rerank documents")) })
    }

    /// Transcribes or translates audio. Only some providers can.
    fn transcribe<'a>(
        &'a self,
        _model: &'a str,
        _request: &'a TranscriptionRequest,
    ) -> BoxFuture<'a, Result<Transcript, ProviderFailure>> {
        Box::pin(async { Err(cannot("transcribe audio")) })
    }

    /// Speaks a text. Returns when the first piece of audio has arrived. Only some providers can.
    fn speak<'a>(
        &'a self,
        _model: &'a str,
        _request: &'a SpeechRequest,
    ) -> BoxFuture<'a, Result<SpeechAnswer, ProviderFailure>> {
        Box::pin(async { Err(cannot("speak")) })
    }

    /// Scores texts for risk. Only some providers can.
    fn moderate<'a>(
        &'a self,
        _model: &'a str,
        _texts: &'a [String],
    ) -> BoxFuture<'a, Result<ModerationAnswer, ProviderFailure>> {
        Box::pin(async { Err(cannot("moderate texts")) })
    }

    /// Completes a text, without the model's chat template. Only some providers can.
    fn complete_text<'a>(
        &'a self,
        _model: &'a str,
        _request: &'a TextRequest,
    ) -> BoxFuture<'a, Result<TextAnswer, ProviderFailure>> {
        Box::pin(async { Err(cannot("complete texts")) })
    }

    /// Makes the cheapest call that tests the connection: a short chat with `model`, or without one the model list.
    /// Returns `Err` only for a test that this provider does not support. A failed test is in the `Probe`.
    fn probe<'a>(&'a self, model: Option<&'a str>) -> BoxFuture<'a, Result<Probe, ProviderFailure>>;

    /// Lists the models that the provider offers. Returns `Err` only for a provider that has no list.
    fn list_models(&self) -> BoxFuture<'_, Result<OfferedModels, ProviderFailure>>;
}

fn cannot(what: &str) -> ProviderFailure {
    ProviderFailure::unsupported("model", format_args!("this model's provider cannot {what}; choose another model"))
}

/// Reads the field with the count in the answer to a count of tokens.
fn count_in(answer: &[u8], field: &str) -> Result<u64, ProviderFailure> {
    let answer: Value = serde_json::from_slice(answer).map_err(ProviderFailure::malformed_answer)?;
    count(&answer[field]).ok_or_else(|| ProviderFailure::malformed_answer("a count of tokens without a number"))
}

/// Reads a token count of a provider. Returns None unless the value is a non-negative integer.
fn count(value: &Value) -> Option<u64> {
    value.as_u64()
}
