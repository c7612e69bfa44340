//! Calls that speak a text.
//!
//! The audio is sent to the client as it arrives. A task reads it from the provider into a bounded channel. The charge is written
//! before the stream ends. The characters are known from the start, so the cost is, too.

use std::sync::Arc;

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::BoxStream;
use platform::telemetry::carry;
use tokio::sync::mpsc;
use tracing::Instrument;

use super::pieces::{StreamEnd, channel};
use super::usage::{Used, count_input};
use crate::answers::Speech;
use crate::attempt::{Attempt, Operation};
use crate::audio::speech::{AudioPieces, SpeechAnswer, SpeechRequest};
use crate::leases::{CallUsage, LeaseSlot};
use crate::routing::{Routed, Served};
use crate::{CallReport, Gateway, GatewayCaller, ParameterNotes};
use domain::call_facts::CLIENT_DISCONNECTED;
use domain::catalog::Purpose;
use domain::guard::{GuardMessage, GuardRole};
use domain::time::Time;
use domain::usage::Quantities;
use domain::{Error, Result};

/// Speech that arrives in pieces.
pub struct SpeechStream {
    pub content_type: String,
    /// After the last piece, the charge is written. An error is the last item.
    pub audio: BoxStream<'static, Result<Bytes>>,
}

impl Gateway {
    /// Starts a call, and returns when the audio has begun to arrive.
    pub async fn speak(&self, caller: GatewayCaller, request: SpeechRequest) -> Result<(SpeechStream, CallReport)> {
        let (gateway, claim) = (self.clone(), caller.claim.clone());
        let call = async move { gateway.begin_speech(caller, Arc::new(request)).await };
        self.run_to_completion(claim, Box::pin(call)).await
    }

    async fn begin_speech(
        &self,
        mut caller: GatewayCaller,
        request: Arc<SpeechRequest>,
    ) -> Result<(SpeechStream, CallReport)> {
        caller.call.is_streamed = true;
        let chosen = caller.find_model(self.models(), request.model()).await?;
        if !chosen.model.does(Purpose::Speech) {
            let problem = "this model does not speak; choose one from GET /gateway/v1/models?capabilities=speech";
            return Err(Error::invalid_body("model", problem));
        }
        let texts = [request.instructions(), request.input()].into_iter().filter(|text| !text.is_empty());
        let texts = texts.map(|text| GuardMessage { role: GuardRole::User, content: text.to_owned() });
        Box::pin(self.check_input(&caller, texts.collect())).await?;
        let need = request.greatest_use(&chosen.model);
        let mut slot = self.take_slot(&caller.payer, &chosen, need, &caller.call).await?;
        let routed = self.send_call(&mut slot, &caller, &chosen, Operation::Speak, |provider, model| {
            let request = request.clone();
            async move { provider.speak(&model, &request).await }
        });
        let Routed { answer: SpeechAnswer { content_type, audio }, served, attempt, .. } = routed.await?;
        let (tokens, source) = count_input(None, request.greatest_input());
        let quantities = Quantities { characters: request.characters(), ..Quantities::default() };
        let (sender, audio_out) = channel();
        let notes = ParameterNotes { parameters: request.parameters().report(), ..ParameterNotes::default() };
        let (deployment, cost) = (Some(served.deployment()), Some(slot.cost_of(&tokens, &quantities)));
        let relay = SpeechRelay {
            gateway: self.clone(),
            kept: caller.claim.is_some().then(Vec::new),
            caller,
            alias: chosen.alias.clone(),
            served,
            attempt,
            used: Used { tokens, source, quantities },
            first_at: self.inner.clock.now(),
            content_type: content_type.clone(),
            sender,
        };
        let report = CallReport { chosen, notes, deployment, quota_left: slot.quota_left(), cost, cache: None };
        // It goes on if the client disconnects, and charges the call.
        tokio::spawn(carry(relay.run(slot, audio).instrument(tracing::Span::current())));
        Ok((SpeechStream { content_type, audio: audio_out }, report))
    }
}

struct SpeechRelay {
    gateway: Gateway,
    caller: GatewayCaller,
    alias: Option<String>,
    served: Served,
    attempt: Attempt,
    used: Used,
    first_at: Time,
    content_type: String,
    /// All audio, to store for replays. None if the answer is not stored.
    kept: Option<Vec<u8>>,
    sender: mpsc::Sender<Result<Bytes>>,
}

impl SpeechRelay {
    async fn run(mut self, mut slot: LeaseSlot, audio: AudioPieces) {
        let end = self.forward(audio).await;
        let tokens = end.failure().is_none().then_some(&self.used.tokens);
        std::mem::take(&mut self.attempt).end_stream(tokens, end.failure());
        match end {
            StreamEnd::Complete => {
                if let Err(error) = self.charge(&mut slot, None).await {
                    self.fail(error).await;
                }
            }
            StreamEnd::ClientLeft => {
                // The provider charges the whole text, however much of the audio is read.
                if let Err(error) = self.charge(&mut slot, Some(CLIENT_DISCONNECTED.to_owned())).await {
                    tracing::error!(?error, "a charge could not be written; the sweep closes its lease");
                }
            }
            StreamEnd::Failed(failure) => {
                slot.put_back();
                let logged = slot.log_uncharged(self.usage(Some(failure.code.clone()))).await;
                let error = failure.into();
                self.gateway.keep_failure(self.caller.body.as_ref(), &logged, &error);
                self.fail(error).await;
            }
        }
        slot.close_if_finished().await;
    }

    async fn forward(&mut self, mut audio: AudioPieces) -> StreamEnd {
        while let Some(piece) = audio.next().await {
            let piece = match piece {
                Ok(piece) => piece,
                Err(failure) => return StreamEnd::Failed(failure),
            };
            if let Some(kept) = &mut self.kept {
                kept.extend_from_slice(&piece);
            }
            // A call with an `Idempotency-Key` goes on without its client, so that a replay has all of it.
            if self.sender.send(Ok(piece)).await.is_err() && self.kept.is_none() {
                return StreamEnd::ClientLeft;
            }
        }
        StreamEnd::Complete
    }

    /// Writes the charge, and the audio for replays. `error` is the code of what ended the call.
    async fn charge(&mut self, slot: &mut LeaseSlot, error: Option<String>) -> Result<()> {
        let charge = self.gateway.compute_charge(slot, self.usage(error)).await;
        let answer =
            Speech { content_type: self.content_type.clone(), audio: self.kept.take().unwrap_or_default().into() };
        self.gateway.record(slot, &self.caller, &charge, &answer).await
    }

    fn usage(&self, error: Option<String>) -> CallUsage {
        let usage = self.used.of_call(&self.caller.call, self.alias.as_deref(), self.served.clone());
        CallUsage { first_chunk_at: Some(self.first_at), error, ..usage }
    }

    /// Ends the audio with an error, and lets the client use its `Idempotency-Key` again.
    async fn fail(&self, error: Error) {
        self.gateway.release(self.caller.claim.as_ref()).await;
        // The client may have disconnected.
        let _ = self.sender.send(Err(error)).await;
    }
}
