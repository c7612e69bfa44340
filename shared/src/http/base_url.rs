//! The base URL that the caller used: host, and whatever API Gateway's stage puts before the path.

use axum::extract::{FromRequestParts, Request};
use axum::http::request::Parts;
use lambda_http::RequestExt;

/// `https://host/stage`; nothing when the request names no host that could be one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl(pub Option<String>);

impl BaseUrl {
    fn of(request: &Request) -> Self {
        let header = |name: &str| request.headers().get(name)?.to_str().ok();
        let host =
            header("host").filter(|host| host.bytes().all(|c| c.is_ascii_alphanumeric() || b".-:[]".contains(&c)));
        let scheme = header("x-forwarded-proto").filter(|scheme| *scheme == "https").unwrap_or("http");
        let stage = request.raw_http_path().strip_suffix(request.uri().path()).unwrap_or_default();
        Self(host.map(|host| format!("{scheme}://{host}{stage}")))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for BaseUrl {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self::of(&Request::from_parts(parts.clone(), axum::body::Body::empty())))
    }
}
