//! Fallbacks: a chat that one model cannot answer is sent to the next one, as its client or the operator wants. The client's
//! `models` have precedence over the model's own list. Each model is a call of its own, with its limits, prices and deployments, and
//! the call that failed is in the log of calls.

use crate::chat::ChatRequest;
use crate::{Gateway, GatewayCaller};
use domain::{Error, ProviderTrouble, Result};
use store::model_catalog::Chosen;

/// The models that are left for a chat.
pub(super) struct Fallbacks {
    models: std::vec::IntoIter<Chosen>,
    /// The request as the client sent it. None if there is no fallback.
    request: Option<ChatRequest>,
}

impl Fallbacks {
    /// The next model and the request to it after a failure, or the failure if no other model may answer. A chat fails only before
    /// there is output.
    pub fn next(&mut self, failure: Error) -> Result<(Chosen, ChatRequest)> {
        let next = self.request.as_ref().filter(|_| may_fall_back(&failure)).zip(self.models.next());
        let Some((request, chosen)) = next else { return Err(failure) };
        let code = failure.code();
        tracing::info!(model = request.model(), fallback = chosen.model.name, code = &*code, "a chat falls back");
        let request = request.for_fallback(&chosen.model.name);
        Ok((chosen, request))
    }
}

impl Gateway {
    /// The model that a chat names, and those to try after it. A model of the client's list that the caller may not use is
    /// refused; one of the operator's list is left out.
    pub(super) async fn choose(&self, caller: &GatewayCaller, request: &ChatRequest) -> Result<(Chosen, Fallbacks)> {
        let chosen = caller.find_model(self.models(), request.model()).await?;
        let mut models = Vec::new();
        for name in request.fallbacks() {
            models.push(caller.find_model(self.models(), name).await?);
        }
        if models.is_empty() {
            for name in &chosen.model.fallbacks {
                models.extend(caller.find_model(self.models(), name).await);
            }
        }
        let request = (!models.is_empty()).then(|| request.clone());
        Ok((chosen, Fallbacks { models: models.into_iter(), request }))
    }
}

/// Whether another model may answer. A request that is wrong for every model is not sent again.
fn may_fall_back(error: &Error) -> bool {
    match error {
        Error::Provider { trouble: ProviderTrouble::Request, code, .. } => {
            ["context_length_exceeded", "content_filter", "content_policy_violation"].contains(&&**code)
        }
        Error::Provider { .. } => true,
        _ => false,
    }
}
