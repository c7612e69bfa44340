//! Streamed chat completions.
//!
//! A task reads the provider's stream and sends its items into a bounded channel, which the consumer reads. A slow consumer
//! therefore slows the provider (backpressure), and the task survives a client that disconnects.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::BoxStream;
use platform::telemetry::carry;
use tokio::sync::{mpsc, oneshot};
use tracing::Instrument;

use super::pieces::channel;
use super::relay::{Relay, StartedStream, StreamItem, Transcript};
use crate::answers::{AnswerChunk, AnswerHead, StreamedCompletion};
use crate::attempt::Operation;
use crate::chat::ChatRequest;
use crate::failure::ProviderFailure;
use crate::leases::LeaseSlot;
use crate::providers::ChunkStream;
use crate::routing::Routed;
use crate::{CacheUse, CallReport, Gateway, GatewayCaller};
use domain::catalog::OnDisconnect;
use domain::id::TransactionId;
use domain::{Error, Result};
use store::model_catalog::Chosen;

/// How long to wait for the first chunk. A failure within this time can be retried at another deployment; after it, the
/// response begins without a chunk.
const FIRST_CHUNK_TIMEOUT: Duration = Duration::from_secs(15);

/// An answer that arrives in pieces.
pub struct ChatStream {
    pub head: AnswerHead,
    pub items: BoxStream<'static, StreamItem>,
}

impl StreamedCompletion {
    /// The answer as a stream, for a replay.
    pub fn into_stream(self) -> Result<ChatStream> {
        let chunks: Vec<AnswerChunk> = serde_json::from_str(self.chunks.get()).map_err(Error::internal)?;
        let items = [StreamItem::Chunks(chunks), StreamItem::End(self.usage)];
        Ok(ChatStream { head: self.head, items: futures::stream::iter(items).boxed() })
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

impl Gateway {
    /// Starts a streamed completion, and returns when the provider has begun to answer. An earlier failure is returned
    /// as an error. A later failure is the last item of the stream.
    pub async fn stream(&self, caller: GatewayCaller, request: ChatRequest) -> Result<(ChatStream, CallReport)> {
        let (sender, items) = channel();
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
        Ok((ChatStream { head, items }, report))
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
