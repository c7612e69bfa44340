//! The access token of a user for a request, which is renewed before it expires.

use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderValue;
use domain::id::{McpServerId, UserId};
use domain::mcp_connection::McpTokens;
use domain::mcp_server::{McpAuth, McpServer};
use domain::time::{Clock, Time};
use domain::{Error, ProviderTrouble, Result};
use outbound::{CallError, sensitive};
use platform::telemetry::carry;
use store::mcp_connections::StoredConnection;
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use super::OauthUsers;
use super::grants::GrantError;

/// How long a request waits for a renewal by another process.
const PATIENCE: Duration = Duration::from_secs(20);
const PAUSE: Duration = Duration::from_millis(50);

/// A token for one request.
pub struct AccessToken {
    pub header: HeaderValue,
    /// Identifies the tokens, if the server refuses this one.
    pub version: Uuid,
}

/// The user has no connection, or one that cannot be renewed.
pub struct NotConnected;

/// Tokens to renew under a lock.
struct Renewal {
    server: McpServerId,
    user: UserId,
    tokens: McpTokens,
    /// Whether the client is the operator's, and not one that the gateway has registered.
    is_of_operator: bool,
    lock: Uuid,
}

/// What a request does with the stored tokens.
enum Use {
    AsTheyAre,
    Renewed,
    /// They cannot be used, and cannot be renewed.
    Never,
}

impl OauthUsers {
    /// The token of a user. `refused` are the tokens that the server has refused. `secret` is that of the operator's client.
    pub async fn access_token(
        self: &Arc<Self>,
        server: &McpServer,
        user: UserId,
        secret: Option<&str>,
        refused: Option<Uuid>,
        clock: &Clock,
    ) -> Result<std::result::Result<AccessToken, NotConnected>> {
        let began = Instant::now();
        loop {
            let now = clock.now();
            let Some(found) = self.connections.find(server, user, now).await? else { return Ok(Err(NotConnected)) };
            match choose(&found, refused, now) {
                Use::AsTheyAre => return Ok(Ok(token(&found.tokens, found.version)?)),
                Use::Never => return Ok(Err(NotConnected)),
                Use::Renewed => {}
            }
            if !found.is_locked()
                && let Some(lock) = self.connections.lock(server.id, user, found.version, now).await?
            {
                let mut tokens = found.tokens;
                let is_of_operator = is_of_operator(&tokens, server);
                if is_of_operator {
                    // The operator may have stored another secret.
                    tokens.client.secret = secret.map(str::to_owned);
                }
                let renewal = Renewal { server: server.id, user, tokens, is_of_operator, lock };
                // It goes on if the client disconnects, because the refresh token may be used up.
                let renewed = self.clone().renew(renewal, clock.clone());
                return tokio::spawn(carry(renewed)).await.map_err(Error::internal)?;
            }
            if began.elapsed() > PATIENCE {
                return Err(Error::busy("the renewal of a token by another process takes long"));
            }
            sleep(PAUSE).await;
        }
    }

    async fn renew(
        self: Arc<Self>,
        Renewal { server, user, tokens, is_of_operator, lock }: Renewal,
        clock: Clock,
    ) -> Result<std::result::Result<AccessToken, NotConnected>> {
        let refresh_token = tokens.refresh_token.as_deref().unwrap_or_default();
        match self.refresh(&tokens, refresh_token, clock.now()).await {
            Ok(renewed) => {
                let version = self.connections.renew(server, user, lock, &renewed).await?;
                Ok(Ok(token(&renewed, version)?))
            }
            Err(GrantError::Failed(error)) => {
                self.connections.unlock(server, user, lock).await?;
                Err(not_renewed(ProviderTrouble::Failed, &error, "try again later"))
            }
            Err(GrantError::ClientRefused(error)) if is_of_operator => {
                self.connections.unlock(server, user, lock).await?;
                Err(not_renewed(ProviderTrouble::Setup, &error, "ask the operator to renew the client"))
            }
            Err(refused) => {
                self.forget_refused_client(server, &tokens.client, &refused).await?;
                tracing::info!(error = %refused, "the tokens of a connection cannot be renewed; its user must connect again");
                self.connections.end(server, user, lock).await?;
                Ok(Err(NotConnected))
            }
        }
    }
}

fn not_renewed(trouble: ProviderTrouble, error: &CallError, advice: &str) -> Error {
    let message = format!("the token for the MCP server cannot be renewed now: {error}; {advice}");
    Error::Provider { trouble, code: "mcp_authorization_failed".to_owned(), message, param: None, retry_after_s: None }
}

fn choose(StoredConnection { tokens, version, .. }: &StoredConnection, refused: Option<Uuid>, now: Time) -> Use {
    let is_refused = refused == Some(*version);
    let is_before = |at: Option<Time>| at.is_none_or(|at| now < at);
    match &tokens.refresh_token {
        Some(_) if is_refused || !is_before(tokens.renew_at) => Use::Renewed,
        None if is_refused || !is_before(tokens.expires_at) => Use::Never,
        _ => Use::AsTheyAre,
    }
}

/// Whether the tokens are for the operator's client, at the issuer that the operator has set.
fn is_of_operator(tokens: &McpTokens, server: &McpServer) -> bool {
    let McpAuth::Oauth2User { client_id: Some(id), authorization_server: Some(issuer), .. } = &server.auth else {
        return false;
    };
    *id == tokens.client.id && issuer.trim_end_matches('/') == tokens.issuer.trim_end_matches('/')
}

fn token(tokens: &McpTokens, version: Uuid) -> Result<AccessToken> {
    let header = sensitive(&format!("Bearer {}", tokens.access_token));
    let header = header.ok_or_else(|| Error::internal("an access token is not a valid header"))?;
    Ok(AccessToken { header, version })
}
