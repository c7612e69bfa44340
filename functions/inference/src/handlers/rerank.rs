//! Reranking.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use gateway::rerank::RerankRequest;
use serde_json::Value;
use web::gateway::{Answered, ErrorResponses, InferenceCaller, ModelCallErrors};
use web::{Hashed, Result, UncheckedJson};

use super::claim::answer_once;
use crate::Stores;
use crate::dto::call_headers::{CallHeaders, ForwardedResponseHeaders};
use crate::dto::rerank::{RerankIn, RerankOut};
use crate::incoming::IncomingCall;
use crate::writers::rerank::write_reranking;

/// Rerank documents
///
/// Sorts documents by their relevance to a query, in the form that Cohere's and Jina's APIs share. The model needs the
/// capability `rerank`. The call is charged by tokens: the provider's count, or an estimate in which the query counts with
/// each document.
#[utoipa::path(
    post, path = "/gateway/v1/rerank", tag = "inference", params(CallHeaders), request_body = RerankIn,
    responses(
        Answered<RerankOut, ForwardedResponseHeaders>,
        ErrorResponses, ModelCallErrors,
    ),
)]
pub async fn rerank_documents(
    State(stores): State<Stores>,
    InferenceCaller(caller): InferenceCaller,
    headers: HeaderMap,
    Hashed { body: UncheckedJson(value), hash, bytes }: Hashed<UncheckedJson<Value>>,
) -> Result<Response> {
    let incoming = IncomingCall::read(&caller, &headers, hash, bytes, &value)?;
    let request = Arc::new(RerankRequest::read(value)?);
    let rerank = |caller| stores.gateway.rerank(caller, request.clone());
    // A replay has the same body, so the texts of the request are those of the answer.
    answer_once(&stores, incoming, rerank, |answer| write_reranking(answer, &request)).await
}
