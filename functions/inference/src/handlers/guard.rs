//! Evaluations by the guard, and the same in OpenAI's form.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use gateway::guard::GuardRequest;
use serde_json::Value;
use web::gateway::{Answered, ErrorResponses, InferenceCaller, ModelCallErrors};
use web::{Hashed, Result, UncheckedJson};

use super::claim::answer_once;
use crate::Stores;
use crate::dto::call_headers::{CallHeaders, CallResponseHeaders};
use crate::dto::guard::{GuardEvaluationOut, GuardIn, ModerationIn, ModerationsOut};
use crate::incoming::IncomingCall;
use crate::writers::to_json;

/// Evaluate a conversation
///
/// Returns the score of each active risk category, and records an event. An evaluation is charged like any other call of
/// a model.
#[utoipa::path(
    post, path = "/gateway/v1/guard", tag = "inference", params(CallHeaders), request_body = GuardIn,
    responses(Answered<GuardEvaluationOut, CallResponseHeaders>, ErrorResponses, ModelCallErrors),
)]
pub async fn evaluate_guard(
    State(stores): State<Stores>,
    InferenceCaller(caller): InferenceCaller,
    headers: HeaderMap,
    Hashed { body: UncheckedJson(value), hash, bytes }: Hashed<UncheckedJson<Value>>,
) -> Result<Response> {
    let incoming = IncomingCall::read(&caller, &headers, hash, bytes, &value)?;
    let request = GuardRequest::read(value)?;
    let evaluate = |caller| stores.gateway.evaluate(caller, request);
    let write = |evaluation: &_| to_json(&GuardEvaluationOut::from(evaluation));
    answer_once(&stores, incoming, evaluate, write).await
}

/// Moderate texts
///
/// Compatible with OpenAI's moderations API, over the guard: its categories are the active risk categories, and an event
/// is recorded. Each text is evaluated alone.
#[utoipa::path(
    post, path = "/gateway/v1/moderations", tag = "inference", params(CallHeaders), request_body = ModerationIn,
    responses(Answered<ModerationsOut, CallResponseHeaders>, ErrorResponses, ModelCallErrors),
)]
pub async fn create_moderation(
    State(stores): State<Stores>,
    InferenceCaller(caller): InferenceCaller,
    headers: HeaderMap,
    Hashed { body: UncheckedJson(value), hash, bytes }: Hashed<UncheckedJson<Value>>,
) -> Result<Response> {
    let incoming = IncomingCall::read(&caller, &headers, hash, bytes, &value)?;
    let request = GuardRequest::read_moderation(value)?;
    let evaluate = |caller| stores.gateway.evaluate(caller, request);
    let write = |evaluation: &_| to_json(&ModerationsOut::from(evaluation));
    answer_once(&stores, incoming, evaluate, write).await
}
