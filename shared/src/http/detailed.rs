//! The response envelope of the workbenches API: bare objects, and errors as `{error: {code, message, details}}`.

use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::extract::{caller_by_access_token, extractors};
use super::{message, respond};
use domain::Error;

extractors!();

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        respond(&self.0, |_, code| {
            let code = match &self.0 {
                Error::Unauthenticated(_) => "LAB_UNAUTHENTICATED".to_owned(),
                Error::InvalidBody { .. } => "LAB_INVALID_BODY".to_owned(),
                Error::NotFound { .. } => "LAB_NOT_FOUND".to_owned(),
                _ => code,
            };
            json!({"error": {"code": code, "message": message(&self.0), "details": Value::Null}})
        })
    }
}

/// A user with an access token in the header `Authorization` or in the session cookie of the console.
pub struct Caller(pub crate::auth::Caller);

caller_by_access_token!(Caller, cookies: true);
