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
use tokio::sync::mpsc;
use tracing::Instrument;

use super::answer::Chunk;
use super::request::ChatRequest;
use super::usage::UsageOut;
use crate::domain::catalog::OnDisconnect;
use crate::domain::id::TransactionId;
use crate::domain::time::Time;
use crate::domain::usage::{Tokens, UsageSource};
use crate::gateway::leases::{Outcome, Slot};
use crate::gateway::providers::{ChunkStream, Failure};
use crate::gateway::routing::Routed;
use crate::gateway::{Asker, Gateway, Told};
use crate::{Error, Result};

/// Events that wait for a slow client; then the provider waits.
const AHEAD: usize = 16;
/// Within this the first piece decides whether another deployment is tried; then the answer begins without it.
const FIRST_PIECE: Duration = Duration::from_secs(15);
const HEARTBEAT: Duration = Duration::from_secs(15);
/// A comment, which clients skip: it keeps idle connections.
const HEARTBEAT_EVENT: Bytes = Bytes::from_static(b": waiting for the model\n\n");
const DONE_EVENT: Bytes = Bytes::from_static(b"data: [DONE]\n\n");

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
        body_hash: String,
        write_error: WriteError,
    ) -> Result<(EventStream, Told)> {
        let prepared = self.prepare(&asker, request).await?;
        let slot = self.take(&asker, &prepared.chosen, prepared.need).await?;
        let asked = self.inner.routing.ask(&prepared.chosen, |provider, model| {
            let request = prepared.request.clone();
            async move { begin(provider.stream(&model, &request).await?).await }
        });
        let Routed { answer: begun, provider } = match asked.await {
            Ok(routed) => routed,
            Err(error) => {
                slot.put_back();
                return Err(error);
            }
        };
        let told = Told {
            chosen: prepared.chosen.clone(),
            passthrough: prepared.passthrough,
            defaults: prepared.defaults,
            standing: slot.standing(),
            cost: None,
        };
        let (events, body) = mpsc::channel(AHEAD);
        let relay = Relay {
            gateway: self.clone(),
            asker,
            provider,
            body_hash,
            write_error,
            id: format!("chatcmpl-{}", TransactionId::new().uuid().simple()),
            created: Time::now().as_seconds(),
            model: prepared.chosen.model.name.clone(),
            on_disconnect: prepared.chosen.model.on_disconnect,
            wants_usage: prepared.request.wants_usage(),
            unfinished: u32::try_from(prepared.request.choices()).unwrap_or(u32::MAX),
            likely_input: prepared.likely_input,
            counted_output: 0,
            usage: None,
            events,
        };
        tokio::spawn(relay.run(slot, begun).instrument(tracing::Span::current()));
        let body = futures::stream::unfold(body, async |mut body| body.recv().await.map(|event| (event, body)));
        Ok((body.boxed(), told))
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
    body_hash: String,
    write_error: WriteError,
    id: String,
    created: i64,
    model: String,
    on_disconnect: OnDisconnect,
    wants_usage: bool,
    /// Choices that have not told their `finish_reason`.
    unfinished: u32,
    likely_input: u64,
    counted_output: u64,
    usage: Option<Tokens>,
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
        let Some((tokens, source)) = self.came_to(&end) else {
            // Nothing was produced: nothing is owed.
            slot.put_back();
            return self.fail(end).await;
        };
        let outcome = Outcome {
            tokens,
            source,
            images: 0,
            provider: self.provider.clone(),
            request_id: self.asker.request_id.clone(),
            body_hash: Some(self.body_hash.clone()),
        };
        // The charge stands before the answer ends: what a client sees whole has been paid for.
        match (self.gateway.charge(&mut slot, &self.asker, outcome).await, end) {
            (Ok(charge), End::Whole) => {
                if self.wants_usage {
                    self.send_chunk(&no_choices(), None, Some(Some(UsageOut::new(&tokens, charge.cost)))).await;
                }
                self.send(DONE_EVENT).await;
            }
            (Ok(_), end) => self.fail(end).await,
            (Err(error), _) => self.send_error(&error).await,
        }
        slot.close_when_over().await;
    }

    async fn forward(&mut self, Begun { first, mut rest }: Begun) -> End {
        if let Some(first) = first {
            self.forward_chunk(first).await;
        }
        let mut heartbeat = tokio::time::interval(HEARTBEAT);
        heartbeat.reset();
        loop {
            let stops_with_client = self.on_disconnect == OnDisconnect::Stop;
            let events = self.events.clone();
            let next = tokio::select! {
                biased;
                () = events.closed(), if stops_with_client => return End::Left,
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
            self.send_chunk(choices, chunk.system_fingerprint.as_deref(), usage).await;
        }
    }

    /// What is owed, and how that is known; nothing where nothing came.
    fn came_to(&self, end: &End) -> Option<(Tokens, UsageSource)> {
        let is_whole = matches!(end, End::Whole);
        match self.usage {
            Some(usage) if is_whole => Some((usage, UsageSource::Provider)),
            Some(usage) if usage.output > 0 || self.counted_output > 0 => Some((usage, UsageSource::Cumulative)),
            _ if is_whole || self.counted_output > 0 => {
                let tokens = Tokens { input: self.likely_input, output: self.counted_output, ..Tokens::default() };
                Some((tokens, UsageSource::Counted))
            }
            _ => None,
        }
    }

    async fn fail(&self, end: End) {
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

    async fn send_chunk(&self, choices: &RawValue, system_fingerprint: Option<&str>, usage: Option<Option<UsageOut>>) {
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
            tracing::error!(%error, "a chunk could not be written");
            return;
        }
        event.extend_from_slice(b"\n\n");
        self.send(event.into()).await;
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
