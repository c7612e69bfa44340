//! The envelope of the gateway: objects in the format of OpenAI, and errors as `{error: {type, code, message, param,
//! request_id, details}}`; and the wire types that several of its functions share.

mod anthropic;
mod api_key;
mod call;
mod callers;
mod guard;
mod key_settings;
mod limits;
mod list;
mod model;
mod responses;
mod role;
mod spend;
mod tags;
mod transaction;
mod usage;
mod wire_enum;

use axum::http::header::{HeaderName, HeaderValue, RETRY_AFTER};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde_json::{Value, json};

use crate::layers::request_id;
use crate::{Area, classify, message, refusal_code, respond};
use domain::catalog::Model;
use domain::error_text;
use domain::limits::Dimension;
use domain::time::Time;
use domain::{Error, IDEMPOTENCY_CONFLICT, ProviderTrouble};

pub use anthropic::body as anthropic_error;
pub use api_key::ApiKeyOut;
pub use call::{CallDetailOut, CallOut, CallStatusWire};
pub use callers::{
    Administrator, BodyReader, CatalogReader, InferenceCaller, InferenceReader, Operator, Person, key_of_workbench,
};
pub use guard::{GuardEventOut, GuardResultOut, GuardSeverityWire, InputGuardWire};
pub use key_settings::{KeyName, KeySettingsIn};
pub use limits::{LimitsIn, LimitsOut, PlanLimitsIn, PlanLimitsOut, SpendingCapOut};
pub use list::{CursorList, List};
pub use model::{DeprecationOut, ModelTypeWire, PricingOut};
pub use responses::{
    AdministratorOnly, Answered, AnsweredAudio, AnsweredOrStreamed, AnthropicErrorBody, BodyRefused, Created,
    ErrorBody, ErrorResponses, FormRefused, MessagesErrors, ModelCallErrors, NoBodies, NotFound, OperatorOnly, Stale,
    UserOnly,
};
pub use role::RoleName;
pub use spend::{DailySpendOut, SpendQuery};
pub use tags::{X_SVC_TAGS, call_tags, is_tag};
pub use transaction::{TotalsOut, TransactionKind, TransactionOut, TransactionsOut, month_of};
pub use usage::{FiguresOut, OrgUsageOut, UsageOut, UsageQuery, period};

pub const AREA: Area = Area::new(render).with_dialect(anthropic::MESSAGES);

fn render(error: &Error) -> Response {
    let mut response = respond(error, |status, code| body(error, status, &code, &request_id()));
    add_headers(error, &mut response);
    response
}

/// The headers by which the SDKs of all dialects decide about a retry.
fn add_headers(error: &Error, response: &mut Response) {
    let headers = response.headers_mut();
    // OpenAI SDKs prefer `retry-after-ms` over `Retry-After`.
    let retry_after_s = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
    if let Some(retry_after_s) = retry_after_s {
        headers.insert(RETRY_AFTER_MS, retry_after_s.saturating_mul(1_000).into());
    }
    if is_final(error) {
        headers.insert(X_SHOULD_RETRY, HeaderValue::from_static("false"));
    }
    if let Error::RateLimited { dimension, limit, resets_at, .. } = error {
        rate_headers(headers, *dimension, *limit, *resets_at);
    }
}

/// The error of a response in OpenAI's Responses API.
pub fn response_error(error: &Error) -> Value {
    let (_, code) = classify(error);
    json!({"code": code, "message": message(error)})
}

/// The error object of a stream that fails after its status was sent.
pub fn event(error: &Error, request_id: &str) -> String {
    let (status, code) = classify(error);
    body(error, status, &code, request_id).to_string()
}

fn body(error: &Error, status: StatusCode, code: &str, request_id: &str) -> Value {
    let (code, param) = match error {
        Error::Unauthenticated(refusal) => (refusal_code(*refusal), None),
        Error::InvalidBody { field, .. } => (code, Some(field.as_str())),
        Error::InvalidQuery { parameter, .. } => (code, Some(parameter.as_str())),
        Error::Provider { param, .. } => (code, param.as_deref()),
        _ => (code, None),
    };
    json!({"error": {
        "type": kind(error, status),
        "code": code,
        "message": message(error),
        "param": param.filter(|param| !param.is_empty()).map(error_text::shorten_field),
        "request_id": request_id,
        "details": details(error),
    }})
}

fn kind(error: &Error, status: StatusCode) -> &'static str {
    match (error, status.as_u16()) {
        (Error::Maintenance { .. }, _) => "maintenance_error",
        (Error::Provider { .. }, 500..) => "provider_error",
        (_, 401) => "authentication_error",
        (_, 402) => "billing_error",
        (_, 403) => "permission_error",
        (_, 404) => "not_found_error",
        (_, 429) => "rate_limit_error",
        (_, 500..) => "internal_error",
        _ => "invalid_request_error",
    }
}

fn details(error: &Error) -> Value {
    match error {
        Error::InvalidBody { problems, .. } => json!({"problems": problems}),
        Error::Billing { level: Some(level), .. } => json!({"scope": level}),
        Error::RateLimited { level, dimension, limit, resets_at, requested, .. } => {
            let mut details = json!({"dimension": dimension, "scope": level, "limit": limit, "resets_at": resets_at});
            if let Some(requested) = requested {
                details["requested"] = (*requested).into();
            }
            details
        }
        _ => Value::Null,
    }
}

/// Whether a retry within the time that SDKs wait cannot succeed. Without `X-Should-Retry: false`, SDKs retry a 429
/// twice.
fn is_final(error: &Error) -> bool {
    match error {
        Error::Billing { .. } | Error::Provider { trouble: ProviderTrouble::Setup, .. } => true,
        Error::RateLimited { dimension, requested, .. } => requested.is_some() || dimension.window_s() > 60,
        Error::Conflict { code: IDEMPOTENCY_CONFLICT, .. } => true,
        _ => false,
    }
}

fn rate_headers(headers: &mut HeaderMap, dimension: Dimension, limit: u64, resets_at: i64) {
    let names = match dimension {
        Dimension::Rpm | Dimension::Rpd => REQUESTS,
        Dimension::Tpm | Dimension::Tpd => TOKENS,
        Dimension::Ipm => return,
    };
    limit_headers(headers, names, [limit, 0, resets_at.unsigned_abs()]);
}

/// Adds the limit, what remains of it, and when it resets.
pub fn limit_headers(headers: &mut HeaderMap, names: [HeaderName; 3], values: [u64; 3]) {
    for (name, value) in names.into_iter().zip(values) {
        headers.insert(name, value.into());
    }
}

const RETRY_AFTER_MS: HeaderName = HeaderName::from_static("retry-after-ms");
const X_SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");
/// The headers of the request limit: limit, remaining and reset.
pub const REQUESTS: [HeaderName; 3] = [
    HeaderName::from_static("x-ratelimit-limit-requests"),
    HeaderName::from_static("x-ratelimit-remaining-requests"),
    HeaderName::from_static("x-ratelimit-reset-requests"),
];
pub const TOKENS: [HeaderName; 3] = [
    HeaderName::from_static("x-ratelimit-limit-tokens"),
    HeaderName::from_static("x-ratelimit-remaining-tokens"),
    HeaderName::from_static("x-ratelimit-reset-tokens"),
];

/// Response headers about the model: its alias, deprecation and retirement.
pub fn model_headers(model: &Model, by_alias: bool, now: Time) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let mut add = |name: &'static str, value: &str| {
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    };
    if by_alias {
        add("x-alias-of", &model.name);
    }
    // A model with a retirement date counts as deprecated even without a deprecation date.
    if model.is_deprecated(now) || model.retires_at.is_some() {
        add("x-model-deprecated", "true");
    }
    if let Some(retires_at) = model.retires_at {
        add("x-model-retires-at", &retires_at.to_string());
    }
    headers
}
