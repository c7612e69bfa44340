//! Optimistic locking with `ETag` and `If-Match`.

use axum::extract::FromRequestParts;
use axum::http::HeaderValue;
use axum::http::header::{ETAG, IF_MATCH};
use axum::http::request::Parts;
use axum::response::{IntoResponse, IntoResponseParts, Response, ResponseParts};
use utoipa::IntoParams;

/// The version of a resource: its revision number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ETag(String);

impl ETag {
    pub fn from_revision(revision: u64) -> Self {
        Self(format!("\"{revision}\""))
    }
}

impl IntoResponseParts for ETag {
    type Error = std::convert::Infallible;

    fn into_response_parts(self, mut parts: ResponseParts) -> Result<ResponseParts, Self::Error> {
        if let Ok(value) = HeaderValue::try_from(self.0) {
            parts.headers_mut().insert(ETAG, value);
        }
        Ok(parts)
    }
}

impl IntoResponse for ETag {
    fn into_response(self) -> Response {
        (self, ()).into_response()
    }
}

#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "read only by the generator of the OpenAPI documents")]
pub struct IfMatchHeaders {
    /// The ETag of the version to change. Without it the last write wins, field by field.
    #[param(rename = "If-Match", nullable = false)]
    if_match: Option<String>,
}

/// The versions that a change applies to. Without the header, it applies to any version.
#[derive(Clone, Debug, Default)]
pub struct IfMatch(Option<Vec<String>>);

impl IfMatch {
    pub fn allows(&self, etag: &ETag) -> bool {
        self.0.as_ref().is_none_or(|versions| versions.iter().any(|version| version == "*" || *version == etag.0))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for IfMatch {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let headers: Vec<_> = parts.headers.get_all(IF_MATCH).into_iter().collect();
        if headers.is_empty() {
            return Ok(Self(None));
        }
        let texts = headers.into_iter().filter_map(|value| value.to_str().ok());
        let versions = texts.flat_map(|text| text.split(',')).map(|version| version.trim().to_owned());
        Ok(Self(Some(versions.collect())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn if_match_allows_the_listed_versions_and_its_absence_allows_any() {
        let second = ETag::from_revision(2);
        assert!(IfMatch(None).allows(&second));
        assert!(IfMatch(Some(vec!["*".to_owned()])).allows(&second));
        assert!(IfMatch(Some(vec!["\"1\"".to_owned(), "\"2\"".to_owned()])).allows(&second));
        assert!(!IfMatch(Some(vec!["\"1\"".to_owned()])).allows(&second));
        assert!(!IfMatch(Some(vec!["W/\"2\"".to_owned()])).allows(&second), "If-Match compares strongly");
        assert!(!IfMatch(Some(vec![])).allows(&second));
    }
}
