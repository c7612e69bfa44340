//! A chat completion, answered piece by piece as server-sent events.
//!
//! A task reads the provider and writes events into a short channel; the answer's body reads it. So a slow client slows
//! the provider, and what is to happen when a client leaves does not hang on the client's connection.

use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::BoxStream;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};
use tracing::Instrument;

use super::answer::Chunk;
use super::request::ChatRequest;
use super::usage::UsageOut;
use crate::leases::Slot;
use crate::providers::{ChunkStream, Failure, Parameters};
use crate::routing::Routed;
use crate::tokens::likely;
use crate::{Asker, Gateway, Told};
use domain::catalog::OnDisconnect;
use domain::id::TransactionId;
use domain::time::Time;
use domain::usage::{Tokens, UsageSource};
use domain::{Error, Result};

/// Events that wait for a slow client; then the provider waits.
const AHEAD: usize = 16;
/// Within this the first piece decides whether another deployment is tried; then the answer begins without it.
const FIRST_PIECE: Duration = Duration::from_secs(15);
const HEARTBEAT: Duration = Duration::from_secs(15);
/// A comment, which clients skip: it keeps idle connections.
const HEARTBEAT_EVENT: Bytes = Bytes::from_static(b": waiting for the model\n\n");
const DONE_EVENT: &[u8] = b"data: [DONE]\n\n";

/// The body of an answer.
pub type EventStream = BoxStream<'static, Bytes>;
/// Writes an error as the area's envelope has it.
pub type WriteError = Box<dyn Fn(&Error) -> String + Send + Sync>;

#[derive(Serialize)]
struct ChunkOut<'a> {
    id: &'a str,
    object: &'static str,
    created: i64,
    model: &'a str,
    choices: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_fingerprint: Option<&'a str>,
    /// Absent when usage was not asked for; null in every chunk but the last when it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Option<UsageOut>>,
}

/// What the provider has accepted, with its first piece if that came soon.
struct Begun {
    first: Option<Chunk>,
    rest: ChunkStream,
}

impl Gateway {
    /// Comes back when the provider has begun to answer. What fails before that is an error like any other; what
    /// fails later is an event in the stream, which then ends without `[DONE]`.
    pub async fn stream(
        &self,
        asker: Asker,
        request: ChatRequest,
        write_error: WriteError,
    ) -> Result<(EventStream, Told)> {
        let (events, body) = mpsc::channel(AHEAD);
        let (begun, told) = oneshot::channel();
        let gateway = self.clone();
        let call = async move {
            let claim = asker.claim.clone();
            match gateway.begin_relay(asker, request, write_error, events).await {
                Ok((told, relay, slot, stream)) => {
                    // Whoever does not wait any more has dropped the body too, which the relay sees.
                    let _ = begun.send(Ok(told));
                    relay.run(slot, stream).await;
                }
                Err(error) => {
                    gateway.release(claim.as_ref()).await;
                    let _ = begun.send(Err(error));
                }
            }
        };
        tokio::spawn(call.instrument(tracing::Span::current()));
        let told = told.await.map_err(Error::internal)??;
        let body = futures::stream::unfold(body, async |mut body| body.recv().await.map(|event| (event, body)));
        Ok((body.boxed(), told))
    }

    async fn begin_relay(
        &self,
        asker: Asker,
        request: ChatRequest,
        write_error: WriteError,
        events: mpsc::Sender<Bytes>,
    ) -> Result<(Told, Relay, Slot, Begun)> {
        let mut prepared = self.prepare(&asker, request).await?;
        let mut slot = self.hold(&asker, &mut prepared).await?;
        let asked = self.ask(&mut slot, &prepared.chosen, |provider, model| {
            let request = prepared.request.clone();
            async move { begin(provider.stream(&model, &request).await?).await }
        });
        let Routed { answer: begun, provider, kind, model: upstream } = asked.await?;
        prepared.notes.report = Parameters::of_chat(&prepared.request, kind, &upstream).report();
        let model = &prepared.chosen.model;
        let relay = Relay {
            gateway: self.clone(),
            // A call that is made once is brought to its end: whoever asks again is to find the whole answer.
            stops_with_client: model.on_disconnect == OnDisconnect::Stop && asker.claim.is_none(),
            transcript: asker.claim.as_ref().map(|_| Vec::new()),
            asker,
            provider,
            write_error,
            id: format!("chatcmpl-{}", TransactionId::new().uuid().simple()),
            created: Time::now().as_seconds(),
            model: model.name.clone(),
            wants_usage: prepared.request.wants_usage(),
            unfinished: u32::try_from(prepared.request.choices()).unwrap_or(u32::MAX),
            likely_input: prepared.likely_input,
            counted_output: 0,
            usage: None,
            events,
        };
        let told = Told { chosen: prepared.chosen, notes: prepared.notes, standing: slot.standing(), cost: None };
        Ok((told, relay, slot, begun))
    }
}

/// A stream that is cut before its first piece has not begun.
async fn begin(mut stream: ChunkStream) -> Result<Begun, Failure> {
    match tokio::time::timeout(FIRST_PIECE, stream.next()).await {
        Ok(Some(Ok(first))) => Ok(Begun { first: Some(first), rest: stream }),
        Ok(Some(Err(failure))) => Err(failure),
        Ok(None) => Err(Failure::cut()),
        Err(_) => Ok(Begun { first: None, rest: stream }),
    }
}

struct Relay {
    gateway: Gateway,
    asker: Asker,
    provider: String,
    write_error: WriteError,
    id: String,
    created: i64,
    model: String,
    stops_with_client: bool,
    wants_usage: bool,
    /// Choices that have not told their `finish_reason`.
    unfinished: u32,
    likely_input: u64,
    counted_output: u64,
    usage: Option<Tokens>,
    /// All that was sent, for a call whose answer is kept.
    transcript: Option<Vec<u8>>,
    events: mpsc::Sender<Bytes>,
}

/// How a stream came to its end.
enum End {
    Whole,
    Failed(Failure),
    /// The client is gone, and the provider was cut off.
    Left,
}

impl Relay {
    async fn run(mut self, mut slot: Slot, begun: Begun) {
        let end = self.forward(begun).await;
        match (self.came_to(&end), end) {
            (Some(came_to), End::Whole) => self.end_whole(&mut slot, came_to).await,
            (came_to, end) => self.end_short(&mut slot, came_to, end).await,
        }
        slot.close_when_over().await;
    }

    /// The charge stands before the answer ends: what a client sees whole has been paid for.
    async fn end_whole(&mut self, slot: &mut Slot, (tokens, source): (Tokens, UsageSource)) {
        let charge = self.gateway.price(slot, &self.asker, self.provider.clone(), tokens, source).await;
        let mut last = Vec::new();
        if self.wants_usage {
            last.extend(self.chunk(&no_choices(), None, Some(Some(UsageOut::new(&tokens, charge.cost)))));
        }
        last.extend_from_slice(DONE_EVENT);
        let mut transcript = self.transcript.take().unwrap_or_default();
        transcript.extend_from_slice(&last);
        match self.gateway.record(slot, &self.asker, &charge, "text/event-stream", &transcript).await {
            Ok(()) => self.send(last.into()).await,
            Err(error) => self.send_error(&error).await,
        }
    }

    /// What was delivered is charged; where nothing came, nothing is owed.
    async fn end_short(&mut self, slot: &mut Slot, came_to: Option<(Tokens, UsageSource)>, end: End) {
        match came_to {
            None => slot.put_back(),
            Some((tokens, source)) => {
                let charge = self.gateway.price(slot, &self.asker, self.provider.clone(), tokens, source).await;
                if let Err(error) = slot.record(&charge).await {
                    tracing::error!(?error, "a charge is left to the sweep");
                }
            }
        }
        self.gateway.release(self.asker.claim.as_ref()).await;
        if let End::Failed(failure) = end {
            tracing::warn!(
                provider = self.provider,
                model = self.model,
                code = failure.code,
                "a provider failed in the middle of a stream"
            );
            self.send_error(&failure.into()).await;
        }
    }

    async fn forward(&mut self, Begun { first, mut rest }: Begun) -> End {
        if let Some(first) = first {
            self.forward_chunk(first).await;
        }
        let mut heartbeat = tokio::time::interval(HEARTBEAT);
        heartbeat.reset();
        loop {
            let events = self.events.clone();
            let next = tokio::select! {
                biased;
                () = events.closed(), if self.stops_with_client => return End::Left,
                next = rest.next() => next,
                _ = heartbeat.tick() => {
                    self.send(HEARTBEAT_EVENT).await;
                    continue;
                }
            };
            match next {
                Some(Ok(chunk)) => {
                    self.forward_chunk(chunk).await;
                    heartbeat.reset();
                }
                Some(Err(failure)) => return End::Failed(failure),
                // An end without a reason for it is no end: to invent one would pass off a part as the whole.
                None if self.unfinished > 0 => return End::Failed(Failure::cut()),
                None => return End::Whole,
            }
        }
    }

    async fn forward_chunk(&mut self, chunk: Chunk) {
        self.unfinished = self.unfinished.saturating_sub(chunk.finished);
        self.counted_output = self.counted_output.saturating_add(chunk.counted_output);
        // The last count is the whole one.
        self.usage = chunk.usage.or(self.usage);
        if let Some(choices) = &chunk.choices {
            let usage = self.wants_usage.then_some(None);
            let event = self.chunk(choices, chunk.system_fingerprint.as_deref(), usage);
            if let Some(transcript) = &mut self.transcript {
                transcript.extend_from_slice(&event);
            }
            self.send(event.into()).await;
        }
    }

    /// What is owed, and how that is known; nothing where nothing came.
    fn came_to(&self, end: &End) -> Option<(Tokens, UsageSource)> {
        let is_whole = matches!(end, End::Whole);
        match self.usage {
            Some(usage) if is_whole => Some((usage, UsageSource::Provider)),
            // What came since the last count is counted here: some providers count at the begin and the end only.
            Some(usage) if usage.output > 0 || self.counted_output > 0 => {
                let output = usage.output.max(likely(self.counted_output));
                Some((Tokens { output, ..usage }, UsageSource::Cumulative))
            }
            _ if is_whole || self.counted_output > 0 => {
                let tokens =
                    Tokens { input: self.likely_input, output: likely(self.counted_output), ..Tokens::default() };
                Some((tokens, UsageSource::Counted))
            }
            _ => None,
        }
    }

    fn chunk(&self, choices: &RawValue, system_fingerprint: Option<&str>, usage: Option<Option<UsageOut>>) -> Vec<u8> {
        let chunk = ChunkOut {
            id: &self.id,
            object: "chat.completion.chunk",
            created: self.created,
            model: &self.model,
            choices,
            system_fingerprint,
            usage,
        };
        let mut event = Vec::with_capacity(256 + choices.get().len());
        event.extend_from_slice(b"data: ");
        if let Err(error) = serde_json::to_writer(&mut event, &chunk) {
            // Plain data, into memory.
            tracing::error!(%error, "a chunk could not be written");
        }
        event.extend_from_slice(b"\n\n");
        event
    }

    async fn send_error(&self, error: &Error) {
        self.send(format!("data: {}\n\n", (self.write_error)(error)).into()).await;
    }

    /// Waits while the client is behind. That it may be gone is seen elsewhere.
    async fn send(&self, event: Bytes) {
        let _ = self.events.send(event).await;
    }
}

/// OpenAI's chunk that only tells usage.
fn no_choices() -> Box<RawValue> {
    RawValue::from_string("[]".to_owned()).expect("an empty list is JSON")
}
