//! The gateway as a client of an authorization server: the operator's, or one that it registers itself (RFC 7591), once for a
//! server.

use axum::http::Request;
use axum::http::header::CONTENT_TYPE;
use domain::Result;
use domain::id::McpServerId;
use domain::mcp_server::{McpAuth, McpServer};
use domain::oauth::OauthClient;
use oauth::{GrantError, send};
use serde::Deserialize;
use serde_json::json;

use super::OauthUsers;
use super::discovery::{IssuerMetadata, NotDiscovered};

const MAX_TEXT_BYTES: usize = 4_096;

#[derive(Deserialize)]
struct Registered {
    client_id: String,
    #[serde(default)]
    client_secret: Option<String>,
    #[serde(default)]
    token_endpoint_auth_method: Option<String>,
}

impl OauthUsers {
    /// `secret` is the one that the operator has stored for the server.
    pub async fn client(
        &self,
        server: &McpServer,
        secret: Option<&str>,
        metadata: &IssuerMetadata,
        redirect_uri: &str,
    ) -> Result<Result<OauthClient, NotDiscovered>> {
        if let McpAuth::Oauth2User { client_id: Some(id), .. } = &server.auth {
            let posts_secret = preferred_method(metadata) == "client_secret_post";
            return Ok(Ok(OauthClient { id: id.clone(), secret: secret.map(str::to_owned), posts_secret }));
        }
        let _registering = self.registering.lock().await;
        let found = self.connections.find_registration(server.id, &metadata.issuer, redirect_uri).await?;
        if let Some(found) = found {
            return Ok(Ok(found));
        }
        let registered = match self.register(metadata, redirect_uri).await {
            Ok(registered) => registered,
            Err(problem) => return Ok(Err(problem)),
        };
        let stored = self.connections.put_registration(server.id, &metadata.issuer, redirect_uri, registered);
        Ok(Ok(stored.await?))
    }

    /// Deletes the registration of a client that the authorization server does not know any more, so that the next connection
    /// registers another one.
    pub async fn forget_refused_client(
        &self,
        server: McpServerId,
        client: &OauthClient,
        error: &GrantError,
    ) -> Result<()> {
        match error {
            GrantError::ClientRefused(_) => self.connections.forget_registration(server, &client.id).await,
            GrantError::Refused(_) | GrantError::Failed(_) => Ok(()),
        }
    }

    async fn register(&self, metadata: &IssuerMetadata, redirect_uri: &str) -> Result<OauthClient, NotDiscovered> {
        let Some(endpoint) = &metadata.registration_endpoint else {
            let problem = "the authorization server registers no clients; the operator stores the client_id of one";
            return Err(NotDiscovered(problem.to_owned()));
        };
        let supported = metadata.token_endpoint_auth_methods_supported.as_deref().unwrap_or_default();
        let is_public = supported.iter().any(|method| method == "none");
        let method = if is_public { "none" } else { preferred_method(metadata) };
        let wish = json!({
            "client_name": "Atelier",
            "redirect_uris": [redirect_uri],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": method,
        });
        let request = Request::post(endpoint).header(CONTENT_TYPE, "application/json");
        let (status, body) = send(&self.outbound, request, wish.to_string().into()).await?;
        let registered: Option<Registered> = status.is_success().then(|| serde_json::from_slice(&body).ok()).flatten();
        let is_short = |text: &String| !text.is_empty() && text.len() <= MAX_TEXT_BYTES;
        let registered = registered.filter(|registered| {
            is_short(&registered.client_id) && registered.client_secret.as_ref().is_none_or(is_short)
        });
        let Some(Registered { client_id, client_secret, token_endpoint_auth_method }) = registered else {
            let problem =
                format!("the authorization server refused to register the gateway, with status {}", status.as_u16());
            return Err(NotDiscovered(problem));
        };
        let method = token_endpoint_auth_method.unwrap_or_else(|| method.to_owned());
        let secret = client_secret.filter(|_| method != "none");
        Ok(OauthClient { id: client_id, secret, posts_secret: method == "client_secret_post" })
    }
}

/// How a confidential client sends its secret: in the header, which is the default of RFC 8414, unless only the body is supported.
fn preferred_method(metadata: &IssuerMetadata) -> &'static str {
    match &metadata.token_endpoint_auth_methods_supported {
        Some(methods) if !methods.iter().any(|method| method == "client_secret_basic") => "client_secret_post",
        _ => "client_secret_basic",
    }
}
