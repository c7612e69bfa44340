//! OAuth 2 with the consent of users: the tokens of a connected account, and the client that renews them.

mod services;

use std::fmt;

use serde::{Deserialize, Serialize};

use super::time::Time;

pub use services::{OauthProvider, OauthServices};

/// The tokens of an account.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OauthTokens {
    pub access_token: String,
    pub refresh_token: Option<String>,
    /// When the access token expires. `None` if the provider does not say it.
    pub expires_at: Option<Time>,
    /// From when on the access token is renewed, so that it does not expire on the way.
    pub renew_at: Option<Time>,
    /// The granted scope, if the provider names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The name of the account at the provider, if the provider names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
}

/// The platform as a client of an authorization server.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OauthClient {
    pub id: String,
    /// `None` for a public client.
    pub secret: Option<String>,
    /// Whether the secret is sent in the body, and not in the header.
    pub posts_secret: bool,
}

impl AsRef<Self> for OauthTokens {
    fn as_ref(&self) -> &Self {
        self
    }
}

// Tokens and secrets never reach a log.
impl fmt::Debug for OauthTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OauthTokens(until {:?})", self.expires_at)
    }
}

impl fmt::Debug for OauthClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OauthClient({})", self.id)
    }
}
