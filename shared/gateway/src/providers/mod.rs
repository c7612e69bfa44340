//! Who answers: one small trait, and a file for each language that providers speak.

mod anthropic;
mod bedrock;
mod conversation;
mod dev;
mod endpoint;
mod failure;
mod gemini;
mod openai;
mod parameters;
mod probe;
mod settings;
mod status;
mod tools;
mod translation;

use futures::future::BoxFuture;
use futures::stream::BoxStream;

use serde_json::Value;

use super::chat::{ChatAnswer, ChatRequest, Chunk};
use super::embeddings::{EmbeddingsAnswer, EmbeddingsRequest};

pub use dev::Dev;
pub use failure::{Failure, FailureKind};
pub use parameters::{CHAT, EMBEDDINGS, Parameter, ParameterReport, Parameters, Rule, markdown};
pub use probe::Probe;
pub use settings::{ProviderSettings, connect};

/// Pieces in the order they come. After a failure nothing follows; a stream that simply ends has ended well only if
/// every choice was finished, which is for the gateway to see.
pub type ChunkStream = BoxStream<'static, Result<Chunk, Failure>>;

/// A provider of models, reached with its credentials. `model` is what the provider itself calls the model.
pub trait Provider: Send + Sync {
    /// The whole answer at once.
    fn chat<'a>(&'a self, model: &'a str, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChatAnswer, Failure>>;

    /// The answer in pieces. Comes back as soon as the provider has accepted the request.
    fn stream<'a>(&'a self, model: &'a str, request: &'a ChatRequest) -> BoxFuture<'a, Result<ChunkStream, Failure>>;

    fn embed<'a>(
        &'a self,
        model: &'a str,
        request: &'a EmbeddingsRequest,
    ) -> BoxFuture<'a, Result<EmbeddingsAnswer, Failure>>;

    /// The cheapest call that shows whether the provider can be used: a short chat with `model`, or without one the
    /// list of the provider's models. An error is of the request to test, which this provider cannot make.
    fn probe<'a>(&'a self, model: Option<&'a str>) -> BoxFuture<'a, Result<Probe, Failure>>;
}

/// A count that a provider tells: there, whole and not negative, or it is not one.
fn count(value: &Value) -> Option<u64> {
    value.as_u64()
}
