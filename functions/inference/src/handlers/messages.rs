//! Messages of Anthropic's API, and the count of their tokens.

use axum::Json as JsonBody;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use domain::Error;
use domain::ledger::CallOrigin;
use gateway::GatewayCaller;
use gateway::chat::ChatRequest;
use serde_json::Value;
use web::gateway::{AnsweredOrStreamed, InferenceCaller, MessagesErrors};
use web::layers::request_id;
use web::{Hashed, Query, Result, UncheckedJson};

use super::conversation::answer_chat;
use crate::Stores;
use crate::dto::call_headers::{CallHeaders, ChatResponseHeaders};
use crate::dto::messages::{AnthropicHeaders, CountTokensIn, MessageOut, MessagesIn, MessagesQuery, TokenCountOut};
use crate::incoming::IncomingCall;
use crate::writers::messages::{write_message, write_message_stream};

const ANTHROPIC_BETA: &str = "anthropic-beta";
const MAX_BETAS: usize = 64;

/// Create a message
///
/// Compatible with Anthropic's Messages API, for any chat model of the catalog: Anthropic's SDKs and Claude Code work with the
/// base URL `{base_url}/gateway`. A model of Anthropic gets the request as it is. For other models it is translated;
/// parameters that they do not know are named in `X-Svc-Dropped`. Tools that Anthropic's servers execute are refused.
/// With `stream: true` the answer is sent as server-sent events.
#[utoipa::path(
    post, path = "/gateway/v1/messages", tag = "inference", params(CallHeaders, AnthropicHeaders, MessagesQuery),
    request_body = MessagesIn,
    responses(AnsweredOrStreamed<MessageOut, ChatResponseHeaders>, MessagesErrors),
)]
pub async fn create_message(
    State(stores): State<Stores>,
    InferenceCaller(caller): InferenceCaller,
    Query(_): Query<MessagesQuery>,
    headers: HeaderMap,
    Hashed { body: UncheckedJson(value), hash, bytes }: Hashed<UncheckedJson<Value>>,
) -> Result<Response> {
    let incoming = IncomingCall::read(&caller, &headers, hash, bytes, &value)?;
    let request = ChatRequest::read_messages(value, betas(&headers)?)?;
    let request_id = request_id();
    let write_stream = |stream| write_message_stream(stream, request_id);
    answer_chat(&stores, incoming, request, write_message, write_stream).await
}

/// Count the tokens of a message
///
/// Returns the input tokens that the message would have. Providers of Anthropic and Google count; for others, it is an
/// estimate. The call is free.
#[utoipa::path(
    post, path = "/gateway/v1/messages/count_tokens", tag = "inference", params(AnthropicHeaders, MessagesQuery),
    request_body = CountTokensIn,
    responses((status = 200, description = "The count", body = TokenCountOut), MessagesErrors),
)]
pub async fn count_message_tokens(
    State(stores): State<Stores>,
    InferenceCaller(caller): InferenceCaller,
    Query(_): Query<MessagesQuery>,
    headers: HeaderMap,
    Hashed { body: UncheckedJson(value), hash, .. }: Hashed<UncheckedJson<Value>>,
) -> Result<JsonBody<TokenCountOut>> {
    let request = ChatRequest::read_messages(value, betas(&headers)?)?;
    let call = CallOrigin { request_id: request_id(), body_hash: hash, ..CallOrigin::default() };
    let caller = GatewayCaller::new(&caller, call, None);
    let input_tokens = stores.gateway.count_tokens(&caller, request).await?;
    Ok(JsonBody(TokenCountOut { input_tokens }))
}

/// The features in test that the client turns on.
fn betas(headers: &HeaderMap) -> Result<Vec<String>> {
    let values = headers.get_all(ANTHROPIC_BETA).iter().filter_map(|value| value.to_str().ok());
    let betas: Vec<String> = values.flat_map(|value| value.split(',')).map(|beta| beta.trim().to_owned()).collect();
    if betas.len() > MAX_BETAS {
        return Err(Error::invalid_query(ANTHROPIC_BETA, "must have at most 64 values").into());
    }
    Ok(betas)
}
