//! Calls that transcribe or translate audio.

use std::sync::Arc;

use super::usage::Used;
use crate::answers::{Transcription, Usage};
use crate::attempt::Operation;
use crate::audio::transcription::{Transcript, TranscriptionRequest};
use crate::{CallReport, Gateway, GatewayCaller};
use domain::catalog::Purpose;
use domain::usage::{Quantities, UsageSource};
use domain::{Error, Result};

impl Gateway {
    /// Makes the call.
    pub async fn transcribe(
        &self,
        caller: GatewayCaller,
        request: TranscriptionRequest,
    ) -> Result<(Transcription, CallReport)> {
        let (gateway, claim) = (self.clone(), caller.claim.clone());
        let call = async move { gateway.run_transcription(&caller, Arc::new(request)).await };
        self.run_to_completion(claim, Box::pin(call)).await
    }

    async fn run_transcription(
        &self,
        caller: &GatewayCaller,
        request: Arc<TranscriptionRequest>,
    ) -> Result<(Transcription, CallReport)> {
        let chosen = caller.find_model(self.models(), request.model()).await?;
        if !chosen.model.does(Purpose::Transcription) {
            let problem = "this model does not transcribe audio; choose one from \
                           GET /gateway/v1/models?capabilities=transcription";
            return Err(Error::invalid_body("model", problem));
        }
        let need = request.greatest_use(&chosen.model);
        let sent = self.send_input(caller, &chosen, Operation::Transcribe, need, |provider, model| {
            let request = request.clone();
            async move {
                let Transcript { body, tokens, audio_ms } = provider.transcribe(&model, &request).await?;
                let (likely_ms, counted) = request.length().likely_ms();
                let is_reported = audio_ms.is_some() || tokens.is_some();
                let quantities = Quantities { audio_ms: audio_ms.unwrap_or(likely_ms), ..Quantities::default() };
                let source = if is_reported { UsageSource::Provider } else { counted };
                Ok((body, Used { tokens: tokens.unwrap_or_default(), source, quantities }))
            }
        });
        let (body, call) = sent.await?;
        let transcription = Transcription {
            format: request.format(),
            body,
            audio_ms: call.charge.audio_ms,
            usage: Usage::of_charge(&call.charge),
        };
        let parameters = request.parameters().report();
        let report = self.settle_input(caller, chosen, call, parameters, &transcription).await?;
        Ok((transcription, report))
    }
}
