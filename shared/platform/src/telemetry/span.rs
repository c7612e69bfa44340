//! A span in progress. It ends when it is dropped.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use tokio::task::futures::TaskLocalFuture;

use super::attributes::ERROR_TYPE;
use super::exporter::Exporter;
use super::record::{AttributeValue, SpanKind, SpanRecord};
use super::trace_context::{TraceContext, scope};

/// A span, or nothing: without an exporter, or if the trace is not sampled, its methods do nothing.
#[derive(Debug, Default)]
pub struct Span {
    context: Option<TraceContext>,
    recording: Option<Box<Recording>>,
}

#[derive(Debug)]
struct Recording {
    exporter: Arc<Exporter>,
    started: Instant,
    record: SpanRecord,
}

impl Span {
    pub(super) fn start(
        exporter: &Arc<Exporter>,
        function: &Arc<str>,
        kind: SpanKind,
        name: fmt::Arguments<'_>,
        parent: Option<TraceContext>,
    ) -> Self {
        // Ids of zeros are invalid.
        let trace_id = parent.map_or_else(|| fastrand::u128(1..), |parent| parent.trace_id);
        let is_sampled = exporter.settings.sampler.samples(trace_id, parent.as_ref());
        let context = TraceContext { trace_id, span_id: fastrand::u64(1..), is_sampled };
        let recording = is_sampled.then(|| {
            let record = SpanRecord {
                function: function.clone(),
                name: name.to_string(),
                kind,
                context,
                parent: parent.map(|parent| parent.span_id),
                started: SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default(),
                took: Duration::ZERO,
                attributes: Vec::new(),
                has_failed: false,
            };
            Box::new(Recording { exporter: exporter.clone(), started: Instant::now(), record })
        });
        Self { context: Some(context), recording }
    }

    /// Whether the span will be exported, so that costly attributes are worth computing.
    pub fn is_recording(&self) -> bool {
        self.recording.is_some()
    }

    pub fn context(&self) -> Option<TraceContext> {
        self.context
    }

    pub fn set(&mut self, name: &'static str, value: impl Into<AttributeValue>) {
        if let Some(recording) = &mut self.recording {
            recording.record.attributes.push((name, value.into()));
        }
    }

    /// Marks the work as failed, by a class of failures of which there are few.
    pub fn fail(&mut self, class: impl Into<AttributeValue>) {
        self.set(ERROR_TYPE, class);
        if let Some(recording) = &mut self.recording {
            recording.record.has_failed = true;
        }
    }

    /// Runs work as part of this span: spans that start in it become its children.
    pub fn scope<F: Future>(&self, work: F) -> TaskLocalFuture<Option<TraceContext>, F> {
        scope(self.context, work)
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        let Some(recording) = self.recording.take() else { return };
        let Recording { exporter, started, record } = *recording;
        exporter.add(SpanRecord { took: started.elapsed(), ..record });
    }
}
