//! The local replacement for API Gateway: routes each request to the function that the template names.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use domain::Error;
use http::request::Parts;
use matchit::Router as Matcher;
use platform::Context;
use serde_json::Value;
use tower::ServiceExt;
use web::finish;

use crate::compression;
use crate::failure::Failure;
use crate::files::{self, Files};
use crate::issuer::JWKS;
use crate::services::storage::{StorageHealth, describe};
use crate::template::Route;

/// Builds the router of everything that the platform serves at its base URL. `front` answers the requests of no function.
pub fn router(
    routes: &[Route],
    routers: &BTreeMap<&'static str, Router>,
    jwks: Value,
    files: Files,
    storage: StorageHealth,
    front: &Context,
) -> Result<Router, Failure> {
    let matcher = match_routes(routes, |route| routers.get(route.function.as_str()).cloned())?;
    let (matcher, unrouted) = (Arc::new(matcher), finish(Router::new(), &[], web::builder::AREA, front));
    let routed = move |request: Request| {
        let path = request.uri().path();
        // API Gateway ignores a trailing slash.
        let found = matcher.at(path).or_else(|_| matcher.at(path.trim_end_matches('/')));
        let router = found.map_or(&unrouted, |found| found.value).clone();
        async move { serve(router, request).await }
    };
    // The routers are not nested in one axum router: a function must see only its own path parameters.
    let router = Router::new().route(JWKS, get(async move || axum::Json(jwks.clone())));
    let router = router.merge(files::router(files)).fallback(routed);
    Ok(router.layer(from_fn_with_state(storage, check_storage)).layer(compression::layer()))
}

/// Matches paths as API Gateway does. `target` returns what serves a route.
pub fn match_routes<T>(routes: &[Route], target: impl Fn(&Route) -> Option<T>) -> Result<Matcher<T>, Failure> {
    let mut matcher = Matcher::new();
    for route in routes {
        let failed = |cause: String| Failure::Template { resource: route.path.clone(), cause };
        let target = target(route).ok_or_else(|| failed("no such function".to_owned()))?;
        let path = route.path.replace("{proxy+}", "{*proxy}");
        matcher.insert(path, target).map_err(|error| failed(error.to_string()))?;
    }
    Ok(matcher)
}

async fn serve(router: Router, request: Request) -> Response {
    match router.oneshot(request).await {
        Ok(response) => response.into_response(),
        Err(never) => match never {},
    }
}

/// Adds the state of the embedded services' files to `/health`.
async fn check_storage(State(storage): State<StorageHealth>, request: Request, next: Next) -> Response {
    if request.uri().path() != "/health" {
        return next.run(request).await;
    }
    let failures = tokio::task::spawn_blocking(move || storage.check()).await.unwrap_or_default();
    match describe(&failures) {
        None => next.run(request).await,
        Some(causes) => web::builder::AREA.respond(&Error::StorageTrouble(causes)),
    }
}

/// The answer to a connection beyond the limit, in the error format of the area that it asked for.
pub fn refuse_connection(parts: &Parts) -> http::Response<Body> {
    let area = if parts.uri.path().starts_with("/gateway/") { web::gateway::AREA } else { web::builder::AREA };
    area.respond(&Error::busy("too many connections are open"))
}
