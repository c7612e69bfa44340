//! A chat completion, answered whole.

use serde::Serialize;
use serde_json::value::RawValue;
use tracing::Instrument;

use super::prepare::Prepared;
use super::request::ChatRequest;
use super::usage::UsageOut;
use crate::domain::time::Time;
use crate::domain::usage::{Tokens, UsageSource};
use crate::gateway::leases::{Outcome, Slot};
use crate::gateway::{Asker, Gateway, Told, tokens};
use crate::{Error, Result};

/// OpenAI's object. From a provider that speaks its language, `choices` are what came, byte for byte.
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
    /// The answer as JSON. It is brought to its end, and charged, even if nobody waits for it any more.
    pub async fn complete(&self, asker: Asker, request: ChatRequest, body_hash: String) -> Result<(Vec<u8>, Told)> {
        let prepared = self.prepare(&asker, request).await?;
        let slot = self.take(&asker, &prepared.chosen, prepared.need).await?;
        let gateway = self.clone();
        let call = async move { gateway.complete_in(slot, asker, prepared, body_hash).await };
        let task = tokio::spawn(call.instrument(tracing::Span::current()));
        task.await.map_err(Error::internal)?
    }

    async fn complete_in(
        &self,
        mut slot: Slot,
        asker: Asker,
        prepared: Prepared,
        body_hash: String,
    ) -> Result<(Vec<u8>, Told)> {
        let Prepared { chosen, request, passthrough, defaults, likely_input, .. } = prepared;
        let asked = self.inner.routing.ask(&chosen, |provider, model| {
            let request = request.clone();
            async move { provider.chat(&model, &request).await }
        });
        let routed = match asked.await {
            Ok(routed) => routed,
            Err(error) => {
                slot.put_back();
                return Err(error);
            }
        };
        let answer = routed.answer;
        let (counted, source) = match answer.usage {
            Some(usage) => (usage, UsageSource::Provider),
            None => {
                let output = tokens::likely(tokens::count(answer.choices.get()));
                (Tokens { input: likely_input, output, ..Tokens::default() }, UsageSource::Counted)
            }
        };
        let outcome = Outcome {
            tokens: counted,
            source,
            images: 0,
            provider: routed.provider,
            request_id: asker.request_id.clone(),
            body_hash: Some(body_hash),
        };
        let charge = self.charge(&mut slot, &asker, outcome).await?;
        let standing = slot.standing();
        slot.close_when_over().await;

        let id = format!("chatcmpl-{}", charge.id.uuid().simple());
        let completion = Completion {
            id: &id,
            object: "chat.completion",
            created: Time::now().as_seconds(),
            model: &chosen.model.name,
            choices: &answer.choices,
            usage: UsageOut::new(&counted, charge.cost),
            system_fingerprint: answer.system_fingerprint,
        };
        let body = serde_json::to_vec(&completion).map_err(Error::internal)?;
        let told = Told { chosen, passthrough, defaults, standing, cost: Some(charge.cost) };
        Ok((body, told))
    }
}
