//! The request of a client.

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use http::Method;
use http::request::Parts;
use web::base_url::BaseUrl;
use web::{ApiError, NoBody, RawBody};

/// A request for an MCP server. POST sends a message, GET resumes a stream, and DELETE closes a session.
pub struct McpRequest {
    pub(crate) base_url: Option<String>,
    pub parts: Parts,
    /// The message. Only POST has one.
    pub(crate) message: Bytes,
}

impl<S: Send + Sync> FromRequest<S> for McpRequest {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let (mut parts, body) = request.into_parts();
        let BaseUrl(base_url) =
            BaseUrl::from_request_parts(&mut parts, state).await.unwrap_or_else(|never| match never {});
        let request = Request::from_parts(parts.clone(), body);
        let message = match parts.method {
            Method::POST => RawBody::from_request(request, state).await?.0,
            Method::DELETE => NoBody::from_request(request, state).await.map(|NoBody| Bytes::new())?,
            _ => Bytes::new(),
        };
        Ok(Self { base_url, parts, message })
    }
}
