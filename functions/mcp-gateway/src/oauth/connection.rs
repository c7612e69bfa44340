//! The access token of a user for a request, which is renewed before it expires.

use std::sync::Arc;

use axum::http::HeaderValue;
use domain::id::UserId;
use domain::mcp_connection::McpTokens;
use domain::mcp_server::{McpAuth, McpServer};
use domain::oauth::OauthClient;
use domain::time::Clock;
use domain::{Error, ProviderTrouble, Result};
use oauth::{CurrentTokens, GrantError, Renewal, TokenEndpoint, renew_if_due, revoke};
use outbound::{CallError, sensitive};
use uuid::Uuid;

use super::OauthUsers;

/// A token for one request.
pub struct AccessToken {
    pub header: HeaderValue,
    /// Identifies the tokens, if the server refuses this one.
    pub version: Uuid,
}

/// The user has no connection, or one that cannot be renewed.
pub struct NotConnected;

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
        let slot = self.connections.slot(server.id, user);
        // The tokens are for the server at the URL at which the user has connected.
        let fits = |tokens: &McpTokens| tokens.server_url == server.url;
        let (this, of_server, clock_of_renewal) = (self.clone(), server.clone(), clock.clone());
        let secret = secret.map(str::to_owned);
        let renew = async move |tokens| this.renew(&of_server, tokens, secret, &clock_of_renewal).await;
        let current: Option<CurrentTokens<McpTokens>> = renew_if_due(&slot, refused, clock, fits, renew).await?;
        let Some(CurrentTokens { tokens, version }) = current else { return Ok(Err(NotConnected)) };
        let header = sensitive(&format!("Bearer {}", tokens.tokens.access_token));
        let header = header.ok_or_else(|| Error::internal("an access token is not a valid header"))?;
        Ok(Ok(AccessToken { header, version }))
    }

    async fn renew(
        &self,
        server: &McpServer,
        mut tokens: McpTokens,
        secret: Option<String>,
        clock: &Clock,
    ) -> Result<Renewal<McpTokens, Error>> {
        let is_of_operator = is_of_operator(&tokens, server);
        if is_of_operator {
            // The operator may have stored another secret.
            tokens.client.secret = secret;
        }
        let endpoint = self.endpoint(&tokens.token_endpoint, &tokens.client, &tokens.resource);
        Ok(match endpoint.refresh(&tokens.tokens, clock.now()).await {
            Ok(renewed) => Renewal::Renewed(McpTokens { tokens: renewed, ..tokens }),
            Err(GrantError::Failed(error)) => {
                Renewal::Kept(not_renewed(ProviderTrouble::Failed, &error, "try again later"))
            }
            Err(GrantError::ClientRefused(error)) if is_of_operator => {
                Renewal::Kept(not_renewed(ProviderTrouble::Setup, &error, "ask the operator to renew the client"))
            }
            Err(refused) => {
                self.forget_refused_client(server.id, &tokens.client, &refused).await?;
                tracing::info!(error = %refused, "the tokens of a connection cannot be renewed; its user must connect again");
                Renewal::Ended
            }
        })
    }

    /// Revokes the tokens, if the authorization server offers it.
    pub async fn revoke(&self, McpTokens { tokens, client, revocation_endpoint, .. }: &McpTokens) {
        if let Some(url) = revocation_endpoint {
            revoke(&self.outbound, url, client, tokens).await;
        }
    }

    pub(super) fn endpoint<'a>(
        &'a self,
        url: &'a str,
        client: &'a OauthClient,
        resource: &'a str,
    ) -> TokenEndpoint<'a> {
        TokenEndpoint { outbound: &self.outbound, url, client, resource: Some(resource) }
    }
}

fn not_renewed(trouble: ProviderTrouble, error: &CallError, advice: &str) -> Error {
    let message = format!("the token for the MCP server cannot be renewed now: {error}; {advice}");
    Error::Provider { trouble, code: "mcp_authorization_failed".to_owned(), message, param: None, retry_after_s: None }
}

/// Whether the tokens are for the operator's client, at the issuer that the operator has set.
fn is_of_operator(tokens: &McpTokens, server: &McpServer) -> bool {
    let McpAuth::Oauth2User { client_id: Some(id), authorization_server: Some(issuer), .. } = &server.auth else {
        return false;
    };
    *id == tokens.client.id && issuer.trim_end_matches('/') == tokens.issuer.trim_end_matches('/')
}
