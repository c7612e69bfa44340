//! Chat completions, streamed or not.

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use gateway::chat::ChatRequest;
use gateway::parameters::markdown;
use serde_json::Value;
use shared::http::layers::request_id;
use shared::http::openai::{self, ErrorResponses, Hashed, InferenceCaller, Json, ModelCallErrors, Result};

use super::claim::{NextStep, claim};
use crate::dto::CallHeaders;
use crate::dto::chat::{ChatCompletionIn, ChatCompletionOut};
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
        NextStep::Replay(stored) => return Ok(stored.into_response()),
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

fn chat_description() -> String {
    format!(
        "Compatible with OpenAI's chat completions API, for any model of the catalog. With `stream: true` the answer \
         is sent as server-sent events.\n\n{}",
        markdown()
    )
}
