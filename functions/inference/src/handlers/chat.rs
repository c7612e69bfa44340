//! Chat completions, streamed or not.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use gateway::chat::ChatRequest;
use gateway::parameters::markdown;
use serde_json::Value;
use web::gateway::{AnsweredOrStreamed, ErrorResponses, InferenceCaller, ModelCallErrors};
use web::layers::request_id;
use web::{Hashed, Result, UncheckedJson};

use super::conversation::answer_chat;
use crate::Stores;
use crate::dto::call_headers::{CallHeaders, ChatResponseHeaders};
use crate::dto::chat::{ChatCompletionIn, ChatCompletionOut};
use crate::incoming::IncomingCall;
use crate::writers::chat::{write_completion, write_stream};

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
    Hashed { body: UncheckedJson(value), hash, bytes }: Hashed<UncheckedJson<Value>>,
) -> Result<Response> {
    let incoming = IncomingCall::read(&caller, &headers, hash, bytes, &value)?;
    let request = ChatRequest::read(value)?;
    let (wants_usage, request_id) = (request.wants_usage(), request_id());
    let write_chunks = |stream| write_stream(stream, wants_usage, request_id);
    answer_chat(&stores, incoming, request, write_completion, write_chunks).await
}

fn chat_description() -> String {
    format!(
        "Compatible with OpenAI's chat completions API, for any model of the catalog. With `stream: true` the answer \
         is sent as server-sent events.\n\n{}",
        markdown()
    )
}
