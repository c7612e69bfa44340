//! Legacy completions of texts, streamed or not.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use gateway::chat::ChatRequest;
use serde_json::Value;
use web::gateway::{AnsweredOrStreamed, ErrorResponses, InferenceCaller, ModelCallErrors};
use web::layers::request_id;
use web::{Hashed, Result, UncheckedJson};

use super::conversation::answer_chat;
use crate::Stores;
use crate::dto::call_headers::{CallHeaders, ChatResponseHeaders};
use crate::dto::completions::{CompletionIn, CompletionOut};
use crate::incoming::IncomingCall;
use crate::writers::completions::{write_text_completion, write_text_stream};

/// Create a completion
///
/// Compatible with OpenAI's legacy completions API, for any chat model of the catalog: the prompt is sent as the message of a
/// user. What chats do not have is refused: several prompts, token numbers, `suffix`, `echo`, `best_of` above 1 and
/// `logprobs`. New programs should use chat completions. With `stream: true` the answer is sent as server-sent events.
#[utoipa::path(
    post, path = "/gateway/v1/completions", tag = "inference", params(CallHeaders), request_body = CompletionIn,
    responses(
        AnsweredOrStreamed<CompletionOut, ChatResponseHeaders>,
        ErrorResponses, ModelCallErrors,
    ),
)]
pub async fn create_completion(
    State(stores): State<Stores>,
    InferenceCaller(caller): InferenceCaller,
    headers: HeaderMap,
    Hashed { body: UncheckedJson(value), hash, bytes }: Hashed<UncheckedJson<Value>>,
) -> Result<Response> {
    let incoming = IncomingCall::read(&caller, &headers, hash, bytes, &value)?;
    let request = ChatRequest::read_completion(value)?;
    let (wants_usage, request_id) = (request.wants_usage(), request_id());
    let write_chunks = |stream| write_text_stream(stream, wants_usage, request_id);
    answer_chat(&stores, incoming, request, write_text_completion, write_chunks).await
}
