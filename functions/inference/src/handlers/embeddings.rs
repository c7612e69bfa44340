//! Embeddings.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use gateway::embeddings::EmbeddingsRequest;
use serde_json::Value;
use web::gateway::{Answered, ErrorResponses, InferenceCaller, ModelCallErrors};
use web::{Hashed, Result, UncheckedJson};

use super::claim::answer_once;
use crate::Stores;
use crate::dto::call_headers::{CallHeaders, ForwardedResponseHeaders};
use crate::dto::embeddings::{EmbeddingsIn, EmbeddingsOut};
use crate::incoming::IncomingCall;
use crate::writers::chat::write_embeddings;

/// Create embeddings
///
/// Compatible with OpenAI's embeddings API. The model must be of type `Embeddings`.
#[utoipa::path(
    post, path = "/gateway/v1/embeddings", tag = "inference", params(CallHeaders), request_body = EmbeddingsIn,
    responses(
        Answered<EmbeddingsOut, ForwardedResponseHeaders>,
        ErrorResponses, ModelCallErrors,
    ),
)]
pub async fn create_embeddings(
    State(stores): State<Stores>,
    InferenceCaller(caller): InferenceCaller,
    headers: HeaderMap,
    Hashed { body: UncheckedJson(value), hash, bytes }: Hashed<UncheckedJson<Value>>,
) -> Result<Response> {
    let incoming = IncomingCall::read(&caller, &headers, hash, bytes, &value)?;
    let request = EmbeddingsRequest::read(value)?;
    let as_base64 = request.wants_base64();
    let embed = |caller| stores.gateway.embed(caller, request);
    answer_once(&stores, incoming, embed, |answer| write_embeddings(answer, as_base64)).await
}
