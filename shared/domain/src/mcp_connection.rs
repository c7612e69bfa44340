//! The account of a user at an MCP server, which the gateway uses with OAuth.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::time::Time;

/// The tokens of a connection, and what their renewal needs. They are for one server: `server_url`.
#[derive(Clone, Serialize, Deserialize)]
pub struct McpTokens {
    pub server_url: String,
    pub access_token: String,
    pub refresh_token: Option<String>,
    /// When the access token expires. `None` if the issuer does not say it.
    pub expires_at: Option<Time>,
    /// From when on the access token is renewed, so that it does not expire on the way.
    pub renew_at: Option<Time>,
    pub issuer: String,
    pub token_endpoint: String,
    pub revocation_endpoint: Option<String>,
    /// The resource that the tokens are for (RFC 8707).
    pub resource: String,
    pub client: ClientRegistration,
}

/// The gateway as a client of an authorization server.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientRegistration {
    pub id: String,
    /// `None` for a public client.
    pub secret: Option<String>,
    /// Whether the secret is sent in the body, and not in the header.
    pub posts_secret: bool,
}

// Tokens and secrets never reach a log.
impl fmt::Debug for McpTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "McpTokens({})", self.server_url)
    }
}

impl fmt::Debug for ClientRegistration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ClientRegistration({})", self.id)
    }
}
