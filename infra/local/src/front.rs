//! The stand-in for API Gateway: sends each request to the function that the template's routes name.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use matchit::Router as Matcher;
use serde_json::Value;
use shared::config::Config;
use shared::http::{finish, standard};
use tower::ServiceExt;

use crate::failure::Failure;
use crate::template::Route;

/// Everything the platform serves at its base URL.
pub fn front(routes: &[Route], routers: &BTreeMap<&'static str, Router>, jwks: Value) -> Result<Router, Failure> {
    let mut matcher = Matcher::new();
    for route in routes {
        let failed = |cause: String| Failure::Template { resource: route.path.clone(), cause };
        let router = routers.get(route.function.as_str()).ok_or_else(|| failed("no such function".to_owned()))?;
        let path = route.path.replace("{proxy+}", "{*proxy}");
        matcher.insert(path, router.clone()).map_err(|error| failed(error.to_string()))?;
    }
    let (matcher, unrouted) =
        (Arc::new(matcher), finish(Router::new(), &[], standard::AREA, "front", &Config::default()));
    let routed = move |request: Request| {
        let path = request.uri().path();
        // API Gateway finds a resource with or without a slash behind it.
        let found = matcher.at(path).or_else(|_| matcher.at(path.trim_end_matches('/')));
        let router = found.map_or(&unrouted, |found| found.value).clone();
        async move { serve(router, request).await }
    };
    // Not nested in one axum router: a function must see its own path parameters, and no others.
    Ok(Router::new().route("/local/jwks.json", get(async move || axum::Json(jwks.clone()))).fallback(routed))
}

async fn serve(router: Router, request: Request) -> Response {
    match router.oneshot(request).await {
        Ok(response) => response.into_response(),
        Err(never) => match never {},
    }
}
