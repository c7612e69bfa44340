//! Logging as one JSON object per line. Logs never hold bodies, tokens, prompts or e-mail addresses.

use std::io;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use domain::Error;

const DEFAULT_LEVELS: &str = "info";
/// The SDK of the Model Context Protocol logs a client that leaves as an error.
const SILENT: &str = "rmcp";

/// Starts logging to standard output. `LOG_LEVEL` has the form `info` or `warn,web=info`.
pub fn init() {
    let layer = tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        .with_current_span(true)
        .with_span_list(false)
        .with_target(false)
        .with_writer(io::stdout);
    // If logging has already started in this process, it keeps its configuration.
    let _ = tracing_subscriber::registry().with(layer).with(levels(DEFAULT_LEVELS)).try_init();
}

/// The log levels of `LOG_LEVEL`, or `default` if it is missing or invalid.
pub fn levels(default: &str) -> Targets {
    let setting = std::env::var("LOG_LEVEL").ok().filter(|levels| !levels.is_empty());
    let levels: Targets =
        setting.as_ref().and_then(|levels| levels.parse().ok()).or_else(|| default.parse().ok()).unwrap_or_default();
    let is_named = setting.is_some_and(|levels| levels.contains(SILENT));
    if is_named { levels } else { levels.with_target(SILENT, LevelFilter::OFF) }
}

/// Logs the cause of an error, which is never sent.
pub fn log_cause(error: &Error) {
    match error {
        Error::Internal(cause) => tracing::error!(%cause, "request failed"),
        Error::Unavailable { cause, .. } => tracing::warn!(cause, "request answered as temporarily unavailable"),
        _ => {}
    }
}
