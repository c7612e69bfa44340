//! Embeddings.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use gateway::embeddings::EmbeddingsRequest;
use serde_json::Value;
use shared::http::openai::{ErrorResponses, Hashed, InferenceCaller, Json, ModelCallErrors, Result};

use super::claim::{NextStep, claim};
use crate::dto::CallHeaders;
use crate::dto::embeddings::{EmbeddingsIn, EmbeddingsOut};
use crate::{Stores, headers};

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
        NextStep::Replay(stored) => return Ok(stored.into_response()),
    };
    let (body, report) = stores.gateway.embed(gateway_caller, request).await?;
    Ok((headers::response_headers(&report, caller.caller.at), [(CONTENT_TYPE, "application/json")], body)
        .into_response())
}
