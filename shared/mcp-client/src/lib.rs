//! A client of servers of the Model Context Protocol (MCP), over Streamable HTTP: it lists tools and calls them.
//!
//! Requests go through `outbound::Calls`, so the SSRF guard, credentials and timeouts are those of all calls. Everything is
//! done within a call of this crate: no task or session is left, because a Lambda stops between its requests. What a server
//! sends is data of a foreign system. It is bounded and checked, and its texts are never instructions to the platform.

mod answer;
mod error;
mod exchange;
mod limits;
mod listing;
mod result;
mod server;
mod session;
mod stream;
mod tool;

use std::sync::Arc;
use std::time::Duration;

use domain::credential::Credential;
use domain::id::{CredentialId, OrgId};
use outbound::{Calls, Redirects};
use platform::cache::Cache;
use serde_json::{Map, Value};
use tokio::time::{Instant, timeout_at};

pub use error::{CallOutcome, FailedCall, McpError};
pub use limits::MAX_ANSWER_BYTES;
pub use listing::{Listing, RefusedTool};
pub use result::ToolResult;
pub use server::ServerInfo;
pub use tool::{ListedTool, is_tool_name};

use limits::{CLOSING_TIME, LISTING_LIFETIME, MAX_CACHED_LISTINGS};
use session::Session;

/// A server, and what authorizes the calls of it.
#[derive(Clone, Copy)]
pub struct Endpoint<'a> {
    /// The organization that calls. Organizations share no listings, also of servers without credentials.
    pub org: OrgId,
    pub url: &'a str,
    pub credential: Option<(CredentialId, &'a Credential)>,
}

/// A call of a tool.
pub struct ToolCall<'a> {
    pub tool: &'a str,
    pub arguments: &'a Map<String, Value>,
    /// The same for a repeated call. Few servers recognize it.
    pub idempotency_key: &'a str,
}

/// A credential that is replaced has a new id.
type ListingKey = (OrgId, String, Option<CredentialId>);

/// The client. A process needs only one, because it holds connections, tokens and listings.
#[derive(Clone)]
pub struct McpClient {
    calls: Calls,
    listings: Arc<Cache<ListingKey, Arc<Listing>>>,
}

impl McpClient {
    /// A client that never follows a server to another origin, which must learn neither tokens nor arguments.
    pub fn new(calls: Calls) -> Self {
        let listings = Arc::new(Cache::new(LISTING_LIFETIME, MAX_CACHED_LISTINGS));
        Self { calls: calls.with_redirects(Redirects::WithinOrigin), listings }
    }

    /// The tools of a server as it lists them now. Later calls of [`Self::known_tools`] in this process see them, too.
    pub async fn list_tools(&self, endpoint: Endpoint<'_>, limit: Duration) -> Result<Arc<Listing>, McpError> {
        let listing = Arc::new(self.list(endpoint, limit).await?);
        self.listings.put(&key(endpoint), listing.clone());
        Ok(listing)
    }

    /// The tools of a server, as it listed them within the last half minute or lists them now.
    pub async fn known_tools(&self, endpoint: Endpoint<'_>, limit: Duration) -> Result<Arc<Listing>, McpError> {
        self.listings.get_or_load(&key(endpoint), async || Ok(Arc::new(self.list(endpoint, limit).await?))).await
    }

    async fn list(&self, endpoint: Endpoint<'_>, limit: Duration) -> Result<Listing, McpError> {
        let mut session = Session::open(&self.calls, endpoint, Instant::now() + limit).await?;
        let listing = session.list_tools().await;
        session.close().await;
        listing
    }

    /// Calls a tool. If the server does not answer within the limit, it is asked to cancel the call.
    pub async fn call_tool(
        &self,
        endpoint: Endpoint<'_>,
        call: &ToolCall<'_>,
        limit: Duration,
    ) -> Result<ToolResult, FailedCall> {
        let closing = CLOSING_TIME.min(limit / 10);
        let deadline = Instant::now() + limit - closing;
        let open = async || Session::open(&self.calls, endpoint, deadline).await.map_err(FailedCall::not_made);
        let mut session = open().await?;
        let mut result = session.call_tool(call).await;
        // The server has forgotten the session, and did nothing else.
        if let Err(FailedCall { error: McpError::SessionEnded, .. }) = result {
            session = open().await?;
            result = session.call_tool(call).await;
        }
        // The caller waits for nothing that is only polite, longer than its limit.
        let _ = timeout_at(deadline + closing, async {
            if matches!(&result, Err(failed) if failed.outcome == CallOutcome::Unknown) {
                session.cancel().await;
            }
            session.close().await;
        })
        .await;
        result
    }
}

fn key(endpoint: Endpoint<'_>) -> ListingKey {
    (endpoint.org, endpoint.url.to_owned(), endpoint.credential.map(|(id, _)| id))
}

#[cfg(test)]
mod tests;
