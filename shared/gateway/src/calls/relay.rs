//! The relay of a streamed chat: it reads the provider's chunks, sends them to the client, and charges the call.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::stream::Fuse;
use futures::{FutureExt, StreamExt};
use serde_json::value::RawValue;
use tokio::sync::mpsc;
use tokio::task::yield_now;

use super::bodies::{KeptAnswer, KeptError, assemble_chunks};
use super::cache::CachePlace;
use super::guard::PendingEvaluation;
use super::pieces::StreamEnd;
use crate::answers::{AnswerChunk, AnswerHead, StreamedCompletion, Usage};
use crate::attempt::Attempt;
use crate::chat::Chunk;
use crate::failure::ProviderFailure;
use crate::leases::{CallUsage, LeaseSlot};
use crate::providers::ChunkStream;
use crate::routing::Served;
use crate::tokens::of_weight;
use crate::{Gateway, GatewayCaller};
use domain::ledger::Charge;
use domain::time::Time;
use domain::usage::{Tokens, UsageSource};
use domain::{Error, Result};

/// The most chunks that are sent to the client in one write.
const MAX_CHUNKS: usize = 16;
const HEARTBEAT: Duration = Duration::from_secs(15);

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

/// The chunks that were sent, as the items of a list in JSON.
#[derive(Default)]
pub(super) struct Transcript(Vec<u8>);

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

/// A stream that the provider has accepted, with its first chunk if it arrived in time.
pub(super) struct StartedStream {
    pub first: Option<Chunk>,
    pub rest: Fuse<ChunkStream>,
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

pub(super) struct Relay {
    pub gateway: Gateway,
    pub caller: GatewayCaller,
    pub alias: Option<String>,
    pub served: Served,
    pub first_chunk_at: Option<Time>,
    pub head: AnswerHead,
    pub stops_with_client: bool,
    /// The number of choices without a `finish_reason` so far.
    pub unfinished: u32,
    pub likely_input: u64,
    pub weight: u64,
    pub usage: Option<Tokens>,
    pub attempt: Attempt,
    /// The evaluation of a chat with `guard: true`, and the texts of the choices for it.
    pub evaluation: Option<PendingEvaluation>,
    pub answers: BTreeMap<u32, String>,
    /// Where the answer is kept for equal requests.
    pub place: Option<CachePlace>,
    /// All chunks sent, to store for replays and for administrators. None if the answer is not stored.
    pub transcript: Option<Transcript>,
    pub items: mpsc::Sender<StreamItem>,
}

impl Relay {
    pub async fn run(mut self: Box<Self>, mut slot: LeaseSlot, started: StartedStream) {
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
        let (transcript, model) = (&mut self.transcript, &self.head.model);
        self.gateway.inner.bodies.keep(self.caller.body.as_ref(), call, || {
            let (transcript, model) = (transcript.take().unwrap_or_default(), model.clone());
            move || {
                let choices = assemble_chunks(&transcript.into_list()?)?;
                KeptAnswer::ChatStream { model: &model, choices, error: error.as_ref() }.to_json()
            }
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
