//! The issuer as an OpenID provider: where users sign in, and where codes are exchanged. Its URLs come from the operator's
//! settings, like those of its keys, and not from users. Therefore they are called without the guard of `outbound`, which would
//! refuse an issuer in a private network.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use domain::{Error, Result, address};
use form_urlencoded::{Serializer, byte_serialize};
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use http::{Request, StatusCode};
use platform::aws::{TrustedClient, fetch};
use platform::cache::Cache;
use platform::config::{self, Config};
use serde::Deserialize;

use crate::error::SignInError;
use crate::pending::PendingSignIn;

const DOCUMENT_TTL: Duration = Duration::from_secs(60 * 60);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
const READ_TIMEOUT: Duration = Duration::from_secs(10);
const MAX_ANSWER_BYTES: usize = 256 * 1024;
const SCOPE: &str = "openid profile email";

pub struct Issuer {
    name: String,
    discovery_url: String,
    client: Option<Client>,
    document: Cache<(), Discovery>,
}

/// The platform as a client of the issuer.
pub struct Client {
    pub id: String,
    secret: Option<String>,
}

/// The part of the discovery document that a sign-in needs.
#[derive(Clone, Deserialize)]
struct Discovery {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
}

#[derive(Deserialize)]
struct TokenResponse {
    id_token: Option<String>,
}

impl Issuer {
    pub fn new(config: &Config, name: &str) -> Self {
        let usual = || format!("{}/.well-known/openid-configuration", name.trim_end_matches('/'));
        let secret = config.optional(config::CONSOLE_CLIENT_SECRET).map(str::to_owned);
        let client = |id: &str| Client { id: id.to_owned(), secret };
        Self {
            name: name.to_owned(),
            discovery_url: config.optional(config::AUTH_DISCOVERY_URL).map_or_else(usual, str::to_owned),
            client: config.optional(config::CONSOLE_CLIENT_ID).map(client),
            document: Cache::new(DOCUMENT_TTL, 1),
        }
    }

    pub fn client(&self) -> Result<&Client, SignInError> {
        self.client.as_ref().ok_or(SignInError::NotConfigured)
    }

    /// Whether an answer names this issuer, if it names one (RFC 9207).
    pub fn is_named(&self, iss: Option<&str>) -> bool {
        iss.is_none_or(|iss| iss == self.name)
    }

    /// Where the browser begins the sign-in.
    pub async fn sign_in_url(&self, pending: &PendingSignIn, redirect_uri: &str) -> Result<String, SignInError> {
        let (client, url) = (self.client()?, self.document().await?.authorization_endpoint);
        let separator = if url.contains('?') { '&' } else { '?' };
        let query = Serializer::new(String::new())
            .append_pair("response_type", "code")
            .append_pair("client_id", &client.id)
            .append_pair("redirect_uri", redirect_uri)
            .append_pair("scope", SCOPE)
            .append_pair("state", &pending.state)
            .append_pair("nonce", &pending.nonce)
            .append_pair("code_challenge", &pending.challenge())
            .append_pair("code_challenge_method", "S256")
            .finish();
        Ok(format!("{url}{separator}{query}"))
    }

    /// Exchanges a code for the ID token of the user.
    pub async fn exchange(&self, code: &str, verifier: &str, redirect_uri: &str) -> Result<String, SignInError> {
        let client = self.client()?;
        let url = self.document().await?.token_endpoint;
        let body = Serializer::new(String::new())
            .append_pair("grant_type", "authorization_code")
            .append_pair("code", code)
            .append_pair("redirect_uri", redirect_uri)
            .append_pair("client_id", &client.id)
            .append_pair("code_verifier", verifier)
            .finish();
        let request = Request::post(url).header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        let request = request.header(ACCEPT, "application/json");
        let request = match client.authorization()? {
            Some(authorization) => request.header(AUTHORIZATION, authorization),
            None => request,
        };
        let request = request.body(Bytes::from(body)).map_err(Error::internal)?;
        let sender = TrustedClient::new(CONNECT_TIMEOUT, READ_TIMEOUT);
        let (status, answer) = sender.send(request, MAX_ANSWER_BYTES).await.map_err(unreachable)?;
        match status {
            StatusCode::OK => {
                let tokens: Option<TokenResponse> = serde_json::from_slice(&answer).ok();
                tokens.and_then(|tokens| tokens.id_token).ok_or(SignInError::NoIdToken)
            }
            status if status.is_client_error() => {
                tracing::warn!(status = status.as_u16(), "the issuer refused the code of a sign-in");
                Err(SignInError::CodeRefused)
            }
            status => Err(unreachable(Error::internal(format!("the token endpoint answered {}", status.as_u16())))),
        }
    }

    async fn document(&self) -> Result<Discovery, SignInError> {
        let load = async || {
            let document = fetch(&self.discovery_url, MAX_ANSWER_BYTES).await?;
            let document: Discovery = serde_json::from_slice(&document).map_err(Error::internal)?;
            if document.issuer != self.name {
                return Err(Error::internal("the discovery document is of another issuer than AUTH_ISSUER"));
            }
            for url in [&document.authorization_endpoint, &document.token_endpoint] {
                address::check("endpoint", url)?;
            }
            Ok(document)
        };
        self.document.get_or_load(&(), load).await.map_err(unreachable)
    }
}

impl Client {
    /// The secret in the header, which every issuer supports (RFC 6749, 2.3.1).
    fn authorization(&self) -> Result<Option<HeaderValue>> {
        let Some(secret) = &self.secret else { return Ok(None) };
        let encoded = |part: &str| byte_serialize(part.as_bytes()).collect::<String>();
        let credentials = STANDARD.encode(format!("{}:{}", encoded(&self.id), encoded(secret)));
        let mut header = HeaderValue::try_from(format!("Basic {credentials}")).map_err(Error::internal)?;
        header.set_sensitive(true);
        Ok(Some(header))
    }
}

fn unreachable(error: Error) -> SignInError {
    tracing::warn!(?error, "the issuer cannot be used for a sign-in");
    SignInError::IssuerUnreachable
}
