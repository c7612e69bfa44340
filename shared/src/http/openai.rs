//! The envelope of the gateway: OpenAI's objects, and `{error: {type, code, message, param, request_id, details}}`.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::extract::{bearer, extractors, record_caller};
use super::layers::request_id;
use super::{refusal_code, respond};
use crate::Error;
use crate::auth::Auth;

extractors!();

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        respond(&self.0, |status, code| {
            let r#type = match status.as_u16() {
                401 => "authentication_error",
                403 => "permission_error",
                404 => "not_found_error",
                402 => "billing_error",
                429 => "rate_limit_error",
                503 => "maintenance_error",
                500.. => "internal_error",
                _ => "invalid_request_error",
            };
            let (code, param) = match &self.0 {
                Error::Unauthenticated(refusal) => (refusal_code(*refusal).to_owned(), None),
                Error::InvalidBody { field, .. } => (code, Some(field.as_str())),
                Error::InvalidQuery { parameter, .. } => (code, Some(parameter.as_str())),
                _ => (code, None),
            };
            json!({"error": {
                "type": r#type,
                "code": code,
                "message": self.0.to_string(),
                "param": param.filter(|param| !param.is_empty()),
                "request_id": request_id(),
                "details": Value::Null,
            }})
        })
    }
}

/// A program with an API key.
pub struct ApiCaller(pub crate::auth::ApiCaller);

impl<S> FromRequestParts<S> for ApiCaller
where
    S: AsRef<Auth> + Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let caller = state.as_ref().api_caller(bearer(parts)?).await?;
        record_caller(&caller.caller);
        Ok(Self(caller))
    }
}
