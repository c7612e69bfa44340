//! Performs `http` nodes and the HTTP tools of agents: one call to another system, with SSRF protection, a credential, and
//! a limited response. The README of the engine describes what a node sends and what its value is.

pub mod errors;
mod request;
mod response;

use std::time::Duration;

use domain::address;
use domain::credential::Credential;
use domain::id::{CredentialId, Id};
use domain::time::Clock;
use domain::{Error, Result};
use engine::agent::ToolCredentialKey;
use engine::drive::{Effect, EffectError, EffectResult};
use engine::nodes::OUT;
use engine::nodes::http::HttpCall;
use engine::run::StepOutcome;
use outbound::{Answer, Calls, OutboundError, RequestTimeouts, retry_after};
use platform::Context;
use store::Credentials;
use store::agents::ToolCredentials;

use crate::EffectOwner;
use request::{EvaluatedNode, build_request};

/// The maximum size of the request's body and of the response's body.
const MAX_BODY_BYTES: usize = 1024 * 1024;
/// The statuses after which another attempt may succeed.
pub const RETRIED_STATUSES: [u16; 7] = [408, 425, 429, 500, 502, 503, 504];

/// Performs `http` nodes.
pub struct HttpEffects {
    caller: Caller,
    credentials: Credentials,
    tool_credentials: ToolCredentials,
}

impl HttpEffects {
    pub fn new(context: &Context, calls: Calls) -> Result<Self> {
        let caller = Caller { calls, clock: context.clock.clone() };
        let (credentials, tool_credentials) = (Credentials::new(context)?, ToolCredentials::new(context)?);
        Ok(Self { caller, credentials, tool_credentials })
    }

    /// Performs one attempt of an `http` node.
    pub async fn perform(&self, owner: &EffectOwner, effect: &Effect, call: &HttpCall) -> EffectResult {
        let credential = self.open_credential(owner, call).await?;
        let credential = credential.as_ref().map(|(id, credential)| (*id, credential));
        self.caller.call(effect, &call.request, credential).await
    }

    /// The credential that the call sends: one of the workflow, or that of an agent's tool.
    async fn open_credential(
        &self,
        owner: &EffectOwner,
        call: &HttpCall,
    ) -> Result<Option<(CredentialId, Credential)>, EffectError> {
        if let Some(ToolCredentialKey { agent_id, tool }) = &call.tool_credential {
            let origin = address::origin(call.request.url.trim());
            let opened = self.tool_credentials.open(owner.account, *agent_id, tool, origin).await;
            let remedy = || format!("the tool {tool} has no credential for this host any more; set another one");
            return opened.map(Some).map_err(|error| errors::closed_credential(&error, remedy));
        }
        let Some(id) = call.request.credential_id.map(CredentialId::from) else { return Ok(None) };
        let opened = match owner.workflow {
            Some(workflow) => self.credentials.open(owner.account, workflow, id).await,
            None => Err(Error::NotFound { kind: CredentialId::KIND }),
        };
        let remedy = || "config.credentialId: the credential was deleted; choose another one".to_owned();
        opened.map(|credential| Some((id, credential))).map_err(|error| errors::closed_credential(&error, remedy))
    }
}

/// Makes the calls. It does not need the tables.
struct Caller {
    calls: Calls,
    clock: Clock,
}

impl Caller {
    async fn call(
        &self,
        effect: &Effect,
        node: &EvaluatedNode,
        credential: Option<(CredentialId, &Credential)>,
    ) -> EffectResult {
        let request = build_request(node, &effect.idempotency_key).map_err(errors::permanent)?;
        let timeouts = timeouts(effect.timeout);
        let answer =
            self.calls.send(request, credential, &timeouts).await.map_err(|error| errors::failed_call(&error))?;
        let Answer { status, headers, body } = answer;
        if !effect.is_last_attempt && RETRIED_STATUSES.contains(&status.as_u16()) {
            return Err(errors::temporary_status(status, retry_after(&headers, self.clock.now())));
        }
        let body = body.read_to_end(MAX_BODY_BYTES).await;
        let body = body.map_err(|error: OutboundError| errors::failed_call(&error.into()))?;
        let value = response::value(status, &headers, &body, node.response).map_err(errors::permanent)?;
        Ok(StepOutcome::new(OUT, value))
    }
}

/// The driver ends the attempt at the node's timeout. Until then, the destination may be as slow as it likes.
fn timeouts(timeout: Duration) -> RequestTimeouts {
    RequestTimeouts { first_byte: timeout, idle: timeout, total: timeout }
}

#[cfg(test)]
mod tests;
