//! One function a route.

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use gateway::chat::ChatRequest;
use gateway::embeddings::EmbeddingsRequest;
use gateway::providers::markdown;
use gateway::{Asker, Claiming};
use shared::http::idempotency::{IDEMPOTENCY_KEY, IDEMPOTENT_REPLAYED};
use shared::http::layers::request_id;
use shared::http::openai::{self, HashedJson, InferenceCaller, NotCalled, Refused, Result};

use crate::dto::{CallHeaders, ChatCompletionIn, ChatCompletionOut, EmbeddingsIn, EmbeddingsOut};
use crate::{Stores, headers};

/// Create a chat completion
#[utoipa::path(
    post, path = "/gateway/v1/chat/completions", tag = "inference", security(("bearer" = [])), params(CallHeaders),
    description = chat_description(),
    request_body = ChatCompletionIn,
    responses(
        (status = 200, description = "The completion, or its chunks as events",
            content((ChatCompletionOut = "application/json"), (serde_json::Value = "text/event-stream")),
            headers(
                ("X-Request-Id" = String, description = "The request; support asks for it"),
                ("X-Request-Cost" = f64, description = "US dollars; absent from a stream, whose last chunk has `usage.cost`"),
                ("X-Credits-Remaining" = f64, description = "US dollars; absent on a billing-exempt plan"),
                ("X-Credits-Warning" = String, description = "`low` below a tenth of what the organization was last given"),
                ("X-RateLimit-Limit-Requests" = u64, description = "Of the scope and window with the fewest requests left"),
                ("X-RateLimit-Remaining-Requests" = u64, description = "Requests left in it"),
                ("X-RateLimit-Reset-Requests" = u64, description = "When it ends, in Unix seconds"),
                ("X-RateLimit-Limit-Tokens" = u64, description = "Of the scope and window with the fewest tokens left; absent from a stream, like the next two"),
                ("X-RateLimit-Remaining-Tokens" = u64, description = "Tokens left in it"),
                ("X-RateLimit-Reset-Tokens" = u64, description = "When it ends, in Unix seconds"),
                ("X-Alias-Of" = String, description = "The model, when it was asked for by an alias"),
                ("X-Model-Deprecated" = String, description = "`true` when the model is being retired"),
                ("X-Model-Retires-At" = String, description = "When it stops answering"),
                ("X-Svc-Passthrough" = String, description = "Parameters forwarded to the provider without validation"),
                ("X-Svc-Dropped" = String, description = "Parameters left out, since the provider has none like them"),
                ("X-Svc-Model-Defaults" = String, description = "Parameters that the operator's defaults set"),
                ("X-Svc-Max-Tokens" = u64, description = "The limit put on each answer, since credits, a cap or a token limit cover no longer one"),
                ("Idempotent-Replayed" = String, description = "`true` on the stored answer of an earlier request"),
            ),
        ),
        Refused, NotCalled,
    ),
)]
pub async fn create_chat_completion(
    State(stores): State<Stores>,
    InferenceCaller(caller): InferenceCaller,
    headers: HeaderMap,
    HashedJson { value, hash }: HashedJson,
) -> Result<Response> {
    let request = ChatRequest::read(value)?;
    let asker = match claimed(&stores, &caller, &headers, hash).await? {
        Ok(asker) => asker,
        Err(answered) => return Ok(answered),
    };
    if !request.is_streamed() {
        let (body, told) = stores.gateway.complete(asker, request).await?;
        return Ok((headers::whole(&told), [(CONTENT_TYPE, "application/json")], body).into_response());
    }
    let id = request_id();
    let write_error = Box::new(move |error: &_| openai::event(error, &id));
    let (events, told) = stores.gateway.stream(asker, request, write_error).await?;
    // Its errors are events: to Lambda, a body that fails is text like any other.
    let body = Body::from_stream(events.map(Ok::<_, std::convert::Infallible>));
    let kind = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-cache")];
    Ok((headers::begun(&told), kind, body).into_response())
}

/// Create embeddings
///
/// OpenAI's call, answered by a model of type `Embeddings`.
#[utoipa::path(
    post, path = "/gateway/v1/embeddings", tag = "inference", security(("bearer" = [])), params(CallHeaders),
    request_body = EmbeddingsIn,
    responses(
        (status = 200, description = "A vector for each input", body = EmbeddingsOut,
            headers(
                ("X-Request-Id" = String, description = "The request; support asks for it"),
                ("X-Request-Cost" = f64, description = "US dollars"),
                ("X-Credits-Remaining" = f64, description = "US dollars; absent on a billing-exempt plan"),
                ("X-Credits-Warning" = String, description = "`low` below a tenth of what the organization was last given"),
                ("X-RateLimit-Limit-Requests" = u64, description = "Of the scope and window with the fewest requests left"),
                ("X-RateLimit-Remaining-Requests" = u64, description = "Requests left in it"),
                ("X-RateLimit-Reset-Requests" = u64, description = "When it ends, in Unix seconds"),
                ("X-RateLimit-Limit-Tokens" = u64, description = "Of the scope and window with the fewest tokens left"),
                ("X-RateLimit-Remaining-Tokens" = u64, description = "Tokens left in it"),
                ("X-RateLimit-Reset-Tokens" = u64, description = "When it ends, in Unix seconds"),
                ("X-Alias-Of" = String, description = "The model, when it was asked for by an alias"),
                ("X-Model-Deprecated" = String, description = "`true` when the model is being retired"),
                ("X-Model-Retires-At" = String, description = "When it stops answering"),
                ("X-Svc-Passthrough" = String, description = "Parameters forwarded to the provider without validation"),
                ("X-Svc-Dropped" = String, description = "Parameters left out, since the provider has none like them"),
                ("Idempotent-Replayed" = String, description = "`true` on the stored answer of an earlier request"),
            ),
        ),
        Refused, NotCalled,
    ),
)]
pub async fn create_embeddings(
    State(stores): State<Stores>,
    InferenceCaller(caller): InferenceCaller,
    headers: HeaderMap,
    HashedJson { value, hash }: HashedJson,
) -> Result<Response> {
    let request = EmbeddingsRequest::read(value)?;
    let asker = match claimed(&stores, &caller, &headers, hash).await? {
        Ok(asker) => asker,
        Err(answered) => return Ok(answered),
    };
    let (body, told) = stores.gateway.embed(asker, request).await?;
    Ok((headers::whole(&told), [(CONTENT_TYPE, "application/json")], body).into_response())
}

fn chat_description() -> String {
    format!(
        "OpenAI's call, answered by any model of the catalog. With `stream: true` the answer comes as server-sent \
         events.\n\n{}",
        markdown()
    )
}

/// Who asks; or the first answer to the same request, if it carries the `Idempotency-Key` of an earlier one.
async fn claimed(
    stores: &Stores,
    caller: &shared::auth::ApiCaller,
    headers: &HeaderMap,
    body_hash: String,
) -> Result<std::result::Result<Asker, Response>> {
    let claim = match headers.get(IDEMPOTENCY_KEY) {
        None => None,
        Some(key) => {
            let key = key.to_str().unwrap_or_default();
            match stores.gateway.claim(caller.caller.account(), key, &body_hash).await? {
                Claiming::Mine(claim) => Some(claim),
                Claiming::Answered { content_type, body } => {
                    let headers = [(CONTENT_TYPE, content_type), (IDEMPOTENT_REPLAYED, "true".to_owned())];
                    return Ok(Err((headers, body).into_response()));
                }
            }
        }
    };
    Ok(Ok(Asker::new(caller, request_id(), retries(headers), body_hash, claim)))
}

/// How often the client says it has tried this before: `OpenAI`'s SDKs count, and send no key that would tell tries of
/// one request from two requests.
fn retries(headers: &HeaderMap) -> u32 {
    let count = headers.get("x-stainless-retry-count").and_then(|count| count.to_str().ok());
    count.and_then(|count| count.parse().ok()).unwrap_or_default()
}
