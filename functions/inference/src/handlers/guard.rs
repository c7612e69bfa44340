//! Evaluations by the guard, and the same in OpenAI's form.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use gateway::RenderEvaluation;
use gateway::guard::GuardRequest;
use serde_json::Value;
use shared::auth::ApiCaller;
use shared::http::openai::{Answered, ErrorResponses, Hashed, InferenceCaller, Json, ModelCallErrors, Result};

use super::claim::{NextStep, claim};
use crate::dto::call_headers::{CallHeaders, CallResponseHeaders};
use crate::dto::guard::{
    GuardEvaluationOut, GuardIn, ModerationIn, ModerationsOut, render_evaluation, render_moderations,
};
use crate::{Stores, headers};

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
    Hashed { body: Json(value), hash }: Hashed<Json<Value>>,
) -> Result<Response> {
    evaluate(&stores, &caller, &headers, hash, GuardRequest::read(value)?, render_evaluation).await
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
    Hashed { body: Json(value), hash }: Hashed<Json<Value>>,
) -> Result<Response> {
    evaluate(&stores, &caller, &headers, hash, GuardRequest::read_moderation(value)?, render_moderations).await
}

async fn evaluate(
    stores: &Stores,
    caller: &ApiCaller,
    headers: &HeaderMap,
    body_hash: String,
    request: GuardRequest,
    render: RenderEvaluation,
) -> Result<Response> {
    let gateway_caller = match claim(stores, caller, headers, body_hash).await? {
        NextStep::Proceed(gateway_caller) => *gateway_caller,
        NextStep::Replay(stored) => return Ok(stored.into_response()),
    };
    let (body, report) = stores.gateway.evaluate(gateway_caller, request, render).await?;
    Ok((headers::response_headers(&report, caller.caller.at), [(CONTENT_TYPE, "application/json")], body)
        .into_response())
}
