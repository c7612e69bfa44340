//! The token endpoint: the exchange of a code, the renewal of a token, and its revocation (RFC 7009).

use std::time::Duration;

use axum::http::Request;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use domain::mcp_connection::{ClientRegistration, McpTokens};
use domain::time::Time;
use form_urlencoded::{Serializer, byte_serialize};
use outbound::oauth2::{Grant, basic, read_grant};
use outbound::{CallError, OutboundError};

use super::OauthUsers;
use super::requests::send;

/// A token is renewed this long before it expires, or a tenth of a shorter lifetime.
const RENEWAL_MARGIN: Duration = Duration::from_secs(60);

/// Why there are no tokens.
#[derive(Debug, thiserror::Error)]
pub enum GrantError {
    /// The authorization server refused the code or the refresh token. A retry cannot succeed.
    #[error(transparent)]
    Refused(CallError),
    /// It does not know the gateway's client, or its secret.
    #[error(transparent)]
    ClientRefused(CallError),
    /// It was not reached, or failed.
    #[error(transparent)]
    Failed(CallError),
}

impl From<CallError> for GrantError {
    fn from(error: CallError) -> Self {
        let CallError::TokenRefused { status, reason } = &error else { return Self::Failed(error) };
        match (status, reason.as_deref()) {
            // The last one is GitHub's.
            (_, Some("invalid_client" | "unauthorized_client" | "incorrect_client_credentials")) | (401, None) => {
                Self::ClientRefused(error)
            }
            (_, Some("temporarily_unavailable" | "server_error" | "slow_down")) => Self::Failed(error),
            (200 | 401 | 403, Some(_)) | (400, _) => Self::Refused(error),
            _ => Self::Failed(error),
        }
    }
}

impl OauthUsers {
    /// Exchanges a code. `tokens` has everything but the tokens.
    pub async fn exchange(
        &self,
        tokens: McpTokens,
        code: &str,
        verifier: &str,
        redirect_uri: &str,
        now: Time,
    ) -> Result<McpTokens, GrantError> {
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", redirect_uri),
            ("code_verifier", verifier),
            ("resource", &tokens.resource),
        ];
        let grant = self.request_grant(&tokens, &form).await?;
        Ok(granted(&tokens, grant, None, now))
    }

    /// Renews the tokens with a refresh token.
    pub async fn refresh(&self, tokens: &McpTokens, refresh_token: &str, now: Time) -> Result<McpTokens, GrantError> {
        let form = [("grant_type", "refresh_token"), ("refresh_token", refresh_token), ("resource", &tokens.resource)];
        let grant = self.request_grant(tokens, &form).await?;
        Ok(granted(tokens, grant, Some(refresh_token), now))
    }

    async fn request_grant(&self, tokens: &McpTokens, form: &[(&str, &str)]) -> Result<Grant, GrantError> {
        let failed = |error: OutboundError| GrantError::Failed(error.into());
        let (status, body) = self.post_form(&tokens.token_endpoint, &tokens.client, form).await.map_err(failed)?;
        Ok(read_grant(status, &body)?)
    }

    /// Revokes the tokens, if the authorization server offers it. A failure keeps nobody from disconnecting.
    pub async fn revoke(&self, tokens: &McpTokens) {
        let Some(endpoint) = &tokens.revocation_endpoint else { return };
        let (token, kind) = match &tokens.refresh_token {
            Some(token) => (token, "refresh_token"),
            None => (&tokens.access_token, "access_token"),
        };
        match self.post_form(endpoint, &tokens.client, &[("token", token), ("token_type_hint", kind)]).await {
            Ok((status, _)) if status.is_success() => {}
            Ok((status, _)) => tracing::warn!(status = status.as_u16(), "the tokens of a connection were not revoked"),
            Err(error) => tracing::warn!(%error, "the tokens of a connection were not revoked"),
        }
    }

    async fn post_form(
        &self,
        endpoint: &str,
        client: &ClientRegistration,
        fields: &[(&str, &str)],
    ) -> Result<(axum::http::StatusCode, bytes::Bytes), OutboundError> {
        let request = Request::post(endpoint).header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        // Servers of the official SDK for Python need the id in the form even if the header has it.
        let fields = fields.iter().copied().chain([("client_id", &*client.id)]);
        let (request, form) = match &client.secret {
            Some(secret) if !client.posts_secret => {
                let encoded = |part: &str| byte_serialize(part.as_bytes()).collect::<String>();
                let header = basic(&encoded(&client.id), &encoded(secret)).map_err(|_| OutboundError::NotHttp)?;
                (request.header(AUTHORIZATION, header), encode(fields))
            }
            secret => {
                let secret = secret.iter().map(|secret| ("client_secret", secret.as_str()));
                (request, encode(fields.chain(secret)))
            }
        };
        send(&self.outbound, request, form.into()).await
    }
}

fn encode<'a>(fields: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    Serializer::new(String::new()).extend_pairs(fields).finish()
}

/// The tokens of a grant. A renewal may keep the refresh token.
fn granted(before: &McpTokens, grant: Grant, refresh_token: Option<&str>, now: Time) -> McpTokens {
    let Grant { access_token, refresh_token: next, lifetime } = grant;
    McpTokens {
        access_token,
        refresh_token: next.or_else(|| refresh_token.map(str::to_owned)),
        expires_at: lifetime.map(|lifetime| now.plus(lifetime)),
        renew_at: lifetime.map(|lifetime| now.plus(lifetime - RENEWAL_MARGIN.min(lifetime / 10))),
        ..before.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_refused_grant_ends_a_connection() {
        let class = |status, reason: Option<&str>| match GrantError::from(CallError::TokenRefused {
            status,
            reason: reason.map(str::to_owned),
        }) {
            GrantError::Refused(_) => "grant",
            GrantError::ClientRefused(_) => "client",
            GrantError::Failed(_) => "server",
        };
        for (status, reason, expected) in [
            (400, Some("invalid_grant"), "grant"),
            (200, Some("bad_refresh_token"), "grant"),
            (400, None, "grant"),
            (401, Some("invalid_client"), "client"),
            (400, Some("unauthorized_client"), "client"),
            (401, None, "client"),
            (400, Some("temporarily_unavailable"), "server"),
            (403, None, "server"),
            (429, Some("rate_limited"), "server"),
            (503, Some("invalid_grant"), "server"),
        ] {
            assert_eq!(class(status, reason), expected, "{status} {reason:?}");
        }
    }
}
