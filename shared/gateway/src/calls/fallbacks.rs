//! Fallbacks: a chat that one model cannot answer is sent to the next one, as its client or the operator wants. The client's
//! `models` have precedence over the model's own list. Each model is a call of its own, with its limits, prices and deployments, and
//! the call that failed is in the log of calls.

use crate::chat::ChatRequest;
use crate::{Gateway, GatewayCaller};
use domain::{Error, ProviderTrouble, Result};

/// The models that are left for a chat.
pub(super) struct Fallbacks {
    names: std::vec::IntoIter<String>,
    /// The request as the client sent it. None if there is no fallback.
    request: Option<ChatRequest>,
}

impl Fallbacks {
    /// The request to the next model after a failure, or the failure if no other model may answer. A chat fails only before there
    /// is output.
    pub fn next(&mut self, failure: Error) -> Result<ChatRequest> {
        let next = self.request.as_ref().filter(|_| may_fall_back(&failure)).zip(self.names.next());
        let Some((request, name)) = next else { return Err(failure) };
        tracing::info!(model = request.model(), fallback = name, code = &*failure.code(), "a chat falls back");
        Ok(request.for_fallback(&name))
    }
}

impl Gateway {
    /// The models to try after the first one. A model of the client's list that the caller may not use is refused; one of the
    /// operator's list is left out.
    pub(super) async fn fallbacks(&self, caller: &GatewayCaller, request: &ChatRequest) -> Result<Fallbacks> {
        let mut names = request.fallbacks().to_vec();
        for name in &names {
            caller.find_model(self.models(), name).await?;
        }
        if names.is_empty() {
            let chosen = caller.find_model(self.models(), request.model()).await?;
            for name in &chosen.model.fallbacks {
                if caller.find_model(self.models(), name).await.is_ok() {
                    names.push(name.clone());
                }
            }
        }
        let request = (!names.is_empty()).then(|| request.clone());
        Ok(Fallbacks { names: names.into_iter(), request })
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
