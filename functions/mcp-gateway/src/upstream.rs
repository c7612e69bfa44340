//! Requests to registered servers, with the credentials of the operator.

use std::time::Duration;

use auth::ApiCaller;
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderName, HeaderValue, Method, Request, StatusCode};
use bytes::Bytes;
use domain::credential::Credential;
use domain::id::{CredentialId, UserId};
use domain::mcp_server::McpAuth;
use domain::{Error, ProviderTrouble, Result};
use http::HeaderMap;
use outbound::{Answer, CallError, OutboundError, RequestTimeouts, retry_after, sensitive};
use platform::telemetry::{TRACEPARENT, TraceContext};
use uuid::Uuid;

use crate::Stores;
use crate::access::OpenDoor;
use crate::oauth::{AccessToken, NotConnected};

/// The longest time of a request, of its stream too. It is shorter than the timeout of the route.
const LONGEST: Duration = Duration::from_secs(290);
const TIMEOUTS: RequestTimeouts = RequestTimeouts { first_byte: LONGEST, idle: LONGEST, total: LONGEST };

/// Why a server has given no answer.
pub enum SendError {
    /// The user must connect an account first.
    NotConnected,
    Other(Error),
}

impl From<Error> for SendError {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

/// A request for a server.
pub struct Outgoing {
    pub method: Method,
    pub headers: HeaderMap,
    pub body: Bytes,
}

/// Sends a request to the server of a door, and follows no redirects: what is meant for this server reaches no other. A refused
/// token is renewed once, because the server has not carried out the request.
pub async fn send(
    stores: &Stores,
    door: &OpenDoor,
    mut authorization: Authorization,
    Outgoing { method, headers, body }: Outgoing,
) -> std::result::Result<Answer, SendError> {
    let mut renewed = false;
    loop {
        let mut request = Request::new(body.clone());
        *request.method_mut() = method.clone();
        *request.uri_mut() = door.server().url.parse().map_err(Error::internal)?;
        *request.headers_mut() = headers.clone();
        if let Some(traceparent) = TraceContext::current().and_then(|trace| trace.traceparent().try_into().ok()) {
            request.headers_mut().insert(HeaderName::from_static(TRACEPARENT), traceparent);
        }
        if let Some((name, value)) = authorization.header.clone() {
            request.headers_mut().insert(name, value);
        }
        let answer = stores.calls.send_once(request, &TIMEOUTS).await.map_err(|error| unserved(&error))?;
        let refused = match authorization.token {
            Some(token) if answer.status == StatusCode::UNAUTHORIZED => token,
            _ => return Ok(answer),
        };
        match (refused, renewed) {
            (Token::OfUser(..), true) => return Err(SendError::NotConnected),
            (Token::OfClient(_), true) => return Ok(answer),
            (Token::OfUser(user, version), false) => {
                authorization = Authorization::find_for(stores, door, user, Some(version)).await?;
            }
            (Token::OfClient(id), false) => {
                stores.calls.forget_token(id);
                authorization = Authorization::of_operator(stores, door).await?;
            }
        }
        renewed = true;
    }
}

/// The authorization of a request.
pub struct Authorization {
    header: Option<(HeaderName, HeaderValue)>,
    /// The token, if it can be renewed.
    token: Option<Token>,
}

#[derive(Clone, Copy)]
enum Token {
    OfClient(CredentialId),
    /// The user, and the version of the tokens.
    OfUser(UserId, Uuid),
}

impl Authorization {
    /// The authorization of a caller at the server of a door.
    pub async fn find(stores: &Stores, door: &OpenDoor, caller: &ApiCaller) -> std::result::Result<Self, SendError> {
        Self::find_for(stores, door, caller.caller.user, None).await
    }

    async fn find_for(
        stores: &Stores,
        door: &OpenDoor,
        user: UserId,
        refused: Option<Uuid>,
    ) -> std::result::Result<Self, SendError> {
        if !matches!(door.server().auth, McpAuth::Oauth2User { .. }) {
            return Ok(Self::of_operator(stores, door).await?);
        }
        let secret = stores.servers.open(&door.stored).await?;
        let secret = secret.as_ref().map(|secret| secret.as_str());
        let token = stores.oauth.access_token(door.server(), user, secret, refused, &stores.clock).await?;
        let AccessToken { header, version } = token.map_err(|NotConnected| SendError::NotConnected)?;
        Ok(Self { header: Some((AUTHORIZATION, header)), token: Some(Token::OfUser(user, version)) })
    }

    async fn of_operator(stores: &Stores, door: &OpenDoor) -> Result<Self> {
        let secret = stores.servers.open(&door.stored).await?;
        let secret = secret.as_ref().map_or("", |secret| secret.as_str());
        let (name, value) = match &door.server().auth {
            McpAuth::None | McpAuth::Oauth2User { .. } => return Ok(Self { header: None, token: None }),
            McpAuth::Bearer => (AUTHORIZATION, sensitive(&format!("Bearer {secret}"))),
            McpAuth::Header { header } => (header.parse().map_err(Error::internal)?, sensitive(secret)),
            McpAuth::Oauth2ClientCredentials { token_url, client_id, scope } => {
                let id = door.stored.secret.as_ref().map(|secret| secret.id).ok_or_else(refused_credentials)?;
                let credential = Credential::Oauth2ClientCredentials {
                    token_url: token_url.clone(),
                    client_id: client_id.clone(),
                    client_secret: secret.to_owned(),
                    scope: scope.clone(),
                };
                let token = stores.calls.token(id, &credential, &TIMEOUTS).await;
                let (header, _) = token.map_err(|error| no_token(&error))?;
                return Ok(Self { header: Some((AUTHORIZATION, header)), token: Some(Token::OfClient(id)) });
            }
        };
        let value = value.ok_or_else(refused_credentials)?;
        Ok(Self { header: Some((name, value)), token: None })
    }
}

/// Refuses an answer that is not meant for the client. The others pass, also those that report an error of the protocol.
pub fn check_status(answer: &Answer) -> Result<()> {
    let status = answer.status;
    match status.as_u16() {
        401 | 403 => Err(refused_credentials()),
        429 => Err(Error::Provider {
            trouble: ProviderTrouble::RateLimited,
            code: "mcp_server_busy".to_owned(),
            message: "the MCP server limits the rate of requests; try again later".to_owned(),
            param: None,
            retry_after_s: retry_after(&answer.headers, domain::time::Time::now()).map(|wait| wait.as_secs().max(1)),
        }),
        300..=399 => Err(failed("the MCP server redirects; the operator registers the URL that it leads to")),
        500..=599 => Err(failed(&format!("the MCP server answered with status {}", status.as_u16()))),
        _ => Ok(()),
    }
}

fn provider_error(trouble: ProviderTrouble, code: &str, message: String) -> Error {
    Error::Provider { trouble, code: code.to_owned(), message, param: None, retry_after_s: None }
}

pub fn failed(message: &str) -> Error {
    provider_error(ProviderTrouble::Failed, "mcp_server_failed", message.to_owned())
}

pub fn invalid_answer(problem: &str) -> Error {
    let message = format!("the MCP server answered with something that is not the protocol: {problem}");
    provider_error(ProviderTrouble::Failed, "mcp_answer_invalid", message)
}

fn refused_credentials() -> Error {
    let message = "the MCP server refused the credentials of the gateway; ask the operator to renew them".to_owned();
    provider_error(ProviderTrouble::Setup, "mcp_credentials_refused", message)
}

/// The users of a server cannot be authorized, for a reason that its operator must know.
pub fn no_authorization(problem: &str) -> Error {
    provider_error(
        ProviderTrouble::Failed,
        "mcp_authorization_failed",
        format!("no account can be connected: {problem}"),
    )
}

fn no_token(error: &CallError) -> Error {
    match error {
        CallError::Outbound(error) => unserved(error),
        error => provider_error(
            ProviderTrouble::Setup,
            "mcp_credentials_refused",
            format!("the gateway has no token for the MCP server: {error}; ask the operator to check its client"),
        ),
    }
}

/// A server that was not reached, or did not answer.
pub fn unserved(error: &OutboundError) -> Error {
    let trouble = match error {
        OutboundError::Timeout { .. } => ProviderTrouble::Timeout,
        OutboundError::Exhausted => return Error::busy(error.to_string()),
        _ => ProviderTrouble::Failed,
    };
    provider_error(trouble, error.code(), format!("the MCP server did not answer: {error}"))
}
