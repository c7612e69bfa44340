//! The response to a change with an optimistic lock: what is stored now, whether the change was made or not.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::Error;
use serde::Serialize;
use serde_json::json;

use super::Data;
use crate::etag::ETag;
use crate::{classify, message};

pub enum Changed<T> {
    /// The change was made.
    Saved(ETag, Data<T>),
    /// The version in `If-Match` is not the stored one. The client gets that one, so that it can merge. It may be larger than
    /// the details of other errors.
    Stale(ETag, Data<T>),
}

impl<T: Serialize> IntoResponse for Changed<T> {
    fn into_response(self) -> Response {
        match self {
            Self::Saved(etag, data) => (etag, data).into_response(),
            Self::Stale(etag, Data { data }) => {
                let error = Error::PreconditionFailed;
                let (_, code) = classify(&error);
                tracing::Span::current().record("code", &code);
                let details = json!({"current": data, "etag": etag.as_str()});
                let body = json!({"error": {"code": code, "message": message(&error), "details": details}});
                (StatusCode::PRECONDITION_FAILED, etag, axum::Json(body)).into_response()
            }
        }
    }
}
