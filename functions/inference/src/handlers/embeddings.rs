//! Embeddings.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use gateway::embeddings::EmbeddingsRequest;
use serde_json::Value;
use shared::http::openai::{Answered, ErrorResponses, Hashed, InferenceCaller, Json, ModelCallErrors, Result};

use super::claim::{NextStep, claim};
use crate::dto::call_headers::{CallHeaders, CallResponseHeaders};
use crate::dto::embeddings::{EmbeddingsIn, EmbeddingsOut};
use crate::{Stores, headers};

/// Create embeddings
///
/// Compatible with OpenAI's embeddings API. The model must be of type `Embeddings`.
#[utoipa::path(
    post, path = "/gateway/v1/embeddings", tag = "inference", params(CallHeaders), request_body = EmbeddingsIn,
    responses(
        Answered<EmbeddingsOut, CallResponseHeaders>,
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
        NextStep::Replay(stored) => return Ok(stored.into_response()),
    };
    let (body, report) = stores.gateway.embed(gateway_caller, request).await?;
    Ok((headers::response_headers(&report, caller.caller.at), [(CONTENT_TYPE, "application/json")], body)
        .into_response())
}
