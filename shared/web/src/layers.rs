//! Middleware around every handler: request ids, request logging, spans, recovery from panics, and CORS.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request};
use axum::http::header::{
    CACHE_CONTROL, COOKIE, ETAG, HeaderName, HeaderValue, RETRY_AFTER, SET_COOKIE, WWW_AUTHENTICATE,
};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Router};
use futures::FutureExt;
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};
use tracing::{Instrument, field};
use uuid::Uuid;

use super::ApiError;
use super::base_url::{BaseUrl, ConfiguredBaseUrl};
use super::idempotency::IDEMPOTENT_REPLAYED;
use super::language::RequestLanguage;
use super::request_span::{end_with_body, loggable_path, method_name, start_span};
use super::scoped_routes::ScopedRoutes;
use super::session_cookie::NextCookie;
use domain::Error;
use domain::scope::ScopeArea;
use platform::Context;
use platform::config::{CORS_ORIGINS, Config};
use platform::telemetry::Telemetry;
use platform::telemetry::metrics::Metric;

pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The headers of the gateway that pages of other origins may read.
const GATEWAY_HEADERS: [&str; 22] = [
    "mcp-protocol-version",
    "mcp-session-id",
    "retry-after-ms",
    "x-alias-of",
    "x-credits-remaining",
    "x-credits-warning",
    "x-model-deprecated",
    "x-model-retires-at",
    "x-ratelimit-limit-requests",
    "x-ratelimit-limit-tokens",
    "x-ratelimit-remaining-requests",
    "x-ratelimit-remaining-tokens",
    "x-ratelimit-reset-requests",
    "x-ratelimit-reset-tokens",
    "x-request-cost",
    "x-should-retry",
    "x-svc-adjusted",
    "x-svc-deployment",
    "x-svc-dropped",
    "x-svc-max-tokens",
    "x-svc-model-defaults",
    "x-svc-passthrough",
];
const MAX_REQUEST_ID_CHARS: usize = 128;

tokio::task_local! {
    static REQUEST_ID: String;
}

/// The id of the request being served; empty outside of one.
pub fn request_id() -> String {
    REQUEST_ID.try_with(String::clone).unwrap_or_default()
}

type Render = fn(&Error) -> Response;

/// The routes whose clients expect the conventions of another API.
#[derive(Clone, Copy)]
pub struct DialectRoutes {
    /// The beginning of their paths.
    pub(crate) routes: &'static str,
    pub(crate) render: Render,
    /// The name of the header with the id of the request, beside `X-Request-Id`.
    pub(crate) request_id: &'static str,
}

/// A part of the platform whose errors share one envelope.
#[derive(Clone, Copy)]
pub struct Area {
    render: Render,
    scoped: ScopedRoutes,
    /// The routes of another API's dialect.
    dialect: Option<DialectRoutes>,
    /// The path of the document that tells clients without a token where they get one (RFC 9728).
    resource_metadata: Option<&'static str>,
}

impl Area {
    pub(crate) const fn new(render: Render) -> Self {
        Self { render, scoped: ScopedRoutes::NONE, dialect: None, resource_metadata: None }
    }

    pub(crate) const fn with_dialect(self, dialect: DialectRoutes) -> Self {
        Self { dialect: Some(dialect), ..self }
    }

    /// Lets service accounts use these routes of the function, with a scope of their area.
    #[must_use]
    pub const fn with_scopes(self, routes: &'static [(&'static str, ScopeArea)]) -> Self {
        Self { scoped: ScopedRoutes::new(routes), ..self }
    }

    /// Refers clients without a token to this document of the platform.
    #[must_use]
    pub const fn with_resource_metadata(self, path: &'static str) -> Self {
        Self { resource_metadata: Some(path), ..self }
    }

    /// The challenge that a 401 has beside its error.
    fn challenge(self, BaseUrl(base_url): BaseUrl) -> Option<HeaderValue> {
        let (path, base_url) = (self.resource_metadata?, base_url?);
        HeaderValue::try_from(format!(r#"Bearer resource_metadata="{base_url}{path}""#)).ok()
    }

    fn dialect_of(self, path: &str) -> Option<DialectRoutes> {
        self.dialect.filter(|dialect| path.starts_with(dialect.routes))
    }

    fn render(self, error: &Error, path: &str) -> Response {
        self.dialect_of(path).map_or(self.render, |dialect| dialect.render)(error)
    }

    /// Adds the id of the request to a response.
    fn identify(self, response: &mut Response, path: &str, id: String) {
        let Ok(id) = HeaderValue::try_from(id) else { return };
        if let Some(dialect) = self.dialect_of(path) {
            response.headers_mut().insert(HeaderName::from_static(dialect.request_id), id.clone());
        }
        response.headers_mut().insert(X_REQUEST_ID, id);
    }

    /// The response to an error that occurs before a request reaches a function.
    pub fn respond(self, error: &Error) -> Response {
        self.respond_at("", error)
    }

    /// The response of this path.
    pub fn respond_at(self, path: &str, error: &Error) -> Response {
        let mut response = self.render(error, path);
        self.identify(&mut response, path, new_request_id());
        response
    }
}

/// Each route's path and method, and whether it takes query parameters.
pub type Routes = &'static [(&'static str, &'static str, bool)];

/// Adds the fallbacks (404 and 405) and the middleware to the router of a function.
pub fn finish(router: Router, routes: Routes, area: Area, context: &Context) -> Router {
    let (config, telemetry) = (&context.config, context.telemetry.clone());
    let router = router
        .fallback(async || ApiError(Error::NoRoute))
        .method_not_allowed_fallback(async || ApiError(Error::MethodNotAllowed))
        .layer(from_fn(move |request, next| serve(area, routes, telemetry.clone(), request, next)));
    let router = match ConfiguredBaseUrl::from_config(config) {
        Some(base_url) => router.layer(Extension(base_url)),
        None => router,
    };
    match cors(config) {
        Some(cors) => router.layer(cors),
        None => router,
    }
}

async fn serve(area: Area, routes: Routes, telemetry: Telemetry, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = client_request_id(request.headers()).unwrap_or_else(new_request_id);
    let matched = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    let trace_span = start_span(&telemetry, &request, matched, &id);
    let route = matched.unwrap_or("none").to_owned();
    let span = tracing::info_span!(
        "request",
        request_id = id,
        trace_id = trace_span.context().map(|context| tracing::field::display(context.trace_id())),
        function = telemetry.function(),
        method = %request.method(),
        route,
        path = loggable_path(request.uri().path()),
        user_id = field::Empty,
        org_id = field::Empty,
        code = field::Empty,
        refusal = field::Empty,
    );
    let (path, method) = (request.uri().path().to_owned(), method_name(request.method()));
    let challenge = area.resource_metadata.and_then(|_| area.challenge(BaseUrl::of_request(&request)));
    let unread = unread_parameter(&request, &route, routes);
    let language = RequestLanguage::new(request.headers());
    request.extensions_mut().insert(area.scoped);
    let next_cookie = request.headers().contains_key(COOKIE).then(NextCookie::default);
    if let Some(next_cookie) = &next_cookie {
        request.extensions_mut().insert(next_cookie.clone());
    }
    let answered = async move {
        let handled = async {
            let response = match unread {
                Some(name) => ApiError(Error::invalid_query(name, "this call has no such parameter")).into_response(),
                None => next.run(request).await,
            };
            match response.extensions().get::<Arc<Error>>() {
                Some(error) => {
                    // The error stays beside its response, for a caller in this process.
                    let error = error.clone();
                    let mut rendered = area.render(&error, &path);
                    rendered.extensions_mut().insert(error);
                    rendered
                }
                None => response,
            }
        };
        let handled = AssertUnwindSafe(handled).catch_unwind();
        let mut response = handled.await.unwrap_or_else(|_| area.render(&Error::internal("a handler panicked"), &path));
        log_request(response.status(), started.elapsed());
        area.identify(&mut response, &path, request_id());
        if let Some(challenge) = challenge.filter(|_| response.status() == StatusCode::UNAUTHORIZED) {
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
        if let Some(cookie) = next_cookie.as_ref().and_then(NextCookie::get) {
            response.headers_mut().append(SET_COOKIE, cookie.clone());
            response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
        response
    };
    let answered = language.serve(answered.instrument(span));
    let response: Response = trace_span.scope(REQUEST_ID.scope(id, answered)).await;
    let labels = [method, route.as_str(), status_class(response.status())];
    telemetry.count(Metric::Requests, &labels, 1);
    telemetry.observe(Metric::RequestSeconds, &[], started.elapsed());
    end_with_body(trace_span, response)
}

fn status_class(status: StatusCode) -> &'static str {
    match status.as_u16() / 100 {
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        5 => "5xx",
        _ => "1xx",
    }
}

/// Writes the log line of a request. The caller and the route are fields of its span.
fn log_request(status: StatusCode, latency: Duration) {
    let latency_ms = latency.as_secs_f64() * 1_000.0;
    tracing::info!(status = status.as_u16(), latency_ms = (latency_ms * 1_000.0).round() / 1_000.0, "request served");
}

fn new_request_id() -> String {
    format!("req_{}", Uuid::now_v7().simple())
}

/// The first query parameter of a request whose handler reads none.
fn unread_parameter(request: &Request, route: &str, routes: Routes) -> Option<String> {
    let (name, _) = form_urlencoded::parse(request.uri().query()?.as_bytes()).next()?;
    let method = if request.method() == Method::HEAD { "GET" } else { request.method().as_str() };
    let is_unread =
        |(path, own, takes): &(&str, &str, bool)| !takes && *path == route && own.eq_ignore_ascii_case(method);
    routes.iter().any(is_unread).then(|| name.into_owned())
}

/// The request id that the client sent, if it is printable ASCII. It is only echoed and logged, never used as a key.
fn client_request_id(headers: &HeaderMap) -> Option<String> {
    let id = headers.get(&X_REQUEST_ID)?.to_str().ok()?;
    let is_visible = !id.is_empty() && id.len() <= MAX_REQUEST_ID_CHARS && id.bytes().all(|c| c.is_ascii_graphic());
    is_visible.then(|| id.to_owned())
}

/// CORS for the configured origins. Without any, browsers of other origins cannot call the API.
fn cors(config: &Config) -> Option<CorsLayer> {
    let origins = config.list(CORS_ORIGINS);
    let origins: Vec<HeaderValue> = origins.iter().filter_map(|origin| HeaderValue::try_from(origin).ok()).collect();
    if origins.is_empty() {
        return None;
    }
    let exposed = [ETAG, RETRY_AFTER, IDEMPOTENT_REPLAYED, X_REQUEST_ID].into_iter();
    let layer = CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE])
        // SDKs send headers of their own, such as `X-Stainless-Lang`.
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(exposed.chain(GATEWAY_HEADERS.map(HeaderName::from_static)).collect::<Vec<_>>())
        .max_age(Duration::from_secs(600));
    Some(layer)
}
