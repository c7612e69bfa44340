//! A connection that its user has begun, and that the authorization server has not answered yet. The browser carries it, sealed, as
//! the `state`: it belongs to one user and one server, is valid for ten minutes, and counts once.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::id::{McpServerId, UserId};
use domain::identity::User;
use domain::session::random_text;
use domain::time::Time;
use domain::{Error, Result};
use oauth::Pkce;
use platform::secrets::{Sealed, Secrets};
use serde::{Deserialize, Serialize};

/// How long a user may take at the authorization server.
pub const VALID: Duration = Duration::from_secs(10 * 60);
/// The associated data of the sealed state.
const PLACE: &str = "connect";
const MAX_BYTES: usize = 8_192;

#[derive(Serialize, Deserialize)]
pub struct PendingConnection {
    pub nonce: String,
    pub server: McpServerId,
    /// Tokens are for the server at this URL, even if the operator changes it meanwhile.
    pub server_url: String,
    pub user: UserId,
    /// How the page on which the browser confirms names the user.
    pub user_name: String,
    pub issuer: String,
    pub client_id: String,
    pub verifier: String,
    pub until: Time,
}

impl PendingConnection {
    pub fn new(server: McpServerId, server_url: &str, user: &User, issuer: &str, client_id: &str, now: Time) -> Self {
        let (server_url, issuer, client_id) = (server_url.to_owned(), issuer.to_owned(), client_id.to_owned());
        Self {
            nonce: random_text().to_string(),
            server,
            server_url,
            user: user.id,
            user_name: user.email.clone().unwrap_or_else(|| user.name.clone()),
            issuer,
            client_id,
            verifier: Pkce::generate().verifier,
            until: now.plus(VALID),
        }
    }

    pub async fn seal(&self, secrets: &Secrets) -> Result<String> {
        let text = serde_json::to_vec(self).map_err(Error::internal)?;
        let sealed = secrets.seal(PLACE, &text).await?;
        Ok(URL_SAFE_NO_PAD.encode(serde_json::to_vec(&sealed).map_err(Error::internal)?))
    }

    /// Reads a state. None if it is not one of ours, or too old.
    pub async fn open(state: &str, secrets: &Secrets, now: Time) -> Option<Self> {
        if state.len() > MAX_BYTES {
            return None;
        }
        let sealed: Sealed = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(state).ok()?).ok()?;
        let text = secrets.open(PLACE, &sealed).await;
        let text = text.inspect_err(|error| tracing::warn!(%error, "the state of a connection cannot be read")).ok()?;
        let pending: Self = serde_json::from_slice(&text).ok()?;
        (now < pending.until).then_some(pending)
    }
}
