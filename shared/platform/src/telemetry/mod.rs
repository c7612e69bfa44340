//! What a function reports about its work: logs, and traces if the operator has set an endpoint for them.
//!
//! Traces are exported by this module and not by the crates of OpenTelemetry. Those add 284 KB to each of the 22 binaries
//! (`opentelemetry-otlp` with `http-json`, at the size that Lambda gets), export from a thread of their own, which Lambda
//! freezes, and have one service name a process, where `local` runs all functions in one.

pub mod attributes;
mod exporter;
mod logs;
mod otlp;
mod record;
mod sampler;
mod settings;
mod span;
mod trace_context;

use std::fmt;
use std::sync::Arc;

use domain::Result;

use crate::config::Config;

pub use exporter::Exporter;
pub use logs::{init, levels, log_cause};
pub use record::SpanKind;
pub use settings::{TraceSettings, expected_form};
pub use span::Span;
pub use trace_context::{TRACEPARENT, TraceContext, carry};

/// The telemetry of one function. Without an exporter, it costs nothing.
#[derive(Clone, Debug, Default)]
pub struct Telemetry {
    function: Arc<str>,
    exporter: Option<Arc<Exporter>>,
}

impl Telemetry {
    /// The telemetry of a process that runs one function.
    pub fn from_config(config: &Config, function: &str) -> Result<Self> {
        let exporter = TraceSettings::from_config(config)?.map(|settings| Arc::new(Exporter::new(settings)));
        Ok(Self { function: function.into(), exporter })
    }

    /// The telemetry of another function of this process.
    #[must_use]
    pub fn of_function(&self, function: &str) -> Self {
        Self { function: function.into(), ..self.clone() }
    }

    /// The name of the function in logs and traces.
    pub fn function(&self) -> &str {
        &self.function
    }

    /// Sends spans to the collector; `None` if the operator has set no endpoint.
    pub fn exporter(&self) -> Option<&Arc<Exporter>> {
        self.exporter.as_ref()
    }

    /// Starts a span below the span of the current task.
    pub fn start_span(&self, kind: SpanKind, name: fmt::Arguments<'_>) -> Span {
        self.start_span_below(TraceContext::current(), kind, name)
    }

    /// Starts a span below one of another process, or a new trace.
    pub fn start_span_below(&self, parent: Option<TraceContext>, kind: SpanKind, name: fmt::Arguments<'_>) -> Span {
        let Some(exporter) = &self.exporter else { return Span::default() };
        Span::start(exporter, &self.function, kind, name, parent)
    }

    /// Exports what was recorded, for a process that Lambda may freeze.
    pub async fn flush(&self) {
        if let Some(exporter) = &self.exporter {
            exporter.flush().await;
        }
    }
}
