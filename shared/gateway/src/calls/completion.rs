//! Chat completions that are not streamed.

use super::preparation::Prepared;
use crate::answers::{AnswerHead, Completion, Usage};
use crate::attempt::Operation;
use crate::chat::ChatRequest;
use crate::leases::CallUsage;
use crate::routing::Routed;
use crate::{CacheUse, CallReport, Gateway, GatewayCaller, tokens};
use domain::Result;
use domain::usage::{Tokens, UsageSource};
use store::model_catalog::Chosen;

impl Gateway {
    /// Makes the call.
    pub async fn complete(&self, caller: GatewayCaller, mut request: ChatRequest) -> Result<(Completion, CallReport)> {
        let (gateway, claim) = (self.clone(), caller.claim.clone());
        let call = async move {
            let (mut chosen, mut fallbacks) = gateway.choose(&caller, &request).await?;
            loop {
                match gateway.run_completion(&caller, chosen, request).await {
                    Ok(answer) => return Ok(answer),
                    Err(failure) => (chosen, request) = fallbacks.next(failure)?,
                }
            }
        };
        self.run_to_completion(claim, Box::pin(call)).await
    }

    async fn run_completion(
        &self,
        caller: &GatewayCaller,
        chosen: Chosen,
        request: ChatRequest,
    ) -> Result<(Completion, CallReport)> {
        let mut prepared = self.prepare(caller, chosen, request).await?;
        let place = prepared.cache_place(caller);
        if let Some(completion) = self.find_cached(place.as_ref()).await {
            return self.reuse_answer(caller, prepared.chosen, prepared.notes, completion).await;
        }
        let mut slot = self.reserve(caller, &mut prepared).await?;
        let Prepared { chosen, request, mut notes, likely_input, evaluation, .. } = prepared;
        let routed = self.send_call(&mut slot, caller, &chosen, Operation::Chat, |provider, model| {
            let request = request.clone();
            async move { provider.chat(&model, &request).await }
        });
        let routed = routed.await?;
        let Routed { answer, api, served, mut attempt } = routed;
        let deployment = Some(served.deployment());
        notes.add_report(request.parameters(api, &served.model).report());
        let counted = match answer.usage {
            Some(usage) => (usage, UsageSource::Provider),
            None => {
                let output = tokens::of_weight(answer.weigh());
                (Tokens { input: likely_input, output, ..Tokens::default() }, UsageSource::Counted)
            }
        };
        attempt.add_finish_reasons(|| answer.finish_reasons());
        attempt.end(&counted.0);
        let answers = if evaluation.is_some() { answer.texts() } else { Vec::new() };
        let usage = CallUsage::of_tokens(&caller.call, chosen.alias.as_deref(), served, counted);
        let charge = self.compute_charge(&slot, usage.priced_by(&chosen.model)).await;
        let completion = Completion {
            head: AnswerHead {
                id: charge.id,
                created: self.inner.clock.now().as_seconds(),
                model: chosen.model.name.clone(),
            },
            choices: answer.choices,
            usage: Usage::of_charge(&charge),
            system_fingerprint: answer.system_fingerprint,
        };
        // The task is sent while the charge is written, so the response does not wait for one after the other.
        let (settled, (), ()) = futures::join!(
            self.settle(slot, caller, &charge, &completion),
            self.evaluate_later(evaluation, answers),
            self.keep_answer(place.as_ref(), &completion),
        );
        let quota_left = settled?;
        let (cost, cache) = (Some(charge.cost), place.map(|_| CacheUse::Miss));
        Ok((completion, CallReport { chosen, notes, deployment, quota_left, cost, cache }))
    }
}
