//! Access tokens by OAuth 2 client credentials (RFC 6749, 4.4), fetched when needed and cached until they expire. The answers of
//! token endpoints are read here for other grants too.

use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use http::{Request, StatusCode};
use serde::Deserialize;
use serde_json::Value;
use tokio::time::Instant;
use url::form_urlencoded;
use url::form_urlencoded::Serializer;

use super::authorization::secret;
use super::call_error::CallError;
use super::{Outbound, OutboundError, RequestTimeouts};
use domain::credential::Credential;
use domain::id::CredentialId;
use platform::cache::Cache;

pub use super::authorization::basic;

/// The longest lifetime that is read. A time so far away can still be stored.
const MAX_LIFETIME: Duration = Duration::from_secs(10 * 365 * 24 * 3600);
/// The longest time a token is cached, even if the server grants more.
const MAX_TOKEN_LIFETIME: Duration = Duration::from_secs(24 * 3600);
/// The lifetime of a token if the response has no `expires_in`.
const DEFAULT_TOKEN_LIFETIME: Duration = Duration::from_secs(300);
/// A token is renewed this long before it expires, so that it does not expire on the way.
const RENEWAL_MARGIN: Duration = Duration::from_secs(30);
const MAX_KEPT_TOKENS: usize = 1_000;
const MAX_SCOPE_CHARS: usize = 1_000;
const MAX_ACCOUNT_CHARS: usize = 200;
const MAX_ANSWER_BYTES: usize = 64 * 1024;
const TIMEOUTS: RequestTimeouts = RequestTimeouts {
    first_byte: Duration::from_secs(10),
    idle: Duration::from_secs(5),
    total: Duration::from_secs(15),
};

pub(super) struct TokenCache {
    kept: Cache<CredentialId, CachedToken>,
}

impl Default for TokenCache {
    fn default() -> Self {
        Self { kept: Cache::new(MAX_TOKEN_LIFETIME, MAX_KEPT_TOKENS) }
    }
}

#[derive(Clone)]
struct CachedToken {
    authorization: HeaderValue,
    until: Instant,
}

impl TokenCache {
    /// The token as a header, and whether this call fetched it. Concurrent calls share one fetch.
    pub async fn get(
        &self,
        outbound: &Outbound,
        id: CredentialId,
        credential: &Credential,
        deadline: Instant,
    ) -> Result<(HeaderValue, bool), CallError> {
        let Credential::Oauth2ClientCredentials { token_url, client_id, client_secret, scope } = credential else {
            return Err(CallError::InvalidCredential);
        };
        let client = Client { token_url, client_id, client_secret, scope: scope.as_deref(), deadline };
        let mut is_new = false;
        for _ in 0..2 {
            let fetch = async || {
                let token = client.fetch(outbound).await?;
                is_new = true;
                Ok::<_, CallError>(token)
            };
            let token = self.kept.get_or_load(&id, fetch).await?;
            if token.until > Instant::now() {
                return Ok((token.authorization, is_new));
            }
            self.kept.forget(&id);
        }
        Err(CallError::NoToken)
    }

    pub fn forget(&self, id: &CredentialId) {
        self.kept.forget(id);
    }
}

struct Client<'a> {
    token_url: &'a str,
    client_id: &'a str,
    client_secret: &'a str,
    scope: Option<&'a str>,
    deadline: Instant,
}

/// What a token endpoint has granted.
pub struct Grant {
    pub access_token: String,
    pub refresh_token: Option<String>,
    /// `None` if the answer does not say it.
    pub lifetime: Option<Duration>,
    /// The granted scope, if the answer names it.
    pub scope: Option<String>,
    /// The name of the account, if the answer has an ID token of OpenID Connect.
    pub account: Option<String>,
}

#[derive(Deserialize)]
struct TokenResponse {
    access_token: String,
    token_type: Option<String>,
    refresh_token: Option<String>,
    expires_in: Option<Seconds>,
    scope: Option<Value>,
    id_token: Option<Value>,
}

/// The claims of an ID token that name the account.
#[derive(Deserialize)]
struct AccountClaims {
    email: Option<String>,
    preferred_username: Option<String>,
    name: Option<String>,
}

/// Some servers send the number as a string.
#[derive(Deserialize)]
#[serde(untagged)]
enum Seconds {
    Number(f64),
    Text(String),
}

#[derive(Deserialize)]
struct Denied {
    error: String,
}

impl Client<'_> {
    /// Sends the client secret in the header, which every server must support, and if that is refused, in the body.
    async fn fetch(&self, outbound: &Outbound) -> Result<CachedToken, CallError> {
        match self.ask(outbound, true).await {
            Err(CallError::TokenRefused { status: 400 | 401, .. }) => self.ask(outbound, false).await,
            answered => answered,
        }
    }

    async fn ask(&self, outbound: &Outbound, in_header: bool) -> Result<CachedToken, CallError> {
        let request = self.request(in_header)?;
        let asked = Instant::now();
        // Redirects are not followed, so that the secret reaches only the configured server.
        let answer = outbound.send(request, &TIMEOUTS.until(self.deadline)).await?;
        let status = answer.status;
        let body = answer.body.read_to_end(MAX_ANSWER_BYTES).await?;
        let Grant { access_token, lifetime, .. } = read_grant(status, &body)?;
        let authorization = secret(&format!("Bearer {access_token}"))?;
        let lifetime = lifetime.unwrap_or(DEFAULT_TOKEN_LIFETIME).min(MAX_TOKEN_LIFETIME);
        Ok(CachedToken { authorization, until: asked + lifetime - RENEWAL_MARGIN.min(lifetime / 10) })
    }

    fn request(&self, in_header: bool) -> Result<Request<Bytes>, CallError> {
        let mut form = Serializer::new(String::new());
        form.append_pair("grant_type", "client_credentials");
        if let Some(scope) = self.scope.filter(|scope| !scope.is_empty()) {
            form.append_pair("scope", scope);
        }
        let request = Request::post(self.token_url)
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(ACCEPT, "application/json");
        let request = if in_header {
            let encoded = |part: &str| form_urlencoded::byte_serialize(part.as_bytes()).collect::<String>();
            request.header(AUTHORIZATION, basic(&encoded(self.client_id), &encoded(self.client_secret))?)
        } else {
            form.append_pair("client_id", self.client_id).append_pair("client_secret", self.client_secret);
            request
        };
        Ok(request.body(Bytes::from(form.finish())).map_err(|_| OutboundError::NotHttp)?)
    }
}

/// Reads the answer of a token endpoint.
pub fn read_grant(status: StatusCode, body: &[u8]) -> Result<Grant, CallError> {
    let reason = reason(body);
    // Some servers refuse with the status 200, such as GitHub.
    if status != StatusCode::OK || reason.is_some() {
        return Err(CallError::TokenRefused { status: status.as_u16(), reason });
    }
    let granted: TokenResponse = serde_json::from_slice(body).map_err(|_| CallError::NoToken)?;
    let TokenResponse { access_token, token_type, refresh_token, expires_in, scope, id_token } = granted;
    let is_bearer = token_type.is_none_or(|kind| kind.eq_ignore_ascii_case("bearer"));
    if !is_bearer || access_token.is_empty() {
        return Err(CallError::NoToken);
    }
    // Whether the token can be sent is known before it is stored.
    secret(&access_token)?;
    let refresh_token = refresh_token.filter(|token| !token.is_empty());
    let scope = scope.as_ref().and_then(Value::as_str).filter(|scope| is_shown(scope, MAX_SCOPE_CHARS));
    Ok(Grant {
        access_token,
        refresh_token,
        lifetime: lifetime(expires_in),
        scope: scope.map(str::to_owned),
        account: id_token.as_ref().and_then(Value::as_str).and_then(account),
    })
}

/// The name of the account of an ID token. Its signature needs no check, because the token endpoint itself has sent it. It is only
/// shown, and decides nothing.
fn account(id_token: &str) -> Option<String> {
    let claims = URL_SAFE_NO_PAD.decode(id_token.split('.').nth(1)?).ok()?;
    let AccountClaims { email, preferred_username, name } = serde_json::from_slice(&claims).ok()?;
    [email, preferred_username, name].into_iter().flatten().find(|text| is_shown(text, MAX_ACCOUNT_CHARS))
}

/// Whether a text of another system is fit to be stored and shown.
fn is_shown(text: &str, max_chars: usize) -> bool {
    !text.trim().is_empty() && text.chars().count() <= max_chars && !text.chars().any(char::is_control)
}

/// The error code of the response. Other text is dropped, because messages must not repeat what a foreign server sends.
fn reason(body: &[u8]) -> Option<String> {
    let Denied { error } = serde_json::from_slice(body).ok()?;
    let is_code = error.len() <= 64 && error.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_' || c == b'-');
    is_code.then_some(error)
}

fn lifetime(expires_in: Option<Seconds>) -> Option<Duration> {
    let seconds = match expires_in {
        None => None,
        Some(Seconds::Number(seconds)) => Some(seconds),
        Some(Seconds::Text(text)) => text.trim().parse().ok(),
    };
    let lifetime = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    lifetime.map(|lifetime| lifetime.min(MAX_LIFETIME))
}
