//! The error responses, the creations and the answers of the gateway in its OpenAPI document.

use std::marker::PhantomData;

use domain::id::PathIds;
use serde::Serialize;
use serde_json::Value;
use utoipa::{IntoResponses, ToSchema};

use crate::responses::{self, Described, ResponseHeaders};

/// Why a request was refused
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
    /// The parameter that caused the error, or the first of several
    #[schema(required)]
    param: Option<String>,
    /// The same as the header `X-Request-Id`
    request_id: String,
    /// More about some errors. `problems` lists every field of an invalid body, each with its `field` and `message`
    #[schema(required, value_type = Option<Object>)]
    details: Option<Value>,
}

/// The errors that every route of the gateway may return.
#[derive(IntoResponses)]
pub enum ErrorResponses {
    /// The request is invalid; the message names the reason
    #[response(status = 400)]
    Invalid(ErrorBody),
    /// The API key or access token is missing or invalid
    #[response(status = 401)]
    Unauthenticated(ErrorBody),
    /// The platform is busy or under maintenance; retry after the time in `Retry-After`
    #[response(status = 503)]
    Unavailable(ErrorBody),
}

/// The additional errors of model calls.
#[derive(IntoResponses)]
pub enum ModelCallErrors {
    /// The credits or a spending cap do not cover the call
    #[response(status = 402)]
    Billing(ErrorBody),
    /// `model_access_denied`: the key does not allow the model. `guard_blocked`: the guard flagged the input
    #[response(status = 403)]
    Forbidden(ErrorBody),
    /// The plan has no such model
    #[response(status = 404)]
    NoModel(ErrorBody),
    /// `idempotency_conflict`: the `Idempotency-Key` was used with another request
    #[response(status = 409)]
    Conflict(ErrorBody),
    /// The body has another media type than the route takes
    #[response(status = 415)]
    NotJson(ErrorBody),
    /// A rate limit is reached; `details.dimension` names it
    #[response(status = 429, headers(
        ("Retry-After" = u64, description = "When to retry, in seconds; `retry-after-ms` is the same in milliseconds"),
        ("X-Should-Retry" = String, description = "`false` when the window is longer than a minute"),
        ("X-RateLimit-Limit-Requests" = u64, description = "The limit, if the request limit is reached"),
        ("X-RateLimit-Remaining-Requests" = u64, description = "0"),
        ("X-RateLimit-Reset-Requests" = u64, description = "When the window ends, in Unix seconds"),
        ("X-RateLimit-Limit-Tokens" = u64, description = "The limit, if the token limit is reached"),
        ("X-RateLimit-Remaining-Tokens" = u64, description = "0"),
        ("X-RateLimit-Reset-Tokens" = u64, description = "When the window ends, in Unix seconds"),
    ))]
    RateLimited(ErrorBody),
    /// The provider of the model failed. `guard_misconfigured`: the plan enforces a guard that cannot evaluate the input;
    /// the operator must repair it
    #[response(status = 502)]
    Provider(ErrorBody),
    /// The provider of the model did not respond in time
    #[response(status = 504)]
    ProviderTimeout(ErrorBody),
}

/// Why a request was refused, in the form of Anthropic's API
#[derive(Serialize, ToSchema)]
#[schema(as = AnthropicErrorBody)]
pub struct AnthropicErrorBody {
    #[schema(example = "error")]
    r#type: String,
    error: AnthropicErrorOut,
    /// The same as the headers `request-id` and `X-Request-Id`
    request_id: String,
}

#[derive(Serialize, ToSchema)]
#[schema(as = AnthropicError)]
struct AnthropicErrorOut {
    /// `invalid_request_error`, `authentication_error`, `billing_error`, `permission_error`, `not_found_error`,
    /// `request_too_large`, `rate_limit_error`, `api_error`, `overloaded_error` or `timeout_error`
    r#type: String,
    message: String,
    /// The code of this error on the other routes of the gateway
    code: String,
    #[schema(required, value_type = Option<Object>)]
    details: Option<Value>,
}

/// The errors of the routes in Anthropic's dialect.
#[derive(IntoResponses)]
pub enum MessagesErrors {
    /// The request is invalid; the message names the reason
    #[response(status = 400)]
    Invalid(AnthropicErrorBody),
    /// The API key is missing or invalid
    #[response(status = 401)]
    Unauthenticated(AnthropicErrorBody),
    /// The credits or a spending cap do not cover the call
    #[response(status = 402)]
    Billing(AnthropicErrorBody),
    /// `model_access_denied`: the key does not allow the model. `guard_blocked`: the guard flagged the input
    #[response(status = 403)]
    Forbidden(AnthropicErrorBody),
    /// The plan has no such model
    #[response(status = 404)]
    NoModel(AnthropicErrorBody),
    /// `idempotency_conflict`: the `Idempotency-Key` was used with another request
    #[response(status = 409)]
    Conflict(AnthropicErrorBody),
    /// The body has another media type than the route takes
    #[response(status = 415)]
    NotJson(AnthropicErrorBody),
    /// A rate limit is reached; `details.dimension` names it
    #[response(status = 429, headers(
        ("Retry-After" = u64, description = "When to retry, in seconds; `retry-after-ms` is the same in milliseconds"),
        ("X-Should-Retry" = String, description = "`false` when the window is longer than a minute"),
    ))]
    RateLimited(AnthropicErrorBody),
    /// The provider of the model failed
    #[response(status = 502)]
    Provider(AnthropicErrorBody),
    /// The platform is busy or under maintenance; retry after the time in `Retry-After`
    #[response(status = 503)]
    Unavailable(AnthropicErrorBody),
    /// The provider of the model did not respond in time
    #[response(status = 504)]
    ProviderTimeout(AnthropicErrorBody),
}

/// The new resource with the headers `H`: `Created<UserOut, Replayed>`.
pub struct Created<T, H = ()>(PhantomData<(T, H)>);

impl<T: ToSchema, H: ResponseHeaders> IntoResponses for Created<T, H> {
    fn responses() -> Described {
        responses::created::<T, H>(T::name().into_owned())
    }
}

/// The answer of a call with the headers `H`.
pub struct Answered<T, H>(PhantomData<(T, H)>);

impl<T: ToSchema, H: ResponseHeaders> IntoResponses for Answered<T, H> {
    fn responses() -> Described {
        responses::answered::<T, H>(false)
    }
}

/// The audio of a call with the headers `H`.
pub struct AnsweredAudio<H>(PhantomData<H>);

impl<H: ResponseHeaders> IntoResponses for AnsweredAudio<H> {
    fn responses() -> Described {
        responses::file::<H>("audio/*", "The audio")
    }
}

/// The answer of a call with the headers `H`, or its parts as server-sent events.
pub struct AnsweredOrStreamed<T, H>(PhantomData<(T, H)>);

impl<T: ToSchema, H: ResponseHeaders> IntoResponses for AnsweredOrStreamed<T, H> {
    fn responses() -> Described {
        responses::answered::<T, H>(true)
    }
}

/// The route has no such resource: `NotFound<UserId>`.
pub struct NotFound<I>(PhantomData<I>);

impl<I: PathIds> IntoResponses for NotFound<I> {
    fn responses() -> Described {
        responses::not_found::<I>("GatewayErrorBody", "does not exist")
    }
}

/// The additional error of routes with `If-Match`.
#[derive(IntoResponses)]
pub enum Stale {
    /// The resource has changed: its current version is not the version in `If-Match`
    #[response(status = 412)]
    Changed(ErrorBody),
}

/// The additional error of routes with a body.
#[derive(IntoResponses)]
pub enum BodyRefused {
    /// The body has another media type than the route takes
    #[response(status = 415)]
    NotJson(ErrorBody),
}

/// The additional errors of routes with a form.
#[derive(IntoResponses)]
pub enum FormRefused {
    /// The form is larger than 4 MiB
    #[response(status = 413)]
    TooLarge(ErrorBody),
    /// The body is not a form
    #[response(status = 415)]
    NotAForm(ErrorBody),
}

/// The additional error of routes for users, which take no key of a workbench.
#[derive(IntoResponses)]
pub enum UserOnly {
    /// `api_key_of_workbench`: the key belongs to a workbench and only calls models
    #[response(status = 403)]
    Forbidden(ErrorBody),
}

/// The additional error of routes for an organization's administrators.
#[derive(IntoResponses)]
pub enum AdministratorOnly {
    /// The caller is a member of the organization, `administrator_only`, or has the key of a workbench, `api_key_of_workbench`
    #[response(status = 403)]
    Forbidden(ErrorBody),
}

/// The additional error of the routes of a call's bodies.
#[derive(IntoResponses)]
pub enum NoBodies {
    /// `call_not_found`: the organization has no such call. `call_body_not_found`: its bodies were not kept, have expired or were
    /// deleted
    #[response(status = 404)]
    NotFound(ErrorBody),
}

/// The additional error of operator routes.
#[derive(IntoResponses)]
pub enum OperatorOnly {
    /// The caller is not an operator: `operator_only`
    #[response(status = 403)]
    Forbidden(ErrorBody),
}
