//! Logs: one JSON object a line, for machines to search. Never bodies, tokens, prompts or addresses of people.

use std::io;
use std::time::Duration;

use axum::http::StatusCode;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

const DEFAULT_LEVELS: &str = "info,aws_config=warn,aws_smithy_runtime=warn";

/// Starts logging to standard output. `LOG_LEVEL` takes levels as `info` or `info,shared=debug`.
pub fn init() {
    init_to(io::stdout);
}

/// Starts logging to a writer of one's own; a second start changes nothing.
pub fn init_to<W>(writer: W)
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let levels = std::env::var("LOG_LEVEL").unwrap_or_else(|_| DEFAULT_LEVELS.to_owned());
    let filter = EnvFilter::try_new(levels).unwrap_or_else(|_| EnvFilter::new(DEFAULT_LEVELS));
    let _ = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_current_span(true)
        .with_span_list(false)
        .with_target(false)
        .with_env_filter(filter)
        .with_writer(writer)
        .try_init();
}

/// The one line every request leaves. Who called and what for is in its span.
pub(crate) fn log_request(status: StatusCode, latency: Duration) {
    let latency_ms = latency.as_secs_f64() * 1_000.0;
    tracing::info!(status = status.as_u16(), latency_ms = (latency_ms * 1_000.0).round() / 1_000.0, "request served");
}
