//! HTTP calls of workflows to other systems, with outbound credentials and redirects.

use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http::header::{AUTHORIZATION, HeaderName, HeaderValue, USER_AGENT};
use http::{Request, StatusCode, Uri};
use tokio::time::Instant;
use url::Url;

use super::oauth2::Tokens;
use super::{Answer, Outbound, OutboundError, RequestTimeouts};
use domain::credential::Credential;
use domain::header;
use domain::id::CredentialId;

const AGENT: HeaderValue = HeaderValue::from_static("atelier");

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    #[error(transparent)]
    Outbound(#[from] OutboundError),
    /// `reason` is the error code of RFC 6749, if the response has one.
    #[error("the token endpoint answered {status}{}", reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default())]
    TokenRefused { status: u16, reason: Option<String> },
    #[error("the token endpoint did not return a bearer token")]
    NoToken,
    #[error("the credential cannot be sent in a request; check its header name and its values")]
    InvalidCredential,
}

/// Sends calls. A process needs only one, because it holds connections and tokens.
#[derive(Clone)]
pub struct Calls {
    outbound: Outbound,
    tokens: Arc<Tokens>,
}

impl Calls {
    pub fn new(outbound: Outbound) -> Self {
        Self { outbound, tokens: Arc::default() }
    }

    /// Sends a request. `timeouts` cover everything: fetching a token, redirects, and a retry with a new token.
    pub async fn send(
        &self,
        mut request: Request<Bytes>,
        credential: Option<(CredentialId, &Credential)>,
        timeouts: &RequestTimeouts,
    ) -> Result<Answer, CallError> {
        request.headers_mut().entry(USER_AGENT).or_insert(AGENT);
        let Some((id, credential)) = credential else { return Ok(self.outbound.follow(request, timeouts).await?) };
        if let Credential::Oauth2ClientCredentials { .. } = credential {
            return self.send_with_token(request, id, credential, timeouts).await;
        }
        apply(credential, &mut request)?;
        Ok(self.outbound.follow(request, timeouts).await?)
    }

    /// Sends a request with an access token. A cached token that is refused with 401 may be revoked, so the request is
    /// retried once with a new token.
    async fn send_with_token(
        &self,
        request: Request<Bytes>,
        id: CredentialId,
        credential: &Credential,
        timeouts: &RequestTimeouts,
    ) -> Result<Answer, CallError> {
        let deadline = Instant::now() + timeouts.total;
        let (token, is_new) = self.tokens.get(&self.outbound, id, credential, deadline).await?;
        let answer = self.outbound.follow(with_token(request.clone(), token), &timeouts.until(deadline)).await?;
        if answer.status != StatusCode::UNAUTHORIZED || is_new {
            return Ok(answer);
        }
        self.tokens.forget(&id);
        let (token, _) = self.tokens.get(&self.outbound, id, credential, deadline).await?;
        Ok(self.outbound.follow(with_token(request, token), &timeouts.until(deadline)).await?)
    }

    /// The `Authorization` header of an OAuth 2 client, and whether its token was fetched by this call.
    pub async fn token(
        &self,
        id: CredentialId,
        credential: &Credential,
        timeouts: &RequestTimeouts,
    ) -> Result<(HeaderValue, bool), CallError> {
        self.tokens.get(&self.outbound, id, credential, Instant::now() + timeouts.total).await
    }
}

fn with_token(mut request: Request<Bytes>, token: HeaderValue) -> Request<Bytes> {
    request.headers_mut().insert(AUTHORIZATION, token);
    request
}

/// Adds a credential to a request, except OAuth 2 client credentials, which need a token.
fn apply(credential: &Credential, request: &mut Request<Bytes>) -> Result<(), CallError> {
    match credential {
        Credential::Bearer { token } => {
            request.headers_mut().insert(AUTHORIZATION, secret(&format!("Bearer {token}"))?);
        }
        Credential::Basic { username, password } => {
            request.headers_mut().insert(AUTHORIZATION, basic(username, password)?);
        }
        Credential::Header { header, value } => {
            // The header name was validated on creation and is validated again, because connections are shared.
            if header::problem(header).is_some() {
                return Err(CallError::InvalidCredential);
            }
            let header = HeaderName::try_from(header).map_err(|_| CallError::InvalidCredential)?;
            request.headers_mut().insert(header, secret(value)?);
        }
        Credential::Query { parameter, value } => {
            let mut url = Url::parse(&request.uri().to_string()).map_err(|_| OutboundError::NotHttp)?;
            url.query_pairs_mut().append_pair(parameter, value);
            *request.uri_mut() = Uri::try_from(url.as_str()).map_err(|_| CallError::InvalidCredential)?;
        }
        Credential::Oauth2ClientCredentials { .. } => {}
    }
    Ok(())
}

pub(super) fn basic(username: &str, password: &str) -> Result<HeaderValue, CallError> {
    secret(&format!("Basic {}", BASE64_STANDARD.encode(format!("{username}:{password}"))))
}

pub(super) fn secret(value: &str) -> Result<HeaderValue, CallError> {
    sensitive(value).ok_or(CallError::InvalidCredential)
}

/// A header value marked as sensitive: it is not logged, and a redirect to another origin removes it.
pub fn sensitive(value: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(value).ok()?;
    value.set_sensitive(true);
    Some(value)
}
