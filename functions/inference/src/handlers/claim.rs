//! The `Idempotency-Key` of a call: the call is made once, and repeated requests get its stored answer.

use auth::CallPurpose;
use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use domain::Error;
use gateway::{Answer, CallReport, ClaimOutcome, GatewayCaller, Replay};
use web::Result;
use web::idempotency::{IDEMPOTENCY_KEY, IDEMPOTENT_REPLAYED};

use crate::incoming::IncomingCall;
use crate::{Stores, headers};

const JSON: &str = "application/json";

pub enum NextStep<T> {
    /// The model is called for this caller.
    Proceed(Box<GatewayCaller>),
    /// The answer to an earlier request with the same key.
    Replay(Replay<T>),
}

/// Claims the request's `Idempotency-Key`, if it has one.
pub async fn claim<T: Answer>(stores: &Stores, incoming: IncomingCall<'_>) -> Result<NextStep<T>> {
    let claim = match incoming.headers.get(IDEMPOTENCY_KEY) {
        None => None,
        Some(key) => {
            let key = key.to_str().unwrap_or_default();
            if incoming.caller.purpose == CallPurpose::Seal {
                let (account, hash) = (incoming.caller.caller.account(), &incoming.body_hash);
                let answer = Box::pin(stores.gateway.seal_call(account, key, hash)).await?;
                return answer.map(NextStep::Replay).ok_or_else(|| Error::NotFound { kind: "stored answer" }.into());
            }
            let claim = stores.gateway.claim(incoming.caller.caller.account(), key, &incoming.body_hash);
            // Boxed, so that calls without a key do not have its size.
            match Box::pin(claim).await? {
                ClaimOutcome::Mine(claim) => Some(claim),
                ClaimOutcome::Answered(replay) => return Ok(NextStep::Replay(replay)),
            }
        }
    };
    Ok(NextStep::Proceed(Box::new(incoming.gateway_caller(claim))))
}

/// The response of an earlier request.
pub fn replay(content_type: &str, body: impl Into<Body>) -> Response {
    let headers = [(CONTENT_TYPE, content_type), (IDEMPOTENT_REPLAYED, "true")];
    (headers, body.into()).into_response()
}

/// Makes a call whose answer `write` renders as JSON, or replays its stored answer.
pub async fn answer_once<T, F>(
    stores: &Stores,
    incoming: IncomingCall<'_>,
    call: impl FnOnce(GatewayCaller) -> F,
    write: impl FnOnce(&T) -> domain::Result<Vec<u8>>,
) -> Result<Response>
where
    T: Answer,
    F: Future<Output = domain::Result<(T, CallReport)>>,
{
    answer_once_as(stores, incoming, call, |answer| Ok((JSON, write(answer)?))).await
}

/// Makes a call whose answer `write` renders, with its content type, or replays its stored answer.
pub async fn answer_once_as<T, F>(
    stores: &Stores,
    incoming: IncomingCall<'_>,
    call: impl FnOnce(GatewayCaller) -> F,
    write: impl FnOnce(&T) -> domain::Result<(&'static str, Vec<u8>)>,
) -> Result<Response>
where
    T: Answer,
    F: Future<Output = domain::Result<(T, CallReport)>>,
{
    let at = incoming.caller.caller.at;
    match claim(stores, incoming).await? {
        NextStep::Replay(Replay::Answer(answer)) => {
            let (content_type, body) = write(&answer)?;
            Ok(replay(content_type, body))
        }
        NextStep::Replay(Replay::Rendered(answer)) => Ok(replay(&answer.content_type, answer.body)),
        NextStep::Proceed(gateway_caller) => {
            let (answer, report) = call(*gateway_caller).await?;
            let headers = headers::response_headers(&report, at);
            let (content_type, body) = write(&answer)?;
            Ok((headers, [(CONTENT_TYPE, content_type)], body).into_response())
        }
    }
}
