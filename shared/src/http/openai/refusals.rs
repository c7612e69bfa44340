//! What may be refused, as the OpenAPI document has it.

use serde::Serialize;
use serde_json::Value;
use utoipa::{IntoResponses, ToSchema};

/// What went wrong.
#[derive(Serialize, ToSchema)]
#[schema(as = GatewayErrorBody)]
pub struct ErrorBody {
    error: ErrorOut,
}

#[derive(Serialize, ToSchema)]
#[schema(as = GatewayError)]
struct ErrorOut {
    /// `invalid_request_error`, `authentication_error`, `permission_error`, `not_found_error`, `billing_error`,
    /// `rate_limit_error`, `provider_error`, `maintenance_error` or `internal_error`
    r#type: String,
    code: String,
    message: String,
    /// The parameter that is at fault.
    #[schema(required)]
    param: Option<String>,
    /// The same as the header `X-Request-Id`
    request_id: String,
    #[schema(required, value_type = Option<Object>)]
    details: Option<Value>,
}

/// What every route of the gateway may refuse.
#[derive(IntoResponses)]
pub enum Refused {
    /// The request is wrong; the message names what
    #[response(status = 400)]
    Invalid(#[to_schema] ErrorBody),
    /// No API key, or one that is not valid
    #[response(status = 401)]
    Unauthenticated(#[to_schema] ErrorBody),
    /// Passing trouble, or maintenance: `Retry-After` tells when to try again
    #[response(status = 503)]
    Unavailable(#[to_schema] ErrorBody),
}

/// What a call of a model may be refused for, besides.
#[derive(IntoResponses)]
pub enum NotCalled {
    /// Credits or a spending cap do not cover the call
    #[response(status = 402)]
    Billing(#[to_schema] ErrorBody),
    /// The model is not on the key's list
    #[response(status = 403)]
    Forbidden(#[to_schema] ErrorBody),
    /// No such model in the plan
    #[response(status = 404)]
    NoModel(#[to_schema] ErrorBody),
    /// The body is not JSON
    #[response(status = 415)]
    NotJson(#[to_schema] ErrorBody),
    /// A rate limit is reached: `details.dimension` names it
    #[response(status = 429, headers(
        ("Retry-After" = u64, description = "When to try again, in seconds; `retry-after-ms` has it in milliseconds"),
        ("X-Should-Retry" = String, description = "`false` when the window is longer than a minute"),
        ("X-RateLimit-Limit-Requests" = u64, description = "The limit, of the one that is reached: requests or tokens"),
        ("X-RateLimit-Remaining-Requests" = u64, description = "0"),
        ("X-RateLimit-Reset-Requests" = u64, description = "When its window ends, in Unix seconds"),
        ("X-RateLimit-Limit-Tokens" = u64, description = "The same in tokens"),
        ("X-RateLimit-Remaining-Tokens" = u64, description = "0"),
        ("X-RateLimit-Reset-Tokens" = u64, description = "When its window ends, in Unix seconds"),
    ))]
    RateLimited(#[to_schema] ErrorBody),
    /// The model's provider failed
    #[response(status = 502)]
    Provider(#[to_schema] ErrorBody),
    /// The model's provider did not answer in time
    #[response(status = 504)]
    ProviderTimeout(#[to_schema] ErrorBody),
}

/// What every change that carries a body may be refused for, besides.
#[derive(IntoResponses)]
pub enum BodyRefused {
    /// The body is not JSON
    #[response(status = 415)]
    NotJson(#[to_schema] ErrorBody),
}

/// What the operator's routes may refuse, besides.
#[derive(IntoResponses)]
pub enum OperatorOnly {
    /// The caller is no operator: `operator_only`
    #[response(status = 403)]
    Forbidden(#[to_schema] ErrorBody),
}
