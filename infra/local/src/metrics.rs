//! `GET /metrics`: the metrics of all functions, for a Prometheus on this machine.

use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use domain::Error;
use http::HeaderMap;
use http::header::{CONTENT_TYPE, FORWARDED, HOST};
use platform::telemetry::{Telemetry, metrics::prometheus};

const PATH: &str = "/metrics";
const X_FORWARDED_FOR: &str = "x-forwarded-for";

pub fn router(telemetry: Telemetry) -> Router {
    Router::new().route(PATH, get(show_metrics)).with_state(telemetry)
}

async fn show_metrics(State(telemetry): State<Telemetry>, headers: HeaderMap) -> Response {
    match telemetry.metrics().filter(|_| is_of_this_machine(&headers)) {
        Some(metrics) => ([(CONTENT_TYPE, prometheus::CONTENT_TYPE)], prometheus::render(metrics)).into_response(),
        None => web::builder::AREA.respond_at(PATH, &Error::NoRoute),
    }
}

/// Whether a request names this machine as its host. The platform listens on loopback only. So a request with another host came
/// through a proxy or a tunnel, or from a web page whose domain name points to this machine (DNS rebinding).
pub fn is_of_this_machine(headers: &HeaderMap) -> bool {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let is_forwarded = headers.contains_key(FORWARDED) || headers.contains_key(X_FORWARDED_FOR);
    matches!(name, "127.0.0.1" | "localhost") && !is_forwarded
}
