//! Sends spans to a collector by OTLP over HTTP. Spans wait in memory, at most [`MAX_WAITING`] of them. An export that fails
//! fails no request: it is logged, and the collector gets a pause.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use domain::{Error, Result};
use http::header::CONTENT_TYPE;
use http::{Request, StatusCode};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::otlp::export_body;
use super::record::SpanRecord;
use super::settings::TraceSettings;
use crate::aws::TrustedClient;

/// The sizes of OpenTelemetry's own batch processor.
const MAX_WAITING: usize = 2_048;
const MAX_BATCH: usize = 512;
/// Collectors answer with an empty object, or with the number of spans that they refused.
const MAX_ANSWER_BYTES: usize = 64 << 10;
/// How often a process exports that is never frozen.
const EXPORT_EVERY: Duration = Duration::from_secs(1);
/// The pause after a failure. Without it, a Lambda would wait for a collector that does not answer at the end of each invocation.
const PAUSE: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub struct Exporter {
    pub(super) settings: TraceSettings,
    /// Created by the first export, because it reads the root certificates.
    client: OnceLock<TrustedClient>,
    waiting: Mutex<Waiting>,
    /// The spans that were lost, because there was no room or the collector refused them.
    dropped: AtomicU64,
    /// Signals that a batch is complete.
    has_batch: Notify,
    /// Held by the task that exports.
    exporting: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Waiting {
    spans: VecDeque<SpanRecord>,
    paused_until: Option<Instant>,
}

impl Exporter {
    pub fn new(settings: TraceSettings) -> Self {
        Self {
            settings,
            client: OnceLock::new(),
            waiting: Mutex::default(),
            dropped: AtomicU64::default(),
            has_batch: Notify::new(),
            exporting: tokio::sync::Mutex::default(),
        }
    }

    /// Exports in the background until the process stops. The caller exports the last spans by [`Self::flush`].
    pub async fn run(&self, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = sleep(EXPORT_EVERY) => {}
                () = self.has_batch.notified() => {}
            }
            self.flush().await;
        }
    }

    /// Exports the spans that wait, unless an export failed a short time ago.
    pub async fn flush(&self) {
        let _exporting = self.exporting.lock().await;
        while let Some(batch) = self.take_batch() {
            if let Err((error, batch)) = self.export(batch).await {
                self.put_back(batch);
                let dropped = self.dropped();
                tracing::warn!(%error, dropped, "spans could not be exported; the next attempt is in 30 seconds");
                return;
            }
        }
    }

    /// The number of spans that were lost.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Adds a span that has ended.
    pub(super) fn add(&self, span: SpanRecord) {
        let mut waiting = self.lock();
        if waiting.spans.len() >= MAX_WAITING {
            self.dropped.fetch_add(1, Ordering::Relaxed);
            return;
        }
        waiting.spans.push_back(span);
        if waiting.spans.len() == MAX_BATCH {
            self.has_batch.notify_one();
        }
    }

    /// Sends one batch. A failure returns the spans that may be sent again.
    async fn export(&self, batch: Vec<SpanRecord>) -> Result<(), (Error, Vec<SpanRecord>)> {
        let body = export_body(&batch, self.settings.service_name.as_deref());
        let sent = timeout(self.settings.timeout, self.post(body)).await;
        let status = match sent.unwrap_or_else(|_| Err(Error::busy("the collector did not answer in time"))) {
            Ok(status) => status,
            Err(error) => return Err((error, batch)),
        };
        if status.is_success() {
            return Ok(());
        }
        let error = Error::busy(format!("the collector answered {status}"));
        // The other statuses mean that the collector would refuse the batch again.
        if matches!(status.as_u16(), 429 | 502..=504) {
            return Err((error, batch));
        }
        self.dropped.fetch_add(batch.len() as u64, Ordering::Relaxed);
        Err((error, Vec::new()))
    }

    async fn post(&self, body: Vec<u8>) -> Result<StatusCode> {
        let mut request = Request::post(&self.settings.url).header(CONTENT_TYPE, "application/json");
        for (name, value) in &self.settings.headers {
            request = request.header(name, value);
        }
        let request = request.body(Bytes::from(body)).map_err(Error::internal)?;
        let client = self.client.get_or_init(|| TrustedClient::new(self.settings.timeout, self.settings.timeout));
        client.send(request, MAX_ANSWER_BYTES).await.map(|(status, _)| status)
    }

    fn take_batch(&self) -> Option<Vec<SpanRecord>> {
        let mut waiting = self.lock();
        if waiting.spans.is_empty() || waiting.paused_until.is_some_and(|until| Instant::now() < until) {
            return None;
        }
        let size = waiting.spans.len().min(MAX_BATCH);
        Some(waiting.spans.drain(..size).collect())
    }

    /// Keeps spans for the attempt after a pause, as far as there is room.
    fn put_back(&self, batch: Vec<SpanRecord>) {
        let mut waiting = self.lock();
        waiting.paused_until = Some(Instant::now() + PAUSE);
        for span in batch.into_iter().rev() {
            if waiting.spans.len() < MAX_WAITING {
                waiting.spans.push_front(span);
            } else {
                self.dropped.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
