//! Streamed chat completions.
//!
//! A task reads the provider's stream and sends its items into a bounded channel, which the consumer reads. A slow consumer
//! therefore slows the provider (backpressure), and the task survives a client that disconnects.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::stream::{BoxStream, Fuse};
use futures::{FutureExt, StreamExt};
use platform::telemetry::carry;
use serde_json::value::RawValue;
use tokio::sync::{mpsc, oneshot};
use tokio::task::yield_now;
use tracing::Instrument;

use super::bodies::{KeptAnswer, KeptError, assemble_chunks};
use super::cache::CachePlace;
use super::guard::PendingEvaluation;
use crate::answers::{AnswerChunk, AnswerHead, StreamedCompletion, Usage};
use crate::attempt::{Attempt, Operation};
use crate::chat::{ChatRequest, Chunk};
use crate::failure::ProviderFailure;
use crate::leases::{CallUsage, LeaseSlot};
use crate::providers::ChunkStream;
use crate::routing::{Routed, Served};
use crate::tokens::of_weight;
use crate::{CacheUse, CallReport, Gateway, GatewayCaller};
use domain::catalog::OnDisconnect;
use domain::id::TransactionId;
use domain::ledger::Charge;
use domain::time::Time;
use domain::usage::{Tokens, UsageSource};
use domain::{Error, Result};
use store::model_catalog::Chosen;

/// Capacity of the channel. When it is full, the task stops reading from the provider.
const CHANNEL_CAPACITY: usize = 16;
/// The most chunks that are sent to the client in one write.
const MAX_CHUNKS: usize = 16;
/// How long to wait for the first chunk. A failure within this time can be retried at another deployment; after it, the
/// response begins without a chunk.
const FIRST_CHUNK_TIMEOUT: Duration = Duration::from_secs(15);
const HEARTBEAT: Duration = Duration::from_secs(15);

/// An answer that arrives in pieces.
pub struct ChatStream {
    pub head: AnswerHead,
    pub items: BoxStream<'static, StreamItem>,
}

/// An item of a streamed answer. The last one is `End` or `Failed`.
#[derive(Debug)]
pub enum StreamItem {
    /// Chunks that arrived together. They are sent in one write, which saves system calls.
    Chunks(Vec<AnswerChunk>),
    /// The provider has sent nothing for a while. It keeps idle connections open.
    Heartbeat,
    Failed(Error),
    /// The answer is complete, and its charge is written.
    End(Usage),
}

impl StreamedCompletion {
    /// The answer as a stream, for a replay.
    pub fn into_stream(self) -> Result<ChatStream> {
        let chunks: Vec<AnswerChunk> = serde_json::from_str(self.chunks.get()).map_err(Error::internal)?;
        let items = [StreamItem::Chunks(chunks), StreamItem::End(self.usage)];
        Ok(ChatStream { head: self.head, items: futures::stream::iter(items).boxed() })
    }
}

/// The chunks that were sent, as the items of a list in JSON.
#[derive(Default)]
struct Transcript(Vec<u8>);

impl Transcript {
    fn add(&mut self, chunk: &AnswerChunk) {
        self.0.push(if self.0.is_empty() { b'[' } else { b',' });
        if let Err(error) = serde_json::to_writer(&mut self.0, chunk) {
            // Serializing plain data into memory should not fail.
            tracing::error!(%error, "a chunk could not be written");
        }
    }

    fn into_list(mut self) -> Result<Box<RawValue>> {
        if self.0.is_empty() {
            self.0.push(b'[');
        }
        self.0.push(b']');
        let list = String::from_utf8(self.0).map_err(Error::internal)?;
        RawValue::from_string(list).map_err(Error::internal)
    }
}

/// How a streamed call begins.
enum Begun {
    Relayed {
        report: CallReport,
        relay: Box<Relay>,
        slot: LeaseSlot,
        stream: StartedStream,
    },
    /// The cache has the whole answer, and it is charged.
    Reused(StreamedCompletion, CallReport),
}

/// A stream that the provider has accepted, with its first chunk if it arrived in time.
struct StartedStream {
    first: Option<Chunk>,
    rest: Fuse<ChunkStream>,
}

impl Gateway {
    /// Starts a streamed completion, and returns when the provider has begun to answer. An earlier failure is returned
    /// as an error. A later failure is the last item of the stream.
    pub async fn stream(&self, caller: GatewayCaller, request: ChatRequest) -> Result<(ChatStream, CallReport)> {
        let (sender, items) = mpsc::channel(CHANNEL_CAPACITY);
        let (report_sender, report) = oneshot::channel();
        let gateway = self.clone();
        let call = async move {
            let claim = caller.claim.clone();
            match gateway.begin_any(caller, request, sender).await {
                Ok(Begun::Relayed { report, relay, slot, stream }) => {
                    // Sending fails if the client disconnected. The items are dropped then, which the relay detects.
                    let _ = report_sender.send(Ok((relay.head.clone(), None, report)));
                    relay.run(slot, stream).await;
                }
                Ok(Begun::Reused(answer, report)) => {
                    let _ = report_sender.send(Ok((answer.head.clone(), Some(answer), report)));
                }
                Err(error) => {
                    gateway.release(claim.as_ref()).await;
                    let _ = report_sender.send(Err(error));
                }
            }
        };
        tokio::spawn(carry(call.instrument(tracing::Span::current())));
        let (head, reused, report) = report.await.map_err(Error::internal)??;
        if let Some(answer) = reused {
            return Ok((answer.into_stream()?, report));
        }
        let items = futures::stream::unfold(items, async |mut items| items.recv().await.map(|item| (item, items)));
        Ok((ChatStream { head, items: items.boxed() }, report))
    }

    /// Begins with the first model that can answer.
    async fn begin_any(
        &self,
        mut caller: GatewayCaller,
        mut request: ChatRequest,
        items: mpsc::Sender<StreamItem>,
    ) -> Result<Begun> {
        caller.call.is_streamed = true;
        let (mut chosen, mut fallbacks) = self.choose(&caller, &request).await?;
        loop {
            match self.begin_relay(&caller, chosen, request, items.clone()).await {
                Ok(begun) => return Ok(begun),
                Err(failure) => (chosen, request) = fallbacks.next(failure)?,
            }
        }
    }

    async fn begin_relay(
        &self,
        caller: &GatewayCaller,
        chosen: Chosen,
        request: ChatRequest,
        items: mpsc::Sender<StreamItem>,
    ) -> Result<Begun> {
        let mut prepared = self.prepare(caller, chosen, request).await?;
        let place = prepared.cache_place(caller);
        if let Some(answer) = self.find_cached(place.as_ref()).await {
            let (answer, report) = self.reuse_answer(caller, prepared.chosen, prepared.notes, answer).await?;
            return Ok(Begun::Reused(answer, report));
        }
        let mut slot = self.reserve(caller, &mut prepared).await?;
        let routed = self.send_call(&mut slot, caller, &prepared.chosen, Operation::StreamChat, |provider, model| {
            let request = prepared.request.clone();
            async move { start_stream(provider.stream(&model, &request).await?).await }
        });
        let routed = routed.await?;
        let Routed { answer: started, api, served, attempt } = routed;
        let deployment = Some(served.deployment());
        prepared.notes.add_report(prepared.request.parameters(api, &served.model).report());
        let model = &prepared.chosen.model;
        let cache = place.as_ref().map(|_| CacheUse::Miss);
        let relay = Box::new(Relay {
            gateway: self.clone(),
            // A call with an `Idempotency-Key` continues without its client, so that a replay has the whole answer.
            stops_with_client: model.on_disconnect == OnDisconnect::Stop && caller.claim.is_none(),
            transcript: (caller.claim.is_some() || place.is_some() || caller.body.is_some()).then(Transcript::default),
            place,
            caller: caller.clone(),
            alias: prepared.chosen.alias.clone(),
            served,
            first_chunk_at: started.first.as_ref().map(|_| self.inner.clock.now()),
            head: AnswerHead {
                id: TransactionId::new(),
                created: self.inner.clock.now().as_seconds(),
                model: model.name.clone(),
            },
            answers: BTreeMap::new(),
            evaluation: prepared.evaluation,
            unfinished: u32::try_from(prepared.request.choices()).unwrap_or(u32::MAX),
            likely_input: prepared.likely_input,
            weight: 0,
            usage: None,
            attempt,
            items,
        });
        let report = CallReport {
            chosen: prepared.chosen,
            notes: prepared.notes,
            deployment,
            quota_left: slot.quota_left(),
            cost: None,
            cache,
        };
        Ok(Begun::Relayed { report, relay, slot, stream: started })
    }
}

/// Waits for the first chunk. A stream that ends before it counts as failed, so another deployment can be tried.
async fn start_stream(stream: ChunkStream) -> Result<StartedStream, ProviderFailure> {
    let mut rest = stream.fuse();
    let first = match tokio::time::timeout(FIRST_CHUNK_TIMEOUT, rest.next()).await {
        Ok(first) => Some(first.ok_or_else(ProviderFailure::stream_cut)??),
        Err(_) => None,
    };
    Ok(StartedStream { first, rest })
}

/// The chunk that has arrived, and those that follow it at once. A failure is the last of them.
async fn gather(
    first: Result<Chunk, ProviderFailure>,
    rest: &mut Fuse<ChunkStream>,
) -> Vec<Result<Chunk, ProviderFailure>> {
    let mut arrived = vec![first];
    while arrived.len() < MAX_CHUNKS {
        // The connection hands over one piece at a time, so it gets a turn before each.
        yield_now().await;
        let Some(Some(next)) = rest.next().now_or_never() else { break };
        arrived.push(next);
    }
    arrived
}

struct Relay {
    gateway: Gateway,
    caller: GatewayCaller,
    alias: Option<String>,
    served: Served,
    first_chunk_at: Option<Time>,
    head: AnswerHead,
    stops_with_client: bool,
    /// The number of choices without a `finish_reason` so far.
    unfinished: u32,
    likely_input: u64,
    weight: u64,
    usage: Option<Tokens>,
    attempt: Attempt,
    /// The evaluation of a chat with `guard: true`, and the texts of the choices for it.
    evaluation: Option<PendingEvaluation>,
    answers: BTreeMap<u32, String>,
    /// Where the answer is kept for equal requests.
    place: Option<CachePlace>,
    /// All chunks sent, to store for replays and for administrators. None if the answer is not stored.
    transcript: Option<Transcript>,
    items: mpsc::Sender<StreamItem>,
}

/// How a stream ended.
enum StreamEnd {
    Complete,
    Failed(ProviderFailure),
    /// The client disconnected, and the provider's stream was dropped.
    ClientLeft,
}

impl StreamEnd {
    fn failure(&self) -> Option<&ProviderFailure> {
        match self {
            Self::Failed(failure) => Some(failure),
            Self::Complete | Self::ClientLeft => None,
        }
    }
}

impl Relay {
    async fn run(mut self: Box<Self>, mut slot: LeaseSlot, started: StartedStream) {
        let end = self.forward(started).await;
        let usage_to_charge = self.usage_to_charge(&end);
        let tokens = usage_to_charge.as_ref().map(|(tokens, _)| tokens);
        std::mem::take(&mut self.attempt).end_stream(tokens, end.failure());
        match (usage_to_charge, end) {
            (Some(usage_to_charge), StreamEnd::Complete) => self.finish_complete(&mut slot, usage_to_charge).await,
            (usage_to_charge, end) => self.finish_incomplete(&mut slot, usage_to_charge, end).await,
        }
        slot.close_if_finished().await;
    }

    /// Ends a complete stream. The charge is written before the last item, so a complete answer is always charged.
    async fn finish_complete(&mut self, slot: &mut LeaseSlot, counted: (Tokens, UsageSource)) {
        let charge = self.compute_charge(slot, counted, None).await;
        let usage = Usage::of_charge(&charge);
        let (transcript, evaluation) = (self.transcript.take(), self.evaluate_later());
        let recorded = async {
            let Some(transcript) = transcript else { return slot.record(&charge).await };
            let answer = StreamedCompletion { head: self.head.clone(), chunks: transcript.into_list()?, usage };
            let recorded = self.gateway.record(slot, &self.caller, &charge, &answer);
            futures::join!(recorded, self.gateway.keep_answer(self.place.as_ref(), &answer)).0
        };
        let last = match futures::join!(recorded, evaluation).0 {
            Ok(()) => StreamItem::End(usage),
            Err(error) => StreamItem::Failed(error),
        };
        self.send(last).await;
    }

    /// Ends an incomplete stream. Delivered output is charged; without output, the slot is freed uncharged.
    async fn finish_incomplete(
        &mut self,
        slot: &mut LeaseSlot,
        usage_to_charge: Option<(Tokens, UsageSource)>,
        end: StreamEnd,
    ) {
        let error = match &end {
            StreamEnd::Complete => None,
            StreamEnd::Failed(failure) => Some(KeptError::from(failure)),
            StreamEnd::ClientLeft => Some(KeptError::client_disconnected()),
        };
        let code = error.as_ref().map(|error| error.code().to_owned());
        match usage_to_charge {
            None => {
                slot.put_back();
                let logged = slot.log_uncharged(self.usage((Tokens::default(), UsageSource::Counted), code)).await;
                self.keep_incomplete(&logged, error);
            }
            Some(counted) => {
                let charge = self.compute_charge(slot, counted, code).await;
                let evaluation = self.evaluate_later();
                match futures::join!(slot.record(&charge), evaluation).0 {
                    Ok(()) => self.keep_incomplete(&charge, error),
                    Err(error) => {
                        tracing::error!(?error, "a charge could not be written; the sweep closes its lease");
                    }
                }
            }
        }
        self.gateway.release(self.caller.claim.as_ref()).await;
        if let StreamEnd::Failed(failure) = end {
            tracing::warn!(
                provider = self.served.provider,
                model = self.head.model,
                code = failure.code,
                "a provider failed in the middle of a stream"
            );
            self.send(StreamItem::Failed(failure.into())).await;
        }
    }

    /// Keeps the bodies of an incomplete stream: what has arrived of the answer, and the error.
    fn keep_incomplete(&mut self, call: &Charge, error: Option<KeptError>) {
        let Some(body) = &self.caller.body else { return };
        let (transcript, model) = (self.transcript.take().unwrap_or_default(), self.head.model.clone());
        self.gateway.inner.bodies.keep(Some(body), call, move || {
            let choices = assemble_chunks(&transcript.into_list()?)?;
            KeptAnswer::ChatStream { model: &model, choices, error: error.as_ref() }.to_json()
        });
    }

    /// Sends the delivered texts to the guard, also if the client has disconnected.
    fn evaluate_later(&mut self) -> impl Future<Output = ()> + use<> {
        let (gateway, evaluation) = (self.gateway.clone(), self.evaluation.take());
        let answers = std::mem::take(&mut self.answers).into_values().collect();
        async move { gateway.evaluate_later(evaluation, answers).await }
    }

    /// What the call has used. `error` is the code of what ended it.
    fn usage(&self, counted: (Tokens, UsageSource), error: Option<String>) -> CallUsage {
        let usage = CallUsage::of_tokens(&self.caller.call, self.alias.as_deref(), self.served.clone(), counted);
        CallUsage { first_chunk_at: self.first_chunk_at, error, ..usage }
    }

    async fn compute_charge(&self, slot: &LeaseSlot, counted: (Tokens, UsageSource), error: Option<String>) -> Charge {
        let usage = self.usage(counted, error);
        // The client knows the charge by the id of its answer.
        Charge { id: self.head.id, ..self.gateway.compute_charge(slot, usage).await }
    }

    async fn forward(&mut self, StartedStream { first, mut rest }: StartedStream) -> StreamEnd {
        // The first chunk is sent alone and at once: clients measure the time until it arrives.
        let first = first.and_then(|first| self.add(first));
        if let Some(first) = first {
            self.send(StreamItem::Chunks(vec![first])).await;
        }
        let mut heartbeat = tokio::time::interval(HEARTBEAT);
        heartbeat.reset();
        loop {
            let arrived = tokio::select! {
                biased;
                () = self.items.closed(), if self.stops_with_client => return StreamEnd::ClientLeft,
                arrived = rest.next() => arrived,
                _ = heartbeat.tick() => {
                    self.send(StreamItem::Heartbeat).await;
                    continue;
                }
            };
            match arrived {
                Some(chunk) => {
                    self.first_chunk_at.get_or_insert_with(|| self.gateway.inner.clock.now());
                    if let Err(failure) = self.forward_chunks(gather(chunk, &mut rest).await).await {
                        return StreamEnd::Failed(failure);
                    }
                    heartbeat.reset();
                }
                // A stream that ends before every choice has a `finish_reason` was cut: the answer is incomplete.
                None if self.unfinished > 0 => return StreamEnd::Failed(ProviderFailure::stream_cut()),
                None => return StreamEnd::Complete,
            }
        }
    }

    /// Forwards the chunks before a failure, and returns the failure.
    async fn forward_chunks(&mut self, arrived: Vec<Result<Chunk, ProviderFailure>>) -> Result<(), ProviderFailure> {
        let mut chunks = Vec::with_capacity(arrived.len());
        let outcome = arrived.into_iter().try_for_each(|chunk| chunk.map(|chunk| chunks.extend(self.add(chunk))));
        if !chunks.is_empty() {
            self.send(StreamItem::Chunks(chunks)).await;
        }
        outcome
    }

    /// Adds a chunk to the counts, the texts and the transcript, and returns what the client gets of it.
    fn add(&mut self, chunk: Chunk) -> Option<AnswerChunk> {
        self.unfinished = self.unfinished.saturating_sub(chunk.finished);
        self.weight = self.weight.saturating_add(chunk.weight);
        // The provider's counts are cumulative, so the last one replaces those before it.
        self.usage = chunk.usage.or(self.usage);
        if self.evaluation.is_some() {
            chunk.add_texts(&mut self.answers);
        }
        if chunk.finished > 0 {
            self.attempt.add_finish_reasons(|| chunk.finish_reasons());
        }
        let chunk = AnswerChunk { choices: chunk.choices?, system_fingerprint: chunk.system_fingerprint };
        if let Some(transcript) = &mut self.transcript {
            transcript.add(&chunk);
        }
        Some(chunk)
    }

    /// Computes the tokens to charge and their source. Returns None when nothing was delivered.
    fn usage_to_charge(&self, end: &StreamEnd) -> Option<(Tokens, UsageSource)> {
        let is_complete = matches!(end, StreamEnd::Complete);
        match self.usage {
            Some(usage) if is_complete => Some((usage, UsageSource::Provider)),
            // Some providers report usage only at the beginning and the end, so the gateway's own count of the output
            // is used when it is higher.
            Some(usage) if usage.output > 0 || self.weight > 0 => {
                let output = usage.output.max(of_weight(self.weight));
                Some((Tokens { output, ..usage }, UsageSource::Cumulative))
            }
            _ if is_complete || self.weight > 0 => {
                let tokens = Tokens { input: self.likely_input, output: of_weight(self.weight), ..Tokens::default() };
                Some((tokens, UsageSource::Counted))
            }
            _ => None,
        }
    }

    /// Sends an item, and waits while the channel is full. `forward` detects a disconnected client, so the error is
    /// ignored here.
    async fn send(&self, item: StreamItem) {
        let _ = self.items.send(item).await;
    }
}
