//! OAuth for the users of a server: each connects their own account, and the gateway keeps their tokens.
//!
//! What the server and its authorization server say is only data: every URL passes the SSRF guard, answers are bounded, redirects
//! are not followed, and the issuer must be the one that the connection began with.

pub mod callback;
mod client;
mod connection;
mod discovery;
mod pending;
mod requests;

use std::sync::Arc;

use domain::Result;
use outbound::Outbound;
use platform::Context;
use platform::cache::Cache;
use platform::secrets::Secrets;
use store::McpConnections;

use discovery::{DISCOVERED_FOR, Discovered, ServerKey};

pub use connection::{AccessToken, NotConnected};

/// What the flows share. A process creates one.
pub struct OauthUsers {
    pub connections: McpConnections,
    outbound: Outbound,
    /// Seals what browsers carry between the gateway and an authorization server.
    secrets: Secrets,
    discovered: Cache<ServerKey, Arc<Discovered>>,
    /// Held while the gateway registers itself, so that a process registers once.
    registering: tokio::sync::Mutex<()>,
}

impl OauthUsers {
    pub fn new(context: &Context, outbound: Outbound) -> Result<Self> {
        Ok(Self {
            connections: McpConnections::new(context)?,
            outbound,
            secrets: Secrets::of_mcp(context)?,
            discovered: Cache::new(DISCOVERED_FOR, 1_000),
            registering: tokio::sync::Mutex::default(),
        })
    }
}

/// Where authorization servers send browsers to.
pub fn redirect_uri(base_url: &str) -> String {
    format!("{base_url}/gateway/v1/mcp/callback")
}
