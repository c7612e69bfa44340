//! The account of a user at an MCP server, which the gateway uses with OAuth.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::oauth::{OauthClient, OauthTokens};

/// The tokens of a connection, and what their renewal needs. They are for one server: `server_url`.
#[derive(Clone, Serialize, Deserialize)]
pub struct McpTokens {
    pub server_url: String,
    #[serde(flatten)]
    pub tokens: OauthTokens,
    pub issuer: String,
    pub token_endpoint: String,
    pub revocation_endpoint: Option<String>,
    /// The resource that the tokens are for (RFC 8707).
    pub resource: String,
    pub client: OauthClient,
}

impl AsRef<OauthTokens> for McpTokens {
    fn as_ref(&self) -> &OauthTokens {
        &self.tokens
    }
}

// Tokens and secrets never reach a log.
impl fmt::Debug for McpTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "McpTokens({})", self.server_url)
    }
}
