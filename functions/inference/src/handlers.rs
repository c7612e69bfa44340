//! The handlers of the inference API: chat completions and embeddings.

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use gateway::chat::ChatRequest;
use gateway::embeddings::EmbeddingsRequest;
use gateway::parameters::markdown;
use gateway::{ClaimOutcome, GatewayCaller};
use serde_json::Value;
use shared::http::idempotency::{IDEMPOTENCY_KEY, IDEMPOTENT_REPLAYED};
use shared::http::layers::request_id;
use shared::http::openai::{self, ErrorResponses, Hashed, InferenceCaller, Json, ModelCallErrors, Result};

use crate::dto::{CallHeaders, ChatCompletionIn, ChatCompletionOut, EmbeddingsIn, EmbeddingsOut};
use crate::{Stores, headers};

/// Create a chat completion
#[utoipa::path(
    post, path = "/gateway/v1/chat/completions", tag = "inference", params(CallHeaders),
    description = chat_description(), request_body = ChatCompletionIn,
    responses(
        (status = 200, description = "The completion, or its chunks as server-sent events",
            content((ChatCompletionOut = "application/json"), (Value = "text/event-stream")),
            headers(
                ("X-Request-Id" = String, description = "The id of the request, for support"),
                ("X-Request-Cost" = f64, description = "The cost in US dollars; absent from a stream, whose last chunk has `usage.cost`"),
                ("X-Credits-Remaining" = f64, description = "The remaining credits in US dollars; absent on a billing-exempt plan"),
                ("X-Credits-Warning" = String, description = "`low` if less than a tenth of the last granted balance remains"),
                ("X-RateLimit-Limit-Requests" = u64, description = "The request limit of the scope and window with the fewest requests left"),
                ("X-RateLimit-Remaining-Requests" = u64, description = "The requests left in that window"),
                ("X-RateLimit-Reset-Requests" = u64, description = "The end of that window, in Unix seconds"),
                ("X-RateLimit-Limit-Tokens" = u64, description = "The token limit of the scope and window with the fewest tokens left; a stream has no token headers"),
                ("X-RateLimit-Remaining-Tokens" = u64, description = "The tokens left in that window"),
                ("X-RateLimit-Reset-Tokens" = u64, description = "The end of that window, in Unix seconds"),
                ("X-Alias-Of" = String, description = "The name of the model, if the request named an alias"),
                ("X-Model-Deprecated" = String, description = "`true` if the model is deprecated"),
                ("X-Model-Retires-At" = String, description = "The date when the model stops answering"),
                ("X-Svc-Passthrough" = String, description = "Parameters forwarded to the provider without validation"),
                ("X-Svc-Dropped" = String, description = "Parameters left out, because the provider does not support them"),
                ("X-Svc-Model-Defaults" = String, description = "Parameters set by the operator's defaults"),
                ("X-Svc-Max-Tokens" = u64, description = "The reduced limit of each choice, if credits, a cap or a token limit require one"),
                ("Idempotent-Replayed" = String, description = "`true` if this is the replayed answer of an earlier request"),
            ),
        ),
        ErrorResponses, ModelCallErrors,
    ),
)]
pub async fn create_chat_completion(
    State(stores): State<Stores>,
    InferenceCaller(caller): InferenceCaller,
    headers: HeaderMap,
    Hashed { body: Json(value), hash }: Hashed<Json<Value>>,
) -> Result<Response> {
    let request = ChatRequest::read(value)?;
    let gateway_caller = match claim(&stores, &caller, &headers, hash).await? {
        NextStep::Proceed(gateway_caller) => *gateway_caller,
        NextStep::Replay(response) => return Ok(response),
    };
    if !request.is_streamed() {
        let (body, report) = stores.gateway.complete(gateway_caller, request).await?;
        return Ok((headers::response_headers(&report, caller.caller.at), [(CONTENT_TYPE, "application/json")], body)
            .into_response());
    }
    let id = request_id();
    let write_error = Box::new(move |error: &_| openai::event(error, &id));
    let (events, report) = stores.gateway.stream(gateway_caller, request, write_error).await?;
    // The body never fails: errors are sent as events, because Lambda delivers a failed body like a complete one.
    let body = Body::from_stream(events.map(Ok::<_, std::convert::Infallible>));
    let kind = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-cache")];
    Ok((headers::stream_headers(&report, caller.caller.at), kind, body).into_response())
}

/// Create embeddings
///
/// Compatible with OpenAI's embeddings API. The model must be of type `Embeddings`.
#[utoipa::path(
    post, path = "/gateway/v1/embeddings", tag = "inference", params(CallHeaders), request_body = EmbeddingsIn,
    responses(
        (status = 200, description = "A vector for each input", body = EmbeddingsOut,
            headers(
                ("X-Request-Id" = String, description = "The id of the request, for support"),
                ("X-Request-Cost" = f64, description = "The cost in US dollars"),
                ("X-Credits-Remaining" = f64, description = "The remaining credits in US dollars; absent on a billing-exempt plan"),
                ("X-Credits-Warning" = String, description = "`low` if less than a tenth of the last granted balance remains"),
                ("X-RateLimit-Limit-Requests" = u64, description = "The request limit of the scope and window with the fewest requests left"),
                ("X-RateLimit-Remaining-Requests" = u64, description = "The requests left in that window"),
                ("X-RateLimit-Reset-Requests" = u64, description = "The end of that window, in Unix seconds"),
                ("X-RateLimit-Limit-Tokens" = u64, description = "The token limit of the scope and window with the fewest tokens left"),
                ("X-RateLimit-Remaining-Tokens" = u64, description = "The tokens left in that window"),
                ("X-RateLimit-Reset-Tokens" = u64, description = "The end of that window, in Unix seconds"),
                ("X-Alias-Of" = String, description = "The name of the model, if the request named an alias"),
                ("X-Model-Deprecated" = String, description = "`true` if the model is deprecated"),
                ("X-Model-Retires-At" = String, description = "The date when the model stops answering"),
                ("X-Svc-Passthrough" = String, description = "Parameters forwarded to the provider without validation"),
                ("X-Svc-Dropped" = String, description = "Parameters left out, because the provider does not support them"),
                ("Idempotent-Replayed" = String, description = "`true` if this is the replayed answer of an earlier request"),
            ),
        ),
        ErrorResponses, ModelCallErrors,
    ),
)]
pub async fn create_embeddings(
    State(stores): State<Stores>,
    InferenceCaller(caller): InferenceCaller,
    headers: HeaderMap,
    Hashed { body: Json(value), hash }: Hashed<Json<Value>>,
) -> Result<Response> {
    let request = EmbeddingsRequest::read(value)?;
    let gateway_caller = match claim(&stores, &caller, &headers, hash).await? {
        NextStep::Proceed(gateway_caller) => *gateway_caller,
        NextStep::Replay(response) => return Ok(response),
    };
    let (body, report) = stores.gateway.embed(gateway_caller, request).await?;
    Ok((headers::response_headers(&report, caller.caller.at), [(CONTENT_TYPE, "application/json")], body)
        .into_response())
}

fn chat_description() -> String {
    format!(
        "Compatible with OpenAI's chat completions API, for any model of the catalog. With `stream: true` the answer \
         is sent as server-sent events.\n\n{}",
        markdown()
    )
}

enum NextStep {
    /// The model is called for this caller.
    Proceed(Box<GatewayCaller>),
    /// The answer to an earlier request with the same key.
    Replay(Response),
}

/// Claims the request's `Idempotency-Key`, if it has one.
async fn claim(
    stores: &Stores,
    caller: &shared::auth::ApiCaller,
    headers: &HeaderMap,
    body_hash: String,
) -> Result<NextStep> {
    let claim = match headers.get(IDEMPOTENCY_KEY) {
        None => None,
        Some(key) => {
            let key = key.to_str().unwrap_or_default();
            match stores.gateway.claim(caller.caller.account(), key, &body_hash).await? {
                ClaimOutcome::Mine(claim) => Some(claim),
                ClaimOutcome::Answered { content_type, body } => {
                    let headers = [(CONTENT_TYPE, content_type), (IDEMPOTENT_REPLAYED, "true".to_owned())];
                    return Ok(NextStep::Replay((headers, body).into_response()));
                }
            }
        }
    };
    Ok(NextStep::Proceed(Box::new(GatewayCaller::new(caller, request_id(), retries(headers), body_hash, claim))))
}

/// The number of earlier attempts, as `OpenAI`'s SDKs report it. They send no idempotency key that would identify the
/// retries of a request.
fn retries(headers: &HeaderMap) -> u32 {
    let count = headers.get("x-stainless-retry-count").and_then(|count| count.to_str().ok());
    count.and_then(|count| count.parse().ok()).unwrap_or_default()
}
