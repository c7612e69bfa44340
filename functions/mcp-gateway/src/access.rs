//! Which registered server a request means, and what its caller may use of it.

use auth::ApiCaller;
use domain::id::Id;
use domain::mcp_server::{AllowedTools, McpServer};
use domain::name::McpServerName;
use domain::{Error, Result};
use store::mcp_servers::StoredMcpServer;

use crate::Stores;

/// A server that the caller may use.
pub struct OpenDoor {
    pub stored: StoredMcpServer,
    pub allowed: AllowedTools,
}

impl OpenDoor {
    /// Finds the server in the caller's organization. It is read in this request, so a change by the operator acts at once.
    pub async fn find(stores: &Stores, caller: &ApiCaller, name: &McpServerName) -> Result<Self> {
        let found = stores.servers.find(caller.caller.org, &name.0).await?;
        found.and_then(|stored| Self::for_caller(stored, caller)).ok_or(Error::NotFound { kind: McpServerName::KIND })
    }

    /// `None` if the caller may use nothing of the server, which then does not exist for them.
    pub fn for_caller(stored: StoredMcpServer, caller: &ApiCaller) -> Option<Self> {
        let allowed = stored.server.allowed_tools(&caller.caller.plan.id, Some(caller.key.id));
        (stored.server.enabled && !allowed.is_empty()).then_some(Self { stored, allowed })
    }

    pub fn server(&self) -> &McpServer {
        &self.stored.server
    }
}
