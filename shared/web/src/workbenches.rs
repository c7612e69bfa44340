//! The envelope of the workbenches API: bare objects, lists as `{items, total}`, and errors as
//! `{error: {code, message, details}}`.

use std::marker::PhantomData;

use auth::Auth;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::{IntoResponses, ToSchema};

use super::extract;
use super::responses::{self, Described, ResponseHeaders};
use super::{ApiError, Area, Result, details, message, respond};
use domain::id::PathIds;
use domain::{Error, ORGANIZATION_MEMBER};

pub const AREA: Area = Area::new(|error| {
    respond(error, |_, code| {
        let code = match error {
            Error::Unauthenticated(_) => "LAB_UNAUTHENTICATED".to_owned(),
            Error::InvalidBody { .. } => "LAB_INVALID_BODY".to_owned(),
            Error::NotFound { kind: ORGANIZATION_MEMBER } => "LAB_MEMBER_NOT_IN_ORGANIZATION".to_owned(),
            Error::NotFound { .. } => "LAB_NOT_FOUND".to_owned(),
            _ => code,
        };
        json!({"error": {"code": code, "message": message(error), "details": details(error)}})
    })
});

/// A user with a session or an access token, or a service account with the scope that the route needs.
pub struct Caller(pub auth::Caller);

impl<S: AsRef<Auth> + Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        Ok(Self(extract::caller(parts, state.as_ref()).await?))
    }
}

/// A list
#[derive(Serialize, ToSchema)]
pub struct ItemList<T> {
    pub items: Vec<T>,
    /// The number of entries in the whole list
    pub total: u64,
}

impl<T: Serialize> IntoResponse for ItemList<T> {
    fn into_response(self) -> Response {
        axum::Json(self).into_response()
    }
}

/// Why a request was refused
#[derive(Serialize, ToSchema)]
#[schema(as = LabErrorBody)]
pub struct ErrorBody {
    error: ErrorDetail,
}

#[derive(Serialize, ToSchema)]
#[schema(as = LabError)]
struct ErrorDetail {
    /// A stable identifier for programs
    #[schema(example = "LAB_NOT_FOUND")]
    code: String,
    /// The problem and what to do about it, for people
    message: String,
    /// More about the error, such as the dimension, the requested amount and its limit
    #[schema(required, value_type = Option<Object>)]
    details: Option<Value>,
}

/// The errors that any route of the area may return.
#[derive(IntoResponses)]
pub enum ErrorResponses {
    /// A parameter or a field is invalid; the message names it
    #[response(status = 400)]
    Invalid(ErrorBody),
    /// `LAB_UNAUTHENTICATED`: the access token, the service token or the session is missing or invalid
    #[response(status = 401)]
    Unauthenticated(ErrorBody),
    /// The platform is busy; retry after the time in `Retry-After`
    #[response(status = 503)]
    Unavailable(ErrorBody),
}

/// The new resource with the headers `H`.
pub struct Created<T, H = ()>(PhantomData<(T, H)>);

impl<T: ToSchema, H: ResponseHeaders> IntoResponses for Created<T, H> {
    fn responses() -> Described {
        responses::created::<T, H>(T::name().into_owned())
    }
}

/// `LAB_NOT_FOUND`: the resource does not exist, belongs to another organization, or is not shared with the caller.
pub struct NotFound<I>(PhantomData<I>);

impl<I: PathIds> IntoResponses for NotFound<I> {
    fn responses() -> Described {
        responses::not_found::<I>("LabErrorBody", "does not exist or is not shared with the caller: `LAB_NOT_FOUND`")
    }
}

/// `LAB_NOT_OWNER`: the caller is an editor, and only the owner may do this
#[derive(IntoResponses)]
#[response(status = 403)]
pub struct NotOwner(pub ErrorBody);

/// The body is not JSON
#[derive(IntoResponses)]
#[response(status = 415)]
pub struct NotJson(pub ErrorBody);
