//! The base URL of the platform, from the configuration or from the request context of API Gateway. The `Host` header
//! is not trusted for it: a caller could use it to forge the URL of a webhook.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::{FromRequestParts, Request};
use axum::http::Extensions;
use axum::http::header::HOST;
use axum::http::request::Parts;
use lambda_http::request::RequestContext;

use platform::config::{BASE_URL, Config};

/// The base URL, such as `https://host/stage`. `None` if it is neither configured nor known from API Gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl(pub Option<String>);

/// The base URL if the request was sent to its host, `None` if it was sent to another host name of the platform. It is
/// for documents that clients use on the host they fetched them from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalledBaseUrl(pub Option<String>);

/// The configured base URL, as an extension of each request.
#[derive(Clone)]
pub(super) struct ConfiguredBaseUrl(Arc<str>);

impl ConfiguredBaseUrl {
    pub fn from_config(config: &Config) -> Option<Self> {
        config.optional(BASE_URL).map(|url| Self(url.trim_end_matches('/').into()))
    }
}

impl BaseUrl {
    /// The base URL where nothing works without it: nobody knows where another server may send the browser.
    pub fn require(&self) -> domain::Result<&str> {
        let unknown = || domain::Error::internal("BASE_URL is not set, and API Gateway has not named it");
        self.0.as_deref().ok_or_else(unknown)
    }

    pub(crate) fn from_parts(parts: &Parts) -> Self {
        Self::find(&parts.extensions, parts.uri.path())
    }

    pub(crate) fn of_request(request: &Request) -> Self {
        Self::find(request.extensions(), request.uri().path())
    }

    fn find(extensions: &Extensions, path: &str) -> Self {
        if let Some(ConfiguredBaseUrl(url)) = extensions.get() {
            return Self(Some(url.to_string()));
        }
        Self(extensions.get().and_then(|context| api_gateway_base_url(context, path)))
    }
}

/// The base URL of API Gateway. The stage, or the base path of a custom domain, is the prefix that its path has before
/// the path of the route.
fn api_gateway_base_url(context: &RequestContext, path: &str) -> Option<String> {
    let (domain, whole_path) = match context {
        RequestContext::ApiGatewayV1(context) => (context.domain_name.as_deref()?, context.path.as_deref()),
        RequestContext::ApiGatewayV2(context) => (context.domain_name.as_deref()?, context.http.path.as_deref()),
        _ => return None,
    };
    let before = whole_path.and_then(|whole| whole.strip_suffix(path)).unwrap_or_default();
    Some(format!("https://{domain}{before}"))
}

impl<S: Send + Sync> FromRequestParts<S> for BaseUrl {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::from_parts(parts))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for CalledBaseUrl {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let host = parts.headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let is_called = |url: &String| {
            let authority = url.split_once("://").map_or("", |(_, rest)| rest.split('/').next().unwrap_or_default());
            authority.eq_ignore_ascii_case(host)
        };
        Ok(Self(BaseUrl::from_parts(parts).0.filter(is_called)))
    }
}
