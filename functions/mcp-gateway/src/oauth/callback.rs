//! The beginning and the end of a connection: the URL for the browser, and the answer that the browser brings back.

use domain::identity::User;
use domain::mcp_connection::McpTokens;
use domain::mcp_server::{McpAuth, McpServer};
use domain::oauth::OauthClient;
use domain::time::Time;
use domain::{Error, Result};
use form_urlencoded::Serializer;
use oauth::{BrowserAnswer, Pkce};

use super::discovery::{Discovered, NotDiscovered};
use super::pending::PendingConnection;
use super::{OauthUsers, redirect_uri};

/// Why a connection cannot begin. The text is for operators and users.
#[derive(Debug)]
pub struct CannotConnect(pub String);

/// Where a browser begins a connection.
pub struct Beginning {
    pub authorize_url: String,
    pub until: Time,
}

/// Why a connection was not made.
#[derive(Debug)]
pub enum CallbackError {
    /// The state is not one of ours, too old, used, or for a server that has changed.
    Unknown,
    /// The answer names another issuer than the one that was asked.
    OtherIssuer,
    /// The user or the authorization server declined, with this code.
    Denied(String),
    /// The authorization server did not exchange the code, or was not reached.
    NoTokens,
    Failed(Error),
}

impl From<Error> for CallbackError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl OauthUsers {
    /// Begins the connection of a user. Nothing is stored for it.
    pub async fn begin(
        &self,
        server: &McpServer,
        secret: Option<&str>,
        user: &User,
        base_url: &str,
        now: Time,
    ) -> Result<std::result::Result<Beginning, CannotConnect>> {
        let redirect_uri = redirect_uri(base_url);
        let (discovered, client) = match self.prepare(server, secret, &redirect_uri).await? {
            Ok(prepared) => prepared,
            Err(NotDiscovered(problem)) => return Ok(Err(CannotConnect(problem))),
        };
        let issuer = &discovered.metadata.issuer;
        let pending = PendingConnection::new(server.id, &server.url, user, issuer, &client.id, now);
        let state = pending.seal(&self.secrets).await?;
        let scopes = match &server.auth {
            McpAuth::Oauth2User { scopes, .. } if !scopes.is_empty() => scopes,
            _ => &discovered.scopes,
        };
        let mut query = Serializer::new(String::new());
        query
            .append_pair("response_type", "code")
            .append_pair("client_id", &client.id)
            .append_pair("redirect_uri", &redirect_uri)
            .append_pair("state", &state)
            .append_pair("code_challenge", &Pkce::challenge(&pending.verifier))
            .append_pair("code_challenge_method", "S256")
            .append_pair("resource", &discovered.resource);
        if !scopes.is_empty() {
            query.append_pair("scope", &scopes.join(" "));
        }
        let endpoint = &discovered.metadata.authorization_endpoint;
        let separator = if endpoint.contains('?') { '&' } else { '?' };
        let authorize_url = format!("{endpoint}{separator}{}", query.finish());
        Ok(Ok(Beginning { authorize_url, until: pending.until }))
    }

    async fn prepare(
        &self,
        server: &McpServer,
        secret: Option<&str>,
        redirect_uri: &str,
    ) -> Result<std::result::Result<(std::sync::Arc<Discovered>, OauthClient), NotDiscovered>> {
        let McpAuth::Oauth2User { authorization_server, .. } = &server.auth else {
            return Ok(Err(NotDiscovered("the users of this MCP server connect no accounts".to_owned())));
        };
        let discovered = match self.discover(server, authorization_server.as_deref()).await {
            Ok(discovered) => discovered,
            Err(problem) => return Ok(Err(problem)),
        };
        let client = self.client(server, secret, &discovered.metadata, redirect_uri).await?;
        Ok(client.map(|client| (discovered, client)))
    }

    /// Reads the state of an answer. It still counts.
    pub async fn read_pending(&self, answer: &BrowserAnswer, now: Time) -> Option<PendingConnection> {
        PendingConnection::open(answer.state.as_deref().unwrap_or_default(), &self.secrets, now).await
    }

    /// Reads the state of an answer, and marks it as used.
    pub async fn take_pending(
        &self,
        answer: &BrowserAnswer,
        now: Time,
    ) -> std::result::Result<PendingConnection, CallbackError> {
        let pending = self.read_pending(answer, now).await.ok_or(CallbackError::Unknown)?;
        match self.connections.use_state(&pending.nonce, pending.until).await? {
            true => Ok(pending),
            false => Err(CallbackError::Unknown),
        }
    }

    /// Exchanges the code of an answer, and stores the connection.
    pub async fn finish(
        &self,
        server: &McpServer,
        secret: Option<&str>,
        pending: &PendingConnection,
        answer: BrowserAnswer,
        base_url: &str,
        now: Time,
    ) -> std::result::Result<(), CallbackError> {
        let redirect_uri = redirect_uri(base_url);
        let prepared = self.prepare(server, secret, &redirect_uri).await?;
        let (discovered, client) = prepared.map_err(|_| CallbackError::NoTokens)?;
        let metadata = &discovered.metadata;
        let is_same =
            metadata.issuer == pending.issuer && client.id == pending.client_id && server.url == pending.server_url;
        if !is_same {
            return Err(CallbackError::Unknown);
        }
        // A code of another issuer must not reach this token endpoint (mix-up attack).
        let must_name = metadata.authorization_response_iss_parameter_supported;
        if answer.iss.as_ref().map_or(must_name, |iss| *iss != metadata.issuer) {
            return Err(CallbackError::OtherIssuer);
        }
        let code = match (answer.code, answer.error) {
            (Some(code), None) => code,
            (_, error) => return Err(CallbackError::Denied(error.unwrap_or_default())),
        };
        let endpoint = self.endpoint(&metadata.token_endpoint, &client, &discovered.resource);
        let tokens = match endpoint.exchange(&code, &pending.verifier, &redirect_uri, now).await {
            Ok(tokens) => tokens,
            Err(error) => {
                tracing::warn!(%error, "the code of a connection was not exchanged");
                self.forget_refused_client(server.id, &client, &error).await?;
                return Err(CallbackError::NoTokens);
            }
        };
        let tokens = McpTokens {
            server_url: server.url.clone(),
            tokens,
            issuer: metadata.issuer.clone(),
            token_endpoint: metadata.token_endpoint.clone(),
            revocation_endpoint: metadata.revocation_endpoint.clone(),
            resource: discovered.resource.clone(),
            client: client.clone(),
        };
        Ok(self.connections.put(server.id, pending.user, &tokens, now).await?)
    }
}
