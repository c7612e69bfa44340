//! Chat completions that are not streamed.

use serde::Serialize;
use serde_json::value::RawValue;

use super::preparation::Prepared;
use super::usage::UsageOut;
use crate::chat::ChatRequest;
use crate::leases::CallUsage;
use crate::routing::Routed;
use crate::{CallReport, Gateway, GatewayCaller, tokens};
use domain::usage::{Tokens, UsageSource};
use domain::{Error, Result};

/// The response body, as OpenAI defines it. `choices` from a provider with OpenAI's API keep their bytes.
#[derive(Serialize)]
struct Completion<'a> {
    id: &'a str,
    object: &'static str,
    created: i64,
    model: &'a str,
    choices: &'a RawValue,
    usage: UsageOut,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_fingerprint: Option<String>,
}

impl Gateway {
    /// Makes the call, and returns the response body as JSON.
    pub async fn complete(&self, caller: GatewayCaller, request: ChatRequest) -> Result<(Vec<u8>, CallReport)> {
        let (gateway, claim) = (self.clone(), caller.claim.clone());
        let call = async move { gateway.run_completion(&caller, request).await };
        self.run_to_completion(claim, Box::pin(call)).await
    }

    async fn run_completion(&self, caller: &GatewayCaller, request: ChatRequest) -> Result<(Vec<u8>, CallReport)> {
        let mut prepared = self.prepare(caller, request).await?;
        let mut slot = self.reserve(caller, &mut prepared).await?;
        let Prepared { chosen, request, mut notes, likely_input, evaluation, .. } = prepared;
        let routed = self.send_call(&mut slot, &chosen, |provider, model| {
            let request = request.clone();
            async move { provider.chat(&model, &request).await }
        });
        let Routed { answer, provider, kind, model } = routed.await?;
        notes.parameters = request.parameters(kind, &model).report();
        let counted = match answer.usage {
            Some(usage) => (usage, UsageSource::Provider),
            None => {
                let output = tokens::likely(tokens::count(answer.choices.get()));
                (Tokens { input: likely_input, output, ..Tokens::default() }, UsageSource::Counted)
            }
        };
        let answers = if evaluation.is_some() { answer.texts() } else { Vec::new() };
        let charge = self.compute_charge(&slot, CallUsage::of_tokens(&caller.call, provider, counted)).await;
        let completion = Completion {
            id: &format!("chatcmpl-{}", charge.id.uuid().simple()),
            object: "chat.completion",
            created: self.inner.clock.now().as_seconds(),
            model: &chosen.model.name,
            choices: &answer.choices,
            usage: UsageOut::new(&charge.tokens, charge.cost),
            system_fingerprint: answer.system_fingerprint,
        };
        let body = serde_json::to_vec(&completion).map_err(Error::internal)?;
        // The task is sent while the charge is written, so the response does not wait for one after the other.
        let (settled, ()) =
            futures::join!(self.settle(slot, caller, &charge, &body), self.evaluate_later(evaluation, answers));
        let quota_left = settled?;
        Ok((body, CallReport { chosen, notes, quota_left, cost: Some(charge.cost) }))
    }
}
