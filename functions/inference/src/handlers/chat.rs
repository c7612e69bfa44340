//! Chat completions, streamed or not.

use std::convert::Infallible;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use gateway::chat::ChatRequest;
use gateway::parameters::markdown;
use gateway::{Replay, StreamedCompletion};
use serde_json::Value;
use web::gateway::{AnsweredOrStreamed, ErrorResponses, InferenceCaller, ModelCallErrors};
use web::layers::request_id;
use web::{Hashed, Result, UncheckedJson};

use super::claim::{NextStep, answer_once, claim, replay};
use crate::dto::call_headers::{CallHeaders, ChatResponseHeaders};
use crate::dto::chat::{ChatCompletionIn, ChatCompletionOut};
use crate::writer::{write_completion, write_stream};
use crate::{Stores, headers};

const EVENT_STREAM: &str = "text/event-stream";

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
    Hashed { body: UncheckedJson(value), hash }: Hashed<UncheckedJson<Value>>,
) -> Result<Response> {
    let request = ChatRequest::read(value)?;
    if !request.is_streamed() {
        let complete = |caller| stores.gateway.complete(caller, request);
        return answer_once(&stores, &caller, &headers, hash, complete, write_completion).await;
    }
    let wants_usage = request.wants_usage();
    let gateway_caller = match claim::<StreamedCompletion>(&stores, &caller, &headers, hash).await? {
        NextStep::Proceed(gateway_caller) => *gateway_caller,
        NextStep::Replay(Replay::Rendered(answer)) => return Ok(replay(&answer.content_type, answer.body)),
        NextStep::Replay(Replay::Answer(answer)) => {
            let events: Vec<Bytes> = write_stream(answer.into_stream()?, wants_usage, request_id()).collect().await;
            return Ok(replay(EVENT_STREAM, events.concat()));
        }
    };
    let (stream, report) = stores.gateway.stream(gateway_caller, request).await?;
    // The body never fails: errors are sent as events, because Lambda delivers a failed body like a complete one.
    let events = write_stream(stream, wants_usage, request_id()).map(Ok::<_, Infallible>);
    let kind = [(CONTENT_TYPE, EVENT_STREAM), (CACHE_CONTROL, "no-cache")];
    Ok((headers::stream_headers(&report, caller.caller.at), kind, Body::from_stream(events)).into_response())
}

fn chat_description() -> String {
    format!(
        "Compatible with OpenAI's chat completions API, for any model of the catalog. With `stream: true` the answer \
         is sent as server-sent events.\n\n{}",
        markdown()
    )
}
