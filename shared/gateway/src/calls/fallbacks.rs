//! Fallbacks: a chat that one model cannot answer is sent to the next one, as its client or the operator wants. The client's
//! `models` have precedence over the model's own list. Each model is a call of its own, with its limits, prices and deployments, and
//! the call that failed is in the log of calls.

use crate::chat::ChatRequest;
use crate::{Gateway, GatewayCaller};
use domain::{Error, ProviderTrouble, Result};

impl Gateway {
    /// Sends a chat to its model, and then to each fallback, until one answers. `send` fails only before there is output.
    pub(super) async fn with_fallbacks<T>(
        &self,
        caller: &GatewayCaller,
        request: ChatRequest,
        send: impl AsyncFn(ChatRequest) -> Result<T>,
    ) -> Result<T> {
        let fallbacks = self.fallbacks(caller, &request).await?;
        if fallbacks.is_empty() {
            return send(request).await;
        }
        let mut answer = send(request.clone()).await;
        for name in fallbacks {
            match &answer {
                Err(error) if may_fall_back(error) => {
                    tracing::info!(
                        model = request.model(),
                        fallback = name,
                        code = &*error.code(),
                        "a chat falls back"
                    );
                }
                _ => break,
            }
            answer = send(request.for_fallback(&name)).await;
        }
        answer
    }

    /// The names of the models to try after the first one. A model of the client's list that the caller may not use is refused;
    /// one of the operator's list is left out.
    async fn fallbacks(&self, caller: &GatewayCaller, request: &ChatRequest) -> Result<Vec<String>> {
        for name in request.fallbacks() {
            caller.find_model(self.models(), name).await?;
        }
        if !request.fallbacks().is_empty() {
            return Ok(request.fallbacks().to_vec());
        }
        let chosen = caller.find_model(self.models(), request.model()).await?;
        let mut usable = Vec::new();
        for name in &chosen.model.fallbacks {
            if caller.find_model(self.models(), name).await.is_ok() {
                usable.push(name.clone());
            }
        }
        Ok(usable)
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
