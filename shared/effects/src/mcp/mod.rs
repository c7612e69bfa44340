//! Performs `mcp` nodes and the MCP tools of agents: one call of a tool of a server of the Model Context Protocol. The
//! README of the engine describes the value and the errors.

mod errors;
mod pins;

use std::time::Duration;

use domain::credential::Credential;
use domain::id::{CredentialId, OrgId};
use domain::{Result, address};
use engine::drive::{Effect, EffectError, EffectResult};
use engine::nodes::OUT;
use engine::nodes::mcp::McpCall;
use engine::run::{StepError, StepOutcome};
use mcp_client::{Endpoint, McpClient, ToolCall, ToolResult};
use outbound::Calls;
use platform::Context;
use tokio::time::Instant;

use crate::EffectOwner;
use crate::credentials::CallCredentials;
use crate::errors::permanent;

pub use pins::AgentServer;
pub(crate) use pins::CheckedPins;

/// The maximum size of the arguments, as for the bodies of `http` nodes.
const MAX_ARGUMENTS_BYTES: usize = 1024 * 1024;
/// The listing after a failed call takes no longer.
const LISTING_LIMIT: Duration = Duration::from_secs(10);

pub struct McpEffects {
    caller: Caller,
    credentials: CallCredentials,
}

impl McpEffects {
    pub fn new(context: &Context, calls: Calls) -> Result<Self> {
        let caller = Caller { client: McpClient::new(calls) };
        Ok(Self { caller, credentials: CallCredentials::new(context)? })
    }

    /// Performs one attempt.
    pub async fn perform(&self, owner: &EffectOwner, effect: &Effect, call: &McpCall) -> EffectResult {
        let opened = self.credentials.open(owner, call.credential_id, call.tool_credential.as_ref(), &call.url);
        let credential = opened.await?;
        let credential = credential.as_ref().map(|(id, credential)| (*id, credential));
        self.caller.call(owner.account.org, effect, call, credential).await
    }
}

/// Makes the calls. It does not need the tables.
struct Caller {
    client: McpClient,
}

impl Caller {
    async fn call(
        &self,
        org: OrgId,
        effect: &Effect,
        call: &McpCall,
        credential: Option<(CredentialId, &Credential)>,
    ) -> EffectResult {
        let deadline = Instant::now() + effect.timeout;
        let url = call.url.trim();
        if let Some(problem) = address::problem(url) {
            return Err(permanent(StepError::new("invalid_url", format!("config.url: {}", problem.en))));
        }
        let McpCall { tool, arguments, .. } = call;
        if serde_json::to_vec(arguments).map_or(0, |json| json.len()) > MAX_ARGUMENTS_BYTES {
            let message =
                format!("config.arguments: the arguments are larger than {MAX_ARGUMENTS_BYTES} bytes; send less");
            return Err(permanent(StepError::new("request_too_large", message)));
        }
        let endpoint = Endpoint { org, url, credential };
        if let Some(hash) = &call.schema_hash {
            self.check_schema(endpoint, tool, hash, effect.timeout).await?;
        }
        let left = deadline.saturating_duration_since(Instant::now());
        let call = ToolCall { tool, arguments, idempotency_key: &effect.idempotency_key };
        let failed = match self.client.call_tool(endpoint, &call, left).await {
            Ok(result) if !result.is_error => return Ok(StepOutcome::new(OUT, result.into_value())),
            Ok(ToolResult { text, .. }) => permanent(errors::tool_error(&text)),
            Err(failed) => errors::failed_call(&failed),
        };
        // Servers report an unknown tool in different ways, so their list decides.
        let is_refusal = matches!(failed.error.code.as_str(), errors::TOOL_ERROR | errors::REFUSED);
        let left = deadline.saturating_duration_since(Instant::now()).min(LISTING_LIMIT);
        if is_refusal
            && let Ok(listing) = self.client.known_tools(endpoint, left / 2).await
            && listing.find(tool).is_none()
        {
            return Err(permanent(errors::unknown_tool(tool, &listing)));
        }
        Err(failed)
    }

    /// Refuses a tool that is not the one of this hash any more. A known list may be old, so the server is asked again before
    /// the step fails.
    async fn check_schema(
        &self,
        endpoint: Endpoint<'_>,
        tool: &str,
        hash: &str,
        limit: Duration,
    ) -> Result<(), EffectError> {
        let unlisted = |error| errors::failed_listing(&error);
        let is_same = |listing: &mcp_client::Listing| listing.find(tool).is_some_and(|tool| tool.schema_hash == hash);
        if is_same(&*self.client.known_tools(endpoint, limit / 3).await.map_err(unlisted)?) {
            return Ok(());
        }
        let listing = self.client.list_tools(endpoint, limit / 3).await.map_err(unlisted)?;
        match listing.find(tool) {
            Some(listed) if listed.schema_hash == hash => Ok(()),
            Some(_) => Err(permanent(errors::schema_changed(tool))),
            None => Err(permanent(errors::unknown_tool(tool, &listing))),
        }
    }
}

#[cfg(test)]
mod tests;
