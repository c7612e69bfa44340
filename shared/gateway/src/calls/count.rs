//! The count of the input tokens of a chat. It is free, and reserves nothing.

use super::preparation::{apply_defaults, terms};
use crate::attempt::Operation;
use crate::chat::ChatRequest;
use crate::routing::Routed;
use crate::{Gateway, GatewayCaller};
use domain::Result;

impl Gateway {
    pub async fn count_tokens(&self, caller: &GatewayCaller, mut request: ChatRequest) -> Result<u64> {
        let chosen = caller.find_model(self.models(), request.model()).await?;
        apply_defaults(&mut request, &chosen.model);
        let output = chosen.model.reserved_output_tokens();
        request.set_terms(terms(&chosen.model, request.greatest_input(), output));
        let request = std::sync::Arc::new(request);
        let routed = self.inner.routing.send_call(&chosen, Operation::CountTokens, |provider, model| {
            let request = request.clone();
            async move { provider.count_tokens(&model, &request).await }
        });
        let Routed { answer, attempt, .. } = routed.await?;
        attempt.end_stream(None, None);
        Ok(answer)
    }
}
