//! The `Idempotency-Key` of a call: the call is made once, and repeated requests get its stored answer.

use auth::ApiCaller;
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use gateway::{CallReport, ClaimOutcome, GatewayCaller};
use web::Result;
use web::idempotency::{IDEMPOTENCY_KEY, IDEMPOTENT_REPLAYED};
use web::layers::request_id;

use crate::{Stores, headers};

pub enum NextStep {
    /// The model is called for this caller.
    Proceed(Box<GatewayCaller>),
    /// The answer to an earlier request with the same key.
    Replay(StoredResponse),
}

/// The stored answer of an earlier request.
pub struct StoredResponse {
    content_type: String,
    pub body: Bytes,
}

impl IntoResponse for StoredResponse {
    fn into_response(self) -> Response {
        let headers = [(CONTENT_TYPE, self.content_type), (IDEMPOTENT_REPLAYED, "true".to_owned())];
        (headers, self.body).into_response()
    }
}

/// Claims the request's `Idempotency-Key`, if it has one.
pub async fn claim(stores: &Stores, caller: &ApiCaller, headers: &HeaderMap, body_hash: String) -> Result<NextStep> {
    let claim = match headers.get(IDEMPOTENCY_KEY) {
        None => None,
        Some(key) => {
            let key = key.to_str().unwrap_or_default();
            match stores.gateway.claim(caller.caller.account(), key, &body_hash).await? {
                ClaimOutcome::Mine(claim) => Some(claim),
                ClaimOutcome::Answered { content_type, body } => {
                    return Ok(NextStep::Replay(StoredResponse { content_type, body }));
                }
            }
        }
    };
    Ok(NextStep::Proceed(Box::new(GatewayCaller::new(caller, request_id(), retries(headers), body_hash, claim))))
}

/// Makes a call whose answer is JSON, or replays its stored answer.
pub async fn answer_once<F>(
    stores: &Stores,
    caller: &ApiCaller,
    headers: &HeaderMap,
    body_hash: String,
    call: impl FnOnce(GatewayCaller) -> F,
) -> Result<Response>
where
    F: Future<Output = domain::Result<(Vec<u8>, CallReport)>>,
{
    match claim(stores, caller, headers, body_hash).await? {
        NextStep::Replay(stored) => Ok(stored.into_response()),
        NextStep::Proceed(gateway_caller) => {
            let (body, report) = call(*gateway_caller).await?;
            let headers = headers::response_headers(&report, caller.caller.at);
            Ok((headers, [(CONTENT_TYPE, "application/json")], body).into_response())
        }
    }
}

/// The number of earlier attempts, as `OpenAI`'s SDKs report it. They send no idempotency key that would identify the
/// retries of a request.
fn retries(headers: &HeaderMap) -> u32 {
    let count = headers.get("x-stainless-retry-count").and_then(|count| count.to_str().ok());
    count.and_then(|count| count.parse().ok()).unwrap_or_default()
}
