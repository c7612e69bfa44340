//! HTTP handlers: one function for each route.

use std::time::{Duration, Instant};

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse, Response};
use domain::Error;
use serde::Serialize;
use utoipa::ToSchema;
use web::Result;
use web::base_url::CalledBaseUrl;
use web::builder::ErrorBody;

use crate::Stores;
use crate::docs::{BUILDER, GATEWAY, LLMS, PAGE, WORKBENCHES};

/// The timeout of the read in the health check.
const HEALTH_TIMEOUT: Duration = Duration::from_secs(3);

/// Read the OpenAPI document of agents and workflows
#[utoipa::path(
    get, path = "/builder/v1/openapi.json", tag = "reference",
    responses((status = 200, description = "The OpenAPI document", body = Object)),
)]
pub async fn builder_document(CalledBaseUrl(base_url): CalledBaseUrl) -> Response {
    ([(CONTENT_TYPE, "application/json")], BUILDER.with_base_url(base_url.as_deref())).into_response()
}

/// Read the OpenAPI document of the model gateway
#[utoipa::path(
    get, path = "/gateway/v1/openapi.json", tag = "reference",
    responses((status = 200, description = "The OpenAPI document", body = Object)),
)]
pub async fn gateway_document(CalledBaseUrl(base_url): CalledBaseUrl) -> Response {
    ([(CONTENT_TYPE, "application/json")], GATEWAY.with_base_url(base_url.as_deref())).into_response()
}

/// Read the OpenAPI document of workbenches
#[utoipa::path(
    get, path = "/workbenches/v1/openapi.json", tag = "reference",
    responses((status = 200, description = "The OpenAPI document", body = Object)),
)]
pub async fn workbenches_document(CalledBaseUrl(base_url): CalledBaseUrl) -> Response {
    ([(CONTENT_TYPE, "application/json")], WORKBENCHES.with_base_url(base_url.as_deref())).into_response()
}

/// The result of the health check.
#[derive(Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Health {
    /// `ok`, the only value.
    #[schema(example = "ok")]
    status: &'static str,
    /// The duration of a read from the database tables, in milliseconds.
    tables_ms: u64,
}

/// Check the health of the platform
///
/// Reads from the database tables. The result is cached for five seconds.
#[utoipa::path(
    get, path = "/health", tag = "reference",
    responses(
        (status = 200, description = "The database tables respond", body = Health),
        (status = 503, description = "The database tables do not respond", body = ErrorBody),
    ),
)]
pub async fn health(State(stores): State<Stores>) -> Result<Response> {
    let look = async || {
        let started = Instant::now();
        let found = tokio::time::timeout(HEALTH_TIMEOUT, stores.works.find(domain::id::WorkId::new())).await;
        found.map_err(|_| Error::busy("the database tables do not respond"))?.map_err(Error::busy)?;
        Ok::<_, domain::Error>(Health { status: "ok", tables_ms: started.elapsed().as_millis() as u64 })
    };
    Ok(axum::Json(stores.health.get_or_load(&(), look).await?).into_response())
}

/// `GET /`: redirects to the console. The URL is relative only if the base URL is not known, because a stage may be called
/// without a slash at its end.
pub async fn front(CalledBaseUrl(base_url): CalledBaseUrl) -> Response {
    let page = base_url.map_or("console".to_owned(), |base_url| format!("{base_url}/console"));
    (StatusCode::TEMPORARY_REDIRECT, [(LOCATION, page)]).into_response()
}

/// `GET /docs`: redirects to the page. Its relative links work only if the URL ends in a file name.
pub async fn docs_front() -> Response {
    (StatusCode::TEMPORARY_REDIRECT, [(LOCATION, "docs/index.html")]).into_response()
}

/// `GET /docs/`: redirects to the page.
pub async fn docs_folder() -> Response {
    (StatusCode::TEMPORARY_REDIRECT, [(LOCATION, "index.html")]).into_response()
}

/// The page may load only its own files, and no other page may show it in a frame.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// `GET /docs/{file}`: returns a file of the reference page.
pub async fn docs_file(Path(file): Path<String>) -> Result<Response> {
    let file = PAGE.iter().find(|page_file| page_file.name == file).ok_or(Error::NoRoute)?;
    let headers = [
        (CONTENT_TYPE, file.content_type),
        (CACHE_CONTROL, "public, max-age=300"),
        (CONTENT_SECURITY_POLICY, PAGE_POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    Ok((headers, file.bytes).into_response())
}

/// `GET /llms.txt`: returns the reference for programs that read texts.
pub async fn llms_text() -> Response {
    let headers = [(CONTENT_TYPE, "text/plain; charset=utf-8"), (CACHE_CONTROL, "public, max-age=300")];
    (headers, LLMS).into_response()
}
