//! The token endpoint: the exchange of a code, the renewal of a token, and its revocation (RFC 7009).

use std::time::Duration;

use bytes::Bytes;
use domain::oauth::{OauthClient, OauthTokens};
use domain::time::Time;
use form_urlencoded::{Serializer, byte_serialize};
use http::header::{AUTHORIZATION, CONTENT_TYPE};
use http::{Request, StatusCode};
use outbound::oauth2::{Grant, basic, read_grant};
use outbound::{Outbound, OutboundError};

use super::grant_error::GrantError;
use super::requests::send;

/// A token is renewed this long before it expires, or a tenth of a shorter lifetime.
const RENEWAL_MARGIN: Duration = Duration::from_secs(60);

/// A token endpoint, and the client for which it issues tokens.
pub struct TokenEndpoint<'a> {
    pub outbound: &'a Outbound,
    pub url: &'a str,
    pub client: &'a OauthClient,
    /// The resource that the tokens are for (RFC 8707).
    pub resource: Option<&'a str>,
}

impl TokenEndpoint<'_> {
    pub async fn exchange(
        &self,
        code: &str,
        verifier: &str,
        redirect_uri: &str,
        now: Time,
    ) -> Result<OauthTokens, GrantError> {
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", redirect_uri),
            ("code_verifier", verifier),
        ];
        Ok(granted(&OauthTokens::default(), self.request_grant(&form).await?, now))
    }

    /// Renews the tokens with their refresh token.
    pub async fn refresh(&self, tokens: &OauthTokens, now: Time) -> Result<OauthTokens, GrantError> {
        let refresh_token = tokens.refresh_token.as_deref().unwrap_or_default();
        let form = [("grant_type", "refresh_token"), ("refresh_token", refresh_token)];
        Ok(granted(tokens, self.request_grant(&form).await?, now))
    }

    async fn request_grant(&self, form: &[(&str, &str)]) -> Result<Grant, GrantError> {
        let resource = self.resource.map(|resource| ("resource", resource));
        let form: Vec<_> = form.iter().copied().chain(resource).collect();
        let answer = post_form(self.outbound, self.url, self.client, &form).await;
        let (status, body) = answer.map_err(|error| GrantError::Failed(error.into()))?;
        Ok(read_grant(status, &body)?)
    }
}

/// Revokes tokens. A failure keeps nobody from disconnecting.
pub async fn revoke(outbound: &Outbound, url: &str, client: &OauthClient, tokens: &OauthTokens) {
    let (token, kind) = match &tokens.refresh_token {
        Some(token) => (token, "refresh_token"),
        None => (&tokens.access_token, "access_token"),
    };
    match post_form(outbound, url, client, &[("token", token), ("token_type_hint", kind)]).await {
        Ok((status, _)) if status.is_success() => {}
        Ok((status, _)) => tracing::warn!(status = status.as_u16(), "the tokens of a connection were not revoked"),
        Err(error) => tracing::warn!(%error, "the tokens of a connection were not revoked"),
    }
}

async fn post_form(
    outbound: &Outbound,
    url: &str,
    client: &OauthClient,
    fields: &[(&str, &str)],
) -> Result<(StatusCode, Bytes), OutboundError> {
    let request = Request::post(url).header(CONTENT_TYPE, "application/x-www-form-urlencoded");
    // Servers of the official MCP SDK for Python need the id in the form even if the header has it.
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
    send(outbound, request, form.into()).await
}

fn encode<'a>(fields: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    Serializer::new(String::new()).extend_pairs(fields).finish()
}

/// The tokens of a grant. A renewal may keep the refresh token, and name neither the scope nor the account again.
fn granted(before: &OauthTokens, grant: Grant, now: Time) -> OauthTokens {
    let Grant { access_token, refresh_token, lifetime, scope, account } = grant;
    OauthTokens {
        access_token,
        refresh_token: refresh_token.or_else(|| before.refresh_token.clone()),
        expires_at: lifetime.map(|lifetime| now.plus(lifetime)),
        renew_at: lifetime.map(|lifetime| now.plus(lifetime - RENEWAL_MARGIN.min(lifetime / 10))),
        scope: scope.or_else(|| before.scope.clone()),
        account: account.or_else(|| before.account.clone()),
    }
}
