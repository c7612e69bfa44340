//! The envelope of the builder, which is the agents and workflows APIs: `{data, meta}`, and errors as
//! `{error: {code, message}}`; and the wire types that several of its functions share.

pub mod access;
mod administrator;
pub mod agent;
mod changed;
pub mod run;
pub mod seen;
pub mod test_call;
pub mod tool_credential;
pub mod usage;

use std::borrow::Cow;
use std::marker::PhantomData;

use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoResponses, ToSchema};

use crate::cursor::Cursors;
use crate::extract::{self, bearer};
use crate::responses::{self, Described, ResponseHeaders};
use crate::{ApiError, Area, Result, code, details, message, respond};
use auth::{Auth, refused};
use domain::id::PathIds;
use domain::page::Slice;
use domain::{Error, Refusal};

pub use access::{Access, Editor, Operator, Owner, Viewer};
pub use administrator::Administrator;
pub use changed::Changed;

pub const AREA: Area = Area::new(|error| respond(error, |_, code| body(error, &code)));

/// The error object of a stream that fails after its status was sent.
pub fn error_body(error: &Error) -> Value {
    body(error, &code(error))
}

fn body(error: &Error, code: &str) -> Value {
    let mut body = json!({"error": {"code": code, "message": message(error)}});
    if let Some(details) = details(error) {
        body["error"]["details"] = details;
    }
    body
}

/// A user with a session or an access token, or a service account with the scope that the route needs.
pub struct Caller(pub auth::Caller);

impl<S: AsRef<Auth> + Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        Ok(Self(extract::caller(parts, state.as_ref()).await?))
    }
}

/// A user with an access token, or a service account with any scope, on a route that makes requests to other routes with the same
/// token.
pub struct TokenCaller(pub auth::Caller);

impl<S: AsRef<Auth> + Send + Sync> FromRequestParts<S> for TokenCaller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        Ok(Self(extract::token_caller(parts, state.as_ref()).await?))
    }
}

/// The parameter of a URL that has the token of a channel.
pub const URL_TOKEN: &str = "token";

/// A trigger with the token of a channel in the header `Authorization`, or in the parameter `token` of the URL: many services can
/// call a URL only as it is.
pub struct ChannelCaller(pub auth::ChannelCaller);

impl<S> FromRequestParts<S> for ChannelCaller
where
    S: AsRef<Auth> + Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let token = match parts.headers.contains_key(AUTHORIZATION) {
            true => bearer(parts)?.into(),
            false => url_token(parts).ok_or_else(|| refused(Refusal::NoChannelToken, "no token"))?,
        };
        Ok(Self(state.as_ref().channel_caller(&token)?))
    }
}

fn url_token(parts: &Parts) -> Option<Cow<'_, str>> {
    let query = form_urlencoded::parse(parts.uri.query()?.as_bytes());
    query.into_iter().find(|(name, _)| name == URL_TOKEN).map(|(_, token)| token)
}

/// A single resource
#[derive(Serialize, ToSchema)]
pub struct Data<T> {
    pub data: T,
}

impl<T: Serialize> IntoResponse for Data<T> {
    fn into_response(self) -> Response {
        axum::Json(self).into_response()
    }
}

/// A page of a list
#[derive(Serialize, ToSchema)]
pub struct DataList<T> {
    pub data: Vec<T>,
    pub meta: crate::paging::PageMeta,
}

impl<T: Serialize> IntoResponse for DataList<T> {
    fn into_response(self) -> Response {
        axum::Json(self).into_response()
    }
}

/// A page of a list with cursor pagination
#[derive(Serialize, ToSchema)]
pub struct DataSlice<T> {
    pub data: Vec<T>,
    pub meta: SliceMeta,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SliceMeta {
    /// Send it as `cursor` to get the next page; null on the last page
    #[schema(required)]
    pub next_cursor: Option<String>,
}

impl<T> DataSlice<T> {
    pub fn new<U: Into<T>>(slice: Slice<U>, cursors: Cursors) -> Self {
        let next_cursor = slice.next.map(|place| cursors.write(&place));
        Self { data: slice.items.into_iter().map(U::into).collect(), meta: SliceMeta { next_cursor } }
    }
}

impl<T: Serialize> IntoResponse for DataSlice<T> {
    fn into_response(self) -> Response {
        axum::Json(self).into_response()
    }
}

/// Why a request was refused
#[derive(Serialize, Deserialize, ToSchema)]
#[schema(title = "Error")]
pub struct ErrorBody {
    pub error: ErrorDetail,
}

#[derive(Serialize, Deserialize, ToSchema)]
pub struct ErrorDetail {
    /// A stable identifier for programs
    #[schema(example = "unavailable")]
    pub code: String,
    /// The problem and what to do about it, for people
    #[schema(example = "the platform is busy; try again in 1 s")]
    pub message: String,
    /// More about the error. For an invalid graph, the list of all its problems
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub details: Option<serde_json::Value>,
}

/// The errors that any route of the area may return.
#[derive(IntoResponses)]
pub enum ErrorResponses {
    /// A parameter or a field is invalid; the message names it
    #[response(status = 400)]
    Invalid(ErrorBody),
    /// The access token, the service token or the session is missing or invalid
    #[response(status = 401)]
    Unauthorized(ErrorBody),
    /// The platform is busy; retry after the time in `Retry-After`
    #[response(status = 503)]
    Unavailable(ErrorBody),
}

/// The new resource with the headers `H`: `Created<WorkflowOut, (ETag, Replayed)>`.
pub struct Created<T, H = ()>(PhantomData<(T, H)>);

impl<T: ToSchema, H: ResponseHeaders> IntoResponses for Created<T, H> {
    fn responses() -> Described {
        responses::created::<T, H>(format!("Data_{}", T::name()))
    }
}

/// The route has no such resource of the caller: `NotFound<WorkflowId>`, or `NotFound<(WorkflowId, WebhookId)>`.
pub struct NotFound<I>(PhantomData<I>);

impl<I: PathIds> IntoResponses for NotFound<I> {
    fn responses() -> Described {
        responses::not_found::<I>("ErrorBody", "does not exist or is not the caller's")
    }
}

/// `not_owner`: the resource is shared with the caller, whose role does not permit this
#[derive(IntoResponses)]
#[response(status = 403)]
pub struct NotPermitted(pub ErrorBody);

/// `invalid_state`: the agent is private to a workflow
#[derive(IntoResponses)]
#[response(status = 409)]
pub struct PrivateAgent(pub ErrorBody);

/// `administrator_only`: the caller is no administrator of the organization
#[derive(IntoResponses)]
#[response(status = 403)]
pub struct AdministratorOnly(pub ErrorBody);

/// The resource has changed: its current version is not the version in `If-Match`
#[derive(IntoResponses)]
#[response(status = 412)]
pub struct Stale(pub ErrorBody);

/// The body is not JSON
#[derive(IntoResponses)]
#[response(status = 415)]
pub struct NotJson(pub ErrorBody);

/// `idempotency_conflict`: the `Idempotency-Key` was used with another request
#[derive(IntoResponses)]
#[response(status = 409)]
pub struct KeyReused(pub ErrorBody);
