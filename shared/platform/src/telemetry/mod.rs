//! What a function reports about its work: logs, metrics, and traces if the operator has set an endpoint for them.
//!
//! Traces are exported by this module and not by the crates of OpenTelemetry. Those add 284 KB to each of the 22 binaries
//! (`opentelemetry-otlp` with `http-json`, at the size that Lambda gets), export from a thread of their own, which Lambda
//! freezes, and have one service name a process, where `local` runs all functions in one.

pub mod attributes;
mod exporter;
mod logs;
pub mod metrics;
mod otlp;
mod record;
mod sampler;
mod settings;
mod span;
mod trace_context;

use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use domain::time::Time;
use domain::{Error, Result};

use self::metrics::{Metric, Registry, emf};
use crate::config::{Config, METRICS};

pub use exporter::Exporter;
pub use logs::{init, levels, log_cause};
pub use record::SpanKind;
pub use settings::{TraceSettings, expected_form};
pub use span::Span;
pub use trace_context::{TRACEPARENT, TraceContext, carry};

/// The telemetry of one function. What is not switched on costs nothing.
#[derive(Clone, Debug, Default)]
pub struct Telemetry {
    function: Arc<str>,
    exporter: Option<Arc<Exporter>>,
    /// The metrics that the process serves.
    metrics: Option<Arc<Registry>>,
    /// The metrics that are written to the log, since the last time.
    logged_metrics: Option<Arc<Registry>>,
}

/// The value of `METRICS` with which metrics are written to the log, in the embedded metric format of AWS.
pub const EMF: &str = "emf";

impl Telemetry {
    /// The telemetry of a process that runs one function.
    pub fn from_config(config: &Config, function: &str) -> Result<Self> {
        let exporter = TraceSettings::from_config(config)?.map(|settings| Arc::new(Exporter::new(settings)));
        let logged_metrics = match config.optional(METRICS) {
            None => None,
            Some(EMF) => Some(Arc::default()),
            Some(_) => return Err(Error::internal(format!("the environment variable {METRICS} must be {EMF}"))),
        };
        Ok(Self { function: function.into(), exporter, metrics: None, logged_metrics })
    }

    /// Counts metrics that the process itself serves.
    #[must_use]
    pub fn with_metrics(self) -> Self {
        Self { metrics: Some(Arc::default()), ..self }
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

    /// The metrics of all functions of this process; `None` if it does not serve them.
    pub fn metrics(&self) -> Option<&Arc<Registry>> {
        self.metrics.as_ref()
    }

    /// Adds to a counter. `labels` are the values of its labels after the function.
    pub fn count(&self, metric: Metric, labels: &[&str], amount: u64) {
        for metrics in self.metrics.iter().chain(&self.logged_metrics) {
            metrics.record(metric, &self.function, labels, amount);
        }
    }

    /// Adds a time to a histogram.
    pub fn observe(&self, metric: Metric, labels: &[&str], time: Duration) {
        self.count(metric, labels, u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
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

    /// Writes what was counted since the last time to the log, if the operator wants that.
    pub fn log_metrics(&self) {
        let Some(metrics) = &self.logged_metrics else { return };
        for line in emf::render(&metrics.take_samples(), Time::now().as_millis()) {
            // A failure to write the log cannot be logged.
            let _ = writeln!(io::stdout(), "{line}");
        }
    }

    /// Exports what was recorded, for a process that Lambda may freeze.
    pub async fn flush(&self) {
        self.log_metrics();
        if let Some(exporter) = &self.exporter {
            exporter.flush().await;
        }
    }
}
