//! The envelope of agents and workflows: `{data, meta}`, and `{error: {code, message}}`.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::{IntoResponses, ToSchema};

use super::cursor::Cursors;
use super::extract::{bearer, caller_by_access_token, extractors};
use super::{details, message, respond};
use crate::auth::Auth;
use domain::Error;
use domain::page::Slice;

extractors!();

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        respond(&self.0, |_, code| {
            let mut body = json!({"error": {"code": code, "message": message(&self.0)}});
            if let Some(details) = details(&self.0) {
                body["error"]["details"] = details;
            }
            body
        })
    }
}

/// A person with an access token in the header `Authorization`.
pub struct Caller(pub crate::auth::Caller);

caller_by_access_token!(Caller, cookies: false);

/// A trigger with the token of its channel.
pub struct ChannelCaller(pub crate::auth::ChannelCaller);

impl<S> FromRequestParts<S> for ChannelCaller
where
    S: AsRef<Auth> + Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        Ok(Self(state.as_ref().channel_caller(bearer(parts)?)?))
    }
}

/// One thing.
#[derive(Serialize, ToSchema)]
pub struct Data<T> {
    pub data: T,
}

impl<T: Serialize> IntoResponse for Data<T> {
    fn into_response(self) -> Response {
        axum::Json(self).into_response()
    }
}

/// A page of a list.
#[derive(Serialize, ToSchema)]
pub struct DataList<T> {
    pub data: Vec<T>,
    pub meta: super::paging::PageMeta,
}

impl<T: Serialize> IntoResponse for DataList<T> {
    fn into_response(self) -> Response {
        axum::Json(self).into_response()
    }
}

/// A part of a list that grows.
#[derive(Serialize, ToSchema)]
pub struct DataSlice<T> {
    pub data: Vec<T>,
    pub meta: SliceMeta,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SliceMeta {
    /// Send it as `cursor` for what comes after; null at the end.
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

/// Why a request was refused.
#[derive(Serialize, Deserialize, ToSchema)]
#[schema(title = "Error")]
pub struct ErrorBody {
    pub error: ErrorDetail,
}

#[derive(Serialize, Deserialize, ToSchema)]
pub struct ErrorDetail {
    /// For programs: stable.
    #[schema(example = "unavailable")]
    pub code: String,
    /// For people: says what to do.
    #[schema(example = "the platform is busy; try again in 1 s")]
    pub message: String,
    /// Where there is more to say: of a graph, all that is wrong with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub details: Option<serde_json::Value>,
}

/// What any route of the area may answer when it does not serve the request.
#[derive(IntoResponses)]
pub enum Refused {
    /// A parameter or a field is not as it should be; the message names it.
    #[response(status = 400)]
    Invalid(ErrorBody),
    /// No access token, or one that is not valid.
    #[response(status = 401)]
    Unauthorized(ErrorBody),
    /// The platform is busy; `Retry-After` says when to try again.
    #[response(status = 503)]
    Unavailable(ErrorBody),
}
