//! Performs `http` nodes and the HTTP tools of agents: one call to another system, with SSRF protection, a credential, and
//! a limited response. The README of the engine describes what a node sends and what its value is.

pub mod errors;
mod request;
mod response;

use std::time::Duration;

use bytes::Bytes;
use domain::Result;
use domain::credential::Credential;
use domain::id::CredentialId;
use domain::time::Clock;
use engine::drive::{Effect, EffectError, EffectResult};
use engine::nodes::OUT;
use engine::nodes::http::HttpCall;
use engine::run::StepOutcome;
use http::{HeaderMap, Request, StatusCode, Uri};
use outbound::{Answer, Calls, OutboundError, RequestTimeouts, retry_after};
use platform::Context;

use crate::EffectOwner;
use crate::credentials::CallCredentials;
use crate::errors::permanent;
pub use request::{EvaluatedNode, build_request};

/// The maximum size of the request's body and of the response's body.
const MAX_BODY_BYTES: usize = 1024 * 1024;
/// The statuses after which another attempt may succeed.
pub const RETRIED_STATUSES: [u16; 7] = [408, 425, 429, 500, 502, 503, 504];

/// Performs `http` nodes.
pub struct HttpEffects {
    caller: Caller,
    credentials: CallCredentials,
}

impl HttpEffects {
    pub fn new(context: &Context, calls: Calls) -> Result<Self> {
        Ok(Self { caller: Caller::new(context, calls), credentials: CallCredentials::new(context)? })
    }

    /// Performs one attempt of an `http` node.
    pub async fn perform(&self, owner: &EffectOwner, effect: &Effect, call: &HttpCall) -> EffectResult {
        let HttpCall { request, tool_credential } = call;
        let opened = self.credentials.open(owner, request.credential_id, tool_credential.as_ref(), &request.url);
        let credential = opened.await?;
        let credential = credential.as_ref().map(|(id, credential)| (*id, credential));
        self.caller.call(effect, request, credential).await
    }
}

/// Makes the calls. It does not need the tables.
pub struct Caller {
    calls: Calls,
    clock: Clock,
}

/// A whole answer.
pub struct Received {
    /// The URL that answered.
    pub url: Uri,
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Caller {
    pub fn new(context: &Context, calls: Calls) -> Self {
        Self { calls, clock: context.clock.clone() }
    }

    async fn call(
        &self,
        effect: &Effect,
        node: &EvaluatedNode,
        credential: Option<(CredentialId, &Credential)>,
    ) -> EffectResult {
        let request = build_request(node, &effect.idempotency_key).map_err(permanent)?;
        let Received { status, headers, body, .. } = self.receive(effect, request, credential, MAX_BODY_BYTES).await?;
        if node.fail_on_status == Some(true) && status.as_u16() >= 400 {
            return Err(permanent(errors::error_status(status)));
        }
        let value = response::value(status, &headers, &body, node.response).map_err(permanent)?;
        Ok(StepOutcome::new(OUT, value))
    }

    /// Sends a request, and reads its answer. An answer after which another attempt may succeed is an error, unless this is the
    /// last attempt.
    pub async fn receive(
        &self,
        effect: &Effect,
        request: Request<Bytes>,
        credential: Option<(CredentialId, &Credential)>,
        max_bytes: usize,
    ) -> Result<Received, EffectError> {
        let timeouts = timeouts(effect.timeout);
        let answer =
            self.calls.send(request, credential, &timeouts).await.map_err(|error| errors::failed_call(&error))?;
        let Answer { url, status, headers, body } = answer;
        if !effect.is_last_attempt && RETRIED_STATUSES.contains(&status.as_u16()) {
            return Err(errors::temporary_status(status, retry_after(&headers, self.clock.now())));
        }
        let body = body.read_to_end(max_bytes).await;
        let body = body.map_err(|error: OutboundError| errors::failed_call(&error.into()))?;
        Ok(Received { url, status, headers, body })
    }
}

/// The driver ends the attempt at the node's timeout. Until then, the destination may be as slow as it likes.
fn timeouts(timeout: Duration) -> RequestTimeouts {
    RequestTimeouts { first_byte: timeout, idle: timeout, total: timeout }
}

#[cfg(test)]
mod tests;
