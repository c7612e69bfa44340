//! `OpenAI`'s Responses API, for the chats of deployments whose dialect it is. Some models have no other API, and with it models
//! keep their reasoning from call to call.

mod answer;
mod input;
mod request;
mod stream;

use std::sync::Arc;

use crate::chat::{ChatAnswer, ChatRequest};
use crate::failure::ProviderFailure;
use crate::providers::ChunkStream;
use crate::providers::endpoint::Endpoint;
use crate::providers::probe::{self, Probe};
use crate::providers::translation::translate_events;

const PATH: &str = "responses";
/// How messages to clients name the API.
const MAKER: &str = "OpenAI's Responses API";

pub async fn chat(endpoint: &Endpoint, model: &str, request: &ChatRequest) -> Result<ChatAnswer, ProviderFailure> {
    let body = request::translate_request(model, request, false)?;
    endpoint.post_json(PATH, &body, |answer| answer::translate_answer(answer)).await
}

pub async fn stream(
    endpoint: &Arc<Endpoint>,
    model: &str,
    request: &ChatRequest,
) -> Result<ChunkStream, ProviderFailure> {
    let body = request::translate_request(model, request, true)?;
    let events = endpoint.events(PATH, &body).await?;
    Ok(translate_events(endpoint.clone(), events, stream::EventTranslation::default()))
}

pub async fn probe(endpoint: &Endpoint, model: &str) -> Result<Probe, ProviderFailure> {
    endpoint.probe(PATH, Some(request::translate_request(model, &probe::question()?, false)?)).await
}
