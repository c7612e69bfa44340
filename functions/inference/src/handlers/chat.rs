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
use web::gateway::{AnsweredOrStreamed, ErrorResponses, InferenceCaller, ModelCallErrors};
use web::layers::request_id;
use web::{Hashed, Json, Result};

use super::claim::{NextStep, answer_once, claim};
use crate::dto::call_headers::{CallHeaders, ChatResponseHeaders};
use crate::dto::chat::{ChatCompletionIn, ChatCompletionOut};
use crate::{Stores, headers};

/// Create a chat completion
#[utoipa::path(
    post, path = "/gateway/v1/chat/completions", tag = "inference", params(CallHeaders),
    description = chat_description(), request_body = ChatCompletionIn,
    responses(
        AnsweredOrStreamed<ChatCompletionOut, ChatResponseHeaders>,
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
    if !request.is_streamed() {
        return answer_once(&stores, &caller, &headers, hash, |caller| stores.gateway.complete(caller, request)).await;
    }
    let gateway_caller = match claim(&stores, &caller, &headers, hash).await? {
        NextStep::Proceed(gateway_caller) => *gateway_caller,
        NextStep::Replay(stored) => return Ok(stored.into_response()),
    };
    let id = request_id();
    let write_error = Box::new(move |error: &_| web::gateway::event(error, &id));
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
