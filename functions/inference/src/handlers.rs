//! One function a route.

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use shared::gateway::Asker;
use shared::gateway::chat::ChatRequest;
use shared::gateway::embeddings::EmbeddingsRequest;
use shared::http::layers::request_id;
use shared::http::openai::{self, ApiCaller, HashedJson, NotCalled, Refused, Result};

use crate::dto::{ChatCompletionIn, ChatCompletionOut, EmbeddingsIn, EmbeddingsOut};
use crate::{Stores, headers};

/// Create a chat completion
///
/// OpenAI's call, answered by any model of the catalog. With `stream: true` the answer comes as server-sent events.
#[utoipa::path(
    post, path = "/gateway/v1/chat/completions", tag = "inference", security(("bearer" = [])),
    request_body = ChatCompletionIn,
    responses((status = 200, description = "The completion, or its chunks as events", body = ChatCompletionOut), Refused, NotCalled),
)]
pub async fn create_chat_completion(
    State(stores): State<Stores>,
    ApiCaller(caller): ApiCaller,
    headers: HeaderMap,
    HashedJson { value, hash }: HashedJson,
) -> Result<Response> {
    let asker = Asker::new(&caller, request_id(), retries(&headers));
    let request = ChatRequest::read(value)?;
    if !request.is_streamed() {
        let (body, told) = stores.gateway.complete(asker, request, hash).await?;
        return Ok((headers::whole(&told), [(CONTENT_TYPE, "application/json")], body).into_response());
    }
    let id = request_id();
    let write_error = Box::new(move |error: &_| openai::event(error, &id));
    let (events, told) = stores.gateway.stream(asker, request, hash, write_error).await?;
    // Its errors are events: to Lambda, a body that fails is text like any other.
    let body = Body::from_stream(events.map(Ok::<_, std::convert::Infallible>));
    let kind = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-cache")];
    Ok((headers::begun(&told), kind, body).into_response())
}

/// Create embeddings
///
/// OpenAI's call, answered by a model of type `Embeddings`.
#[utoipa::path(
    post, path = "/gateway/v1/embeddings", tag = "inference", security(("bearer" = [])),
    request_body = EmbeddingsIn,
    responses((status = 200, description = "A vector an input", body = EmbeddingsOut), Refused, NotCalled),
)]
pub async fn create_embeddings(
    State(stores): State<Stores>,
    ApiCaller(caller): ApiCaller,
    headers: HeaderMap,
    HashedJson { value, hash }: HashedJson,
) -> Result<Response> {
    let asker = Asker::new(&caller, request_id(), retries(&headers));
    let request = EmbeddingsRequest::read(value)?;
    let (body, told) = stores.gateway.embed(asker, request, hash).await?;
    Ok((headers::whole(&told), [(CONTENT_TYPE, "application/json")], body).into_response())
}

/// How often the client says it has tried this before: `OpenAI`'s SDKs count, and send no key that would tell tries of
/// one request from two requests.
fn retries(headers: &HeaderMap) -> u32 {
    let count = headers.get("x-stainless-retry-count").and_then(|count| count.to_str().ok());
    count.and_then(|count| count.parse().ok()).unwrap_or_default()
}
