//! HTTP calls of workflows to other systems, with outbound credentials and redirects.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{AUTHORIZATION, HeaderValue, USER_AGENT};
use http::{Request, StatusCode};
use tokio::time::{Instant, timeout_at};
use uuid::Uuid;

use super::authorization::authorize;
use super::call_error::CallError;
use super::consented::{ConsentedToken, ConsentedTokens};
use super::oauth2::TokenCache;
use super::redirects::Redirects;
use super::{Answer, Outbound, OutboundError, RequestTimeouts};
use domain::credential::Credential;
use domain::id::CredentialId;

const AGENT: HeaderValue = HeaderValue::from_static("atelier");

/// Sends calls. A process needs only one, because it holds connections and tokens.
#[derive(Clone)]
pub struct Calls {
    outbound: Outbound,
    tokens: Arc<TokenCache>,
    /// `None` in functions whose credentials need no consent.
    consented: Option<Arc<dyn ConsentedTokens>>,
    redirects: Redirects,
}

impl Calls {
    pub fn new(outbound: Outbound) -> Self {
        Self { outbound, tokens: Arc::default(), consented: None, redirects: Redirects::All }
    }

    /// The same client, which can send the tokens of connected accounts.
    #[must_use]
    pub fn with_consented(self, tokens: Arc<dyn ConsentedTokens>) -> Self {
        Self { consented: Some(tokens), ..self }
    }

    /// The same client, with the same tokens, which follows these redirects.
    #[must_use]
    pub fn with_redirects(self, redirects: Redirects) -> Self {
        Self { redirects, ..self }
    }

    /// Sends a request. `timeouts` cover everything: fetching a token, redirects, and a retry with a new token.
    pub async fn send(
        &self,
        mut request: Request<Bytes>,
        credential: Option<(CredentialId, &Credential)>,
        timeouts: &RequestTimeouts,
    ) -> Result<Answer, CallError> {
        request.headers_mut().entry(USER_AGENT).or_insert(AGENT);
        let Some((id, credential)) = credential else { return Ok(self.follow(request, timeouts).await?) };
        match credential {
            Credential::Oauth2ClientCredentials { .. } => self.send_with_token(request, id, credential, timeouts).await,
            Credential::Oauth2AuthorizationCode { .. } => self.send_consented(request, id, credential, timeouts).await,
            _ => {
                let url = request.uri().clone();
                authorize(credential, &mut request)?;
                let answer = self.follow(request, timeouts).await?;
                // The URL that answered has the secret, and may be shown.
                Ok(if matches!(credential, Credential::Path { .. }) { Answer { url, ..answer } } else { answer })
            }
        }
    }

    async fn follow(&self, request: Request<Bytes>, timeouts: &RequestTimeouts) -> Result<Answer, OutboundError> {
        self.outbound.follow_some(request, timeouts, self.redirects).await
    }

    /// Sends a request that has its own authorization, and follows no redirects: neither a message nor a URL with a token
    /// may reach another server than the intended one.
    pub async fn send_once(
        &self,
        mut request: Request<Bytes>,
        timeouts: &RequestTimeouts,
    ) -> Result<Answer, OutboundError> {
        request.headers_mut().entry(USER_AGENT).or_insert(AGENT);
        self.outbound.send(request, timeouts).await
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
        let answer = self.follow(with_token(request.clone(), token), &timeouts.until(deadline)).await?;
        if answer.status != StatusCode::UNAUTHORIZED || is_new {
            return Ok(answer);
        }
        self.tokens.forget(&id);
        let (token, _) = self.tokens.get(&self.outbound, id, credential, deadline).await?;
        Ok(self.follow(with_token(request, token), &timeouts.until(deadline)).await?)
    }

    /// Sends a request with the token of a connected account. If it is refused with 401, the request is retried once with a
    /// renewed token.
    async fn send_consented(
        &self,
        request: Request<Bytes>,
        id: CredentialId,
        credential: &Credential,
        timeouts: &RequestTimeouts,
    ) -> Result<Answer, CallError> {
        let deadline = Instant::now() + timeouts.total;
        let ConsentedToken { header, version } = self.consented(id, credential, None, deadline).await?;
        let answer = self.follow(with_token(request.clone(), header), &timeouts.until(deadline)).await?;
        if answer.status != StatusCode::UNAUTHORIZED {
            return Ok(answer);
        }
        let renewed = self.consented(id, credential, Some(version), deadline).await?;
        if renewed.version == version {
            return Ok(answer);
        }
        Ok(self.follow(with_token(request, renewed.header), &timeouts.until(deadline)).await?)
    }

    async fn consented(
        &self,
        id: CredentialId,
        credential: &Credential,
        refused: Option<Uuid>,
        deadline: Instant,
    ) -> Result<ConsentedToken, CallError> {
        let tokens = self.consented.as_ref().ok_or(CallError::InvalidCredential)?;
        let late = |_| CallError::TokenUnavailable { cause: OutboundError::Timeout { sent: false }.to_string() };
        timeout_at(deadline, tokens.token(id, credential, refused)).await.map_err(late)?
    }

    /// The `Authorization` header of an OAuth 2 client, and whether its token was fetched by this call.
    pub async fn token(
        &self,
        id: CredentialId,
        credential: &Credential,
        timeouts: &RequestTimeouts,
    ) -> Result<(HeaderValue, bool), CallError> {
        let deadline = Instant::now() + timeouts.total;
        if let Credential::Oauth2AuthorizationCode { .. } = credential {
            return Ok((self.consented(id, credential, None, deadline).await?.header, false));
        }
        self.tokens.get(&self.outbound, id, credential, deadline).await
    }

    /// Fetches the next token of an OAuth 2 client anew, because a server has refused the cached one.
    pub fn forget_token(&self, id: CredentialId) {
        self.tokens.forget(&id);
    }
}

fn with_token(mut request: Request<Bytes>, token: HeaderValue) -> Request<Bytes> {
    request.headers_mut().insert(AUTHORIZATION, token);
    request
}
