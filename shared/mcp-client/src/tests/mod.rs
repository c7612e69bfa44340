//! Tests with a server on this machine, which is allowed by setting, as in `local`.

mod calls;
mod listings;

use std::time::Duration;

use domain::credential::Credential;
use domain::id::{CredentialId, OrgId};
use outbound::{Calls, Outbound};
use platform::config::{Config, OUTBOUND_ALLOWED_CIDRS};
use serde_json::{Map, Value, json};
use testing::mcp::{Manner, McpServer, tool};

use super::*;

const LIMIT: Duration = Duration::from_secs(60);
const KEY: &str = "key-1";

fn client() -> McpClient {
    let settings = [(OUTBOUND_ALLOWED_CIDRS.to_owned(), "127.0.0.1".to_owned())];
    McpClient::new(Calls::new(Outbound::from_config(&Config::from_iter(settings)).unwrap()))
}

fn bearer(token: &str) -> Credential {
    Credential::Bearer { token: token.to_owned() }
}

fn arguments() -> Map<String, Value> {
    Map::from_iter([("query".to_owned(), json!("shoes"))])
}

/// Calls a tool of a server without a credential.
async fn call(url: &str, tool: &str) -> Result<ToolResult, FailedCall> {
    call_with(url, tool, None).await
}

async fn call_with(url: &str, tool: &str, credential: Option<&Credential>) -> Result<ToolResult, FailedCall> {
    let credential = credential.map(|credential| (CredentialId::new(), credential));
    let endpoint = Endpoint { org: OrgId::new(), url, credential };
    client().call_tool(endpoint, &ToolCall { tool, arguments: &arguments(), idempotency_key: KEY }, LIMIT).await
}
