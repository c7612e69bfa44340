//! Logs: one JSON object a line, for machines to search. Never bodies, tokens, prompts or addresses of people.

use std::io;
use std::time::Duration;

use axum::http::StatusCode;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

const DEFAULT_LEVELS: &str = "info";

/// Starts logging to standard output. `LOG_LEVEL` takes levels as `info` or `warn,shared=info`.
pub fn init() {
    let layer = tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        .with_current_span(true)
        .with_span_list(false)
        .with_target(false)
        .with_writer(io::stdout);
    // Whoever started logging before goes on with it.
    let _ = tracing_subscriber::registry().with(layer).with(levels(DEFAULT_LEVELS)).try_init();
}

/// The levels of `LOG_LEVEL`; the given ones when it is not there or says nothing.
pub fn levels(default: &str) -> Targets {
    let setting = std::env::var("LOG_LEVEL").ok().filter(|levels| !levels.is_empty());
    setting.and_then(|levels| levels.parse().ok()).or_else(|| default.parse().ok()).unwrap_or_default()
}

/// The one line every request leaves. Who called and what for is in its span.
pub(crate) fn log_request(status: StatusCode, latency: Duration) {
    let latency_ms = latency.as_secs_f64() * 1_000.0;
    tracing::info!(status = status.as_u16(), latency_ms = (latency_ms * 1_000.0).round() / 1_000.0, "request served");
}
