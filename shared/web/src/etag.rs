//! Optimistic locking with `ETag` and `If-Match`.

use axum::extract::FromRequestParts;
use axum::http::HeaderValue;
use axum::http::header::{ETAG, HeaderName, IF_MATCH, IF_NONE_MATCH};
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

    pub fn as_str(&self) -> &str {
        &self.0
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
        Ok(Self(parts.headers.contains_key(IF_MATCH).then(|| versions(parts, IF_MATCH))))
    }
}

#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "read only by the generator of the OpenAPI documents")]
pub struct IfNoneMatchHeaders {
    /// The ETag of the version that the client has. If it is still the current one, the answer is 304 without a body.
    #[param(rename = "If-None-Match", nullable = false)]
    if_none_match: Option<String>,
}

/// The versions that a client has, for conditional reads.
#[derive(Clone, Debug, Default)]
pub struct IfNoneMatch(Vec<String>);

impl IfNoneMatch {
    /// Whether the client has this version. The comparison is weak, because proxies may weaken an ETag.
    pub fn includes(&self, etag: &ETag) -> bool {
        self.0.iter().any(|version| version == "*" || version.trim_start_matches("W/") == etag.0)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for IfNoneMatch {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self(versions(parts, IF_NONE_MATCH)))
    }
}

/// The versions that a header lists.
fn versions(parts: &Parts, header: HeaderName) -> Vec<String> {
    let texts = parts.headers.get_all(header).into_iter().filter_map(|value| value.to_str().ok());
    texts.flat_map(|text| text.split(',')).map(|version| version.trim().to_owned()).collect()
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

    #[test]
    fn if_none_match_compares_weakly() {
        let second = ETag::from_revision(2);
        let has = |version: &str| IfNoneMatch(vec!["\"1\"".to_owned(), version.to_owned()]).includes(&second);
        assert!(has("\"2\"") && has("W/\"2\"") && has("*"));
        assert!(!has("\"3\"") && !IfNoneMatch::default().includes(&second));
    }
}
